// Zabel's simulation of workstations on Ethernet (S4, chapter 4), by its own rules, beside the bus of networks/bus.cpp, which has TCP as it is today.
//
// A station does its lines one after the other. To send it holds for `hand_over`, or as long as the line says where that is less; then its TCP server has
// the whole message, and it holds for the rest of the line's time (4.2.1). The TCP server, one a station and first come first served, takes `tcp` for a
// message, cuts it into packets, and passes the next one to the Ethernet when the one before is through. To receive, a station reserves its TCP server; it is
// blocked until a packet from the source is there and the server has taken `tcp` for it, holds for the line's time, and is blocked again if the rest is not
// there by then (4.2.2, 4.2.3). A message that has been read is acknowledged through the server by a packet without data. A multicast is one transmission.
//
// Where the document leaves a choice, or the text and its Appendix A part, the rule is that under which the appendix's columns come out:
// * TCP's `tcp` is charged once a line of s or m and once a receive that opens a message, not once a packet: the appendix's TCP columns are 300 us x
//   (messages written + receives). A receive that goes on with a message which an earlier line opened is not charged.
// * Messages of a station to itself are not transmitted (6.2.6) and cost no TCP.
// * An acknowledgement costs its packet and no TCP.
// * PVM's overhead cut by 90% (6.2) leaves TCP's as it is. It lies in the lines' computation, of which each is shortened by the same part.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/model.hpp"
#include "trace/export/station_lines.hpp"

namespace ww::stations {

struct StationRules {
  double hand_over_s = 375e-6, tcp_s = 300e-6;
  double payload_bytes = 1460, header_bytes = 40;
  double bits_per_s = 10e6;
  double overhead = 1;  // of the library, as a part of what was recorded
  std::uint64_t seed = 1;
};
// Of the machine's costs and wire. Errors: a model without the first terms of S4 (presets pvm-ethernet-10, pvm-ethernet-100).
Result<StationRules> rules_of(const MachineModel& model);

struct StationResult {
  double elapsed_s = 0;
  double blocked_s = 0, service_s = 0, algorithmic_s = 0;  // algorithmic: until the matching send began (6.3)
  double network_s = 0;   // from the Ethernet's taking a packet until it was through, of all its packets
  double overhead_s = 0;  // of the library, where overhead lines are there
  double tcp_s = 0;
  std::uint64_t messages = 0, bytes = 0;
  double recorded_blocked_s = 0;  // in select, where overhead lines are there
};

struct StationsRun {
  std::vector<StationResult> stations;
  std::uint64_t collisions = 0;
  double elapsed_s() const;  // of the last one
};

// The means, as the appendix has them. Of stations that sent nothing (a coordinator may) too.
StationResult mean(const std::vector<StationResult>& stations);

// Errors: a station that waits for what nobody sends.
Result<StationsRun> run_stations(const std::vector<StationProgram>& stations, const StationRules& rules);

}  // namespace ww::stations
