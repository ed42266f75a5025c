// S4's replay input (trace/export/station_lines.hpp) as a schedule, so that it is played on any machine and network, beside workstations.hpp, which plays it
// by S4's own rules.
//
// * Computation is kept. The time of s, m and r, in the system's write and read, is left out: what messages cost is the model's.
// * Lines are pieces of messages: PVM writes 4080 bytes at a time, and reads 16 bytes, then the rest. Between two stations bytes come in order, so a message
//   ends where both have had the same number of them; it is sent at its last line of s or m, and there at its last line of r.
// * A send lets the next line begin when it has begun, as what is written to a socket does; a receive when the message is there.
// * A multicast is a message to each. A station's messages to itself are left out, as S4 does not transmit them (6.2.6).
// * A line of no bytes is no message.
#pragma once
#include <filesystem>
#include <vector>

#include "simulate/schedule/schedule.hpp"
#include "trace/export/station_lines.hpp"

namespace ww::stations {

// Errors: two stations of which one sends more than the other receives.
Result<schedule::Schedule> schedule_of(const std::vector<StationProgram>& stations);
// Of a directory.
Result<schedule::Schedule> read_schedule_of(const std::filesystem::path& directory);

}  // namespace ww::stations
