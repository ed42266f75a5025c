// A recorded run of PVM as S4's replay input and overhead lines (station_lines.hpp), by its 3.1 to 3.3.
#pragma once
#include "simulate/stations/station_lines.hpp"
#include "trace/trace.hpp"

namespace ww::stations {

// Stations are the ranks, in order; times are from the trace's first event.
// * A send is a line for each write that libpvm3 made in it, of 4080 bytes as long as there are so many, as PVM writes a message; its bytes are the message's
//   and PVM's 32 of header. A send to several at once is one line of m.
// * A receive is two lines, of the header's 16 bytes and of the rest, as PVM reads it; its time is that of the reads. How long it was blocked is left out.
// * What lies between is computation: PVM's packing and whatever else the program does.
// Messages with tasks that were not recorded, and with daemons, are left out.
std::vector<StationProgram> stations_of(const Trace& trace);

}  // namespace ww::stations
