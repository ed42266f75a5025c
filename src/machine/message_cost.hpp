// What one message costs on a machine, split into the parts that simulation plays out and that virtual clocks
// and dilation add.
//
// Closed loop: between two ranks that wait for each other, send_s + (request and reply) + head_s + port_s +
// unformat_s is exactly Link::one_way at the message's size, so an uncontended ping-pong gives the model
// back.
#pragma once
#include <cstdint>

#include "machine/model.hpp"

namespace ww {

enum class Protocol : std::uint8_t { itself, eager, rendezvous };

struct MessageCost {
  Protocol protocol = Protocol::eager;
  bool needs_sender = true;  // rendezvous: the data leave only while the sender is inside MPI
  bool acknowledged =
      false;  // rendezvous: the sender waits until the data are there, one crossing before the receiver is told
  bool ports = false;     // between hosts: occupies the sending and the receiving port
  double send_s = 0;      // software in the sender's call (F) that does not overlap with the wire
  double ask_s = 0;       // rendezvous: what of send_s comes before the request; the rest before the data
  double written_s = 0;   // all of F, for networks that play the overlap out
  double accept_s = 0;    // in the receiver's call, overlaps the wire (A)
  double unformat_s = 0;  // in the receiver's call after arrival (U, and the arithmetic of a reduction)
  double control_s = 0;   // one way of a request or a reply
  double head_s = 0;      // from starting at the sending port to starting at the receiving port
  double port_s = 0;      // occupation of each port at full rate

  // send_s + flight_s() + unformat_s is the one-way time.
  double reply_s() const { return protocol == Protocol::rendezvous ? 2 * control_s : 0; }  // and its request
  double flight_s() const { return reply_s() + head_s + port_s; }
};

// One message over the link, uncontended.
// extra_software_s: beside the model's, half in the sender's call and half in the receiver's after arrival;
// if negative, all of a message but the time at the ports shrinks in proportion, not below zero.
MessageCost cost_of_message(const MachineModel& model, const Link& link, double bytes,
                            double extra_software_s);

// The part of their rate that both of a host's ports keep while each has a message like this one. What messages of a handshake
// lose while they meet is mostly that a reply lay behind data, which replays and clocks have by themselves; what the wire
// and the hosts take is what messages without one lose.
double rate_when_meeting(const Link& link, double bytes);

// Whether the model tells a link's frames: a wire of its own, and what each frame of it costs beside its data.
bool frames_known(const Link& link);

// Full frames that a connection of TCP as Linux sets it has under way when slow start ends, on a wire of a lab that had it; 0: no window is known.
double first_window_frames(const MachineModel& model, const Link& link);

// How far apart messages are in a replay that a rank which waits for one reads together (simulate/events/reading.hpp): a rank that
// sends two small ones one right after the other pays the software of the first, that of the second, and the receiver that
// of the first. 0 of a wire on which a small message takes longer than that: it keeps them so far apart that the rank is
// through with the first, and gone, when the second comes.
// softwares: that many times the software of a small message; by default five, and less under UCX, whose receivers acknowledge (of eleven
// exchanges of NPB's is.S at 100 Mb/s, tcpdump on both hosts: requests 15 to 27 us behind what a rank waited for were answered before its own,
// 2.4 times the software, and those 44 and 58 us behind after it, 3.9 times; of mg.W's, 3.6 times as replays have it, before). In plays of
// collectives of runs that are dilated or in virtual time three: with five NPB's is.S, 10 to 100 Mb/s, was dilated 28 and 32% too slow, with three
// it was 6% and -5%.
constexpr double replayed_softwares = 5, acknowledging_softwares = 3.75, run_softwares = 3;
double read_together_s(const MachineModel& model, const Link& link, double softwares);
double read_together_s(const MachineModel& model, const Link& link);

}  // namespace ww
