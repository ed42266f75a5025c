// What is known of a saturated Ethernet without simulating it: for tests and bench/ethernet.
#pragma once
#include "ether/csma_bus.hpp"

namespace ww::ether {

struct SaturatedBus {
  double utilisation = 0;            // share of the time in which frames that get through are on the wire
  double collisions_per_packet = 0;  // of stations, each counted once
  double drops_per_packet = 0;
};

// Metcalfe and Boggs, "Ethernet: distributed packet switching for local computer networks", CACM 19(7), 1976,
// section 6: Q stations of which each sends in a slot with probability 1/Q, so that a slot acquires the wire
// with probability A = (1 - 1/Q)^(Q - 1), and (1 - A) / A slots go by before one does.
double metcalfe_boggs_utilisation(double frame_s, double slot_s, int stations);

// Two stations next to each other that always have a frame, solved exactly as the Markov chain of their
// attempts after each collision. The one that wins a collision starts anew with the smallest window while the
// other keeps its larger one: the capture effect (Ramakrishnan and Yang, "The Ethernet capture effect", 19th
// Conference on Local Computer Networks, 1994). The loser hears every frame of the winner and sends when the
// one during which its back-off ends is over, together with the winner.
SaturatedBus two_saturated_stations(const BusRules& rules, std::uint32_t frame_bytes);

// The same chain for any number of stations, walked at random instead of solved, since its states are too
// many: how often each station's frame has collided, and when the station next wants the wire. No signals, no
// carrier: at the moment the wire is free, or when the first wants it later, all send that want it by then;
// one gets through, several collide. Over about so many frames.
SaturatedBus saturated_stations_walked(const BusRules& rules, std::uint32_t frame_bytes, int stations,
                                       std::int64_t frames, std::uint64_t seed);

}  // namespace ww::ether
