// The two text forms of Zabel 1996 (S4), one file of each a station.
//
// Replay input (its Figure 3.6), by blanks: FUNCTION MICROSECONDS BYTES SOURCE DESTINATION..., FUNCTION c compute, s send, r receive, m multicast.
// Stations count from 0. Of c the numbers behind the time are 0. MICROSECONDS of s and m is the time in the system's write, of r in its read once the
// data are there: how long a receive waits is the simulation's to say.
//
// Overhead lines (its Figure 3.4): NAME START MICROSECONDS of a call of the library, nested ones among them, in the order of their starts. Ours have the
// system's select too, in which a task is blocked, so that what is left of a call around it is the library's.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ww::stations {

enum class Does : char { compute = 'c', send = 's', receive = 'r', multicast = 'm' };

struct StationLine {
  Does does = Does::compute;
  std::int64_t time_us = 0;
  std::uint64_t bytes = 0;
  std::uint32_t source = 0;
  std::vector<std::uint32_t> destinations;
  bool operator==(const StationLine&) const = default;
};

struct OverheadLine {
  std::string name;
  std::int64_t start_us = 0, time_us = 0;
  bool operator==(const OverheadLine&) const = default;
};

struct StationProgram {
  std::vector<StationLine> lines;
  std::vector<OverheadLine> overhead;  // empty: not known
};

// Errors name the line.
Result<std::vector<StationLine>> parse_station(std::string_view text, const std::string& name);
Result<std::vector<OverheadLine>> parse_overhead(std::string_view text, const std::string& name);
std::string to_string(const StationLine& line);
std::string to_string(const OverheadLine& line);

// What each call took without those inside of it (S4, 3.3), in microseconds, by line. Starts must ascend.
std::vector<std::int64_t> own_times_us(const std::vector<OverheadLine>& lines);

// Files station.N and overhead.N of a directory, from 0 on without a gap. Errors: none there, a line that is none, a station that is not there
// named as a source or destination.
inline constexpr const char* station_stem = "station.";
inline constexpr const char* overhead_stem = "overhead.";
bool has_stations(const std::filesystem::path& directory);
Result<std::vector<StationProgram>> load_stations(const std::filesystem::path& directory);

}  // namespace ww::stations
