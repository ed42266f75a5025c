#include "trace/export/station_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/files.hpp"
#include "base/text.hpp"

namespace ww::stations {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_words = 5, overhead_words = 3;
constexpr std::uint32_t most_stations = 4096;
constexpr std::int64_t most_us = 1'000'000'000'000;  // eleven days

template <class T>
bool number(std::string_view text, T least, T most, T& out) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc{} && end == text.data() + text.size() && out >= least && out <= most;
}

Error wrong_line(const std::string& name, std::size_t line, const char* form) {
  return Error{"a line that is none of the form", fmt::format("{}:{}", name, line), form};
}

// Calls take(words, number) for each line that is not empty; false from it is an error.
template <class Take>
Result<void> each_line(std::string_view text, const std::string& name, const char* form, Take&& take) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    std::string one(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    std::replace(one.begin(), one.end(), '\t', ' ');
    std::replace(one.begin(), one.end(), '\r', ' ');
    const auto words = split_words(one);
    if (!words.empty() && !take(words)) return tl::unexpected(wrong_line(name, line, form));
  }
  return {};
}

}  // namespace

Result<std::vector<StationLine>> parse_station(std::string_view text, const std::string& name) {
  std::vector<StationLine> lines;
  const auto take = [&](const auto& words) {
    if (words.size() < least_words || words[0].size() != 1 ||
        std::string_view("csrm").find(words[0][0]) == std::string_view::npos)
      return false;
    StationLine line;
    line.does = static_cast<Does>(words[0][0]);
    if (line.does != Does::multicast && words.size() > least_words) return false;
    if (!number<std::int64_t>(words[1], 0, most_us, line.time_us) ||
        !number<std::uint64_t>(words[2], 0, std::uint64_t{1} << 40, line.bytes) ||
        !number<std::uint32_t>(words[3], 0, most_stations, line.source))
      return false;
    for (std::size_t i = 4; i < words.size(); ++i) {
      std::uint32_t to = 0;
      if (!number<std::uint32_t>(words[i], 0, most_stations, to)) return false;
      line.destinations.push_back(to);
    }
    lines.push_back(std::move(line));
    return true;
  };
  WW_CHECK(each_line(
      text, name, "FUNCTION MICROSECONDS BYTES SOURCE DESTINATION..., FUNCTION c, s, r or m, whole numbers",
      take));
  return lines;
}

Result<std::vector<OverheadLine>> parse_overhead(std::string_view text, const std::string& name) {
  std::vector<OverheadLine> lines;
  const auto take = [&](const auto& words) {
    OverheadLine line;
    if (words.size() != overhead_words || !number<std::int64_t>(words[1], 0, most_us, line.start_us) ||
        !number<std::int64_t>(words[2], 0, most_us, line.time_us))
      return false;
    line.name = words[0];
    lines.push_back(std::move(line));
    return true;
  };
  WW_CHECK(each_line(text, name, "NAME START MICROSECONDS, whole numbers", take));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
  return lines;
}

std::string to_string(const StationLine& line) {
  std::string text =
      fmt::format("{} {} {} {}", static_cast<char>(line.does), line.time_us, line.bytes, line.source);
  for (const std::uint32_t to : line.destinations) text += fmt::format(" {}", to);
  return text;
}

std::string to_string(const OverheadLine& line) {
  return fmt::format("{} {} {}", line.name, line.start_us, line.time_us);
}

std::vector<std::int64_t> own_times_us(const std::vector<OverheadLine>& lines) {
  std::vector<std::int64_t> own;
  std::vector<std::size_t> open;  // the calls around the one at hand, outermost first
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto end_us = [&](std::size_t k) { return lines[k].start_us + lines[k].time_us; };
    while (!open.empty() && (end_us(open.back()) < end_us(i) || end_us(open.back()) <= lines[i].start_us))
      open.pop_back();
    own.push_back(lines[i].time_us);
    if (!open.empty()) own[open.back()] -= lines[i].time_us;
    open.push_back(i);
  }
  return own;
}

bool has_stations(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / fmt::format("{}0", station_stem), ignored);
}

Result<std::vector<StationProgram>> load_stations(const fs::path& directory) {
  std::vector<StationProgram> stations;
  std::error_code ignored;
  for (std::size_t n = 0;; ++n) {
    const fs::path file = directory / fmt::format("{}{}", station_stem, n);
    if (!fs::is_regular_file(file, ignored)) break;
    WW_TRY(const std::string text, read_file(file));
    StationProgram station;
    WW_TRY(station.lines, parse_station(text, file.string()));
    const fs::path beside = directory / fmt::format("{}{}", overhead_stem, n);
    if (fs::is_regular_file(beside, ignored)) {
      WW_TRY(const std::string overhead, read_file(beside));
      WW_TRY(station.overhead, parse_overhead(overhead, beside.string()));
    }
    stations.push_back(std::move(station));
  }
  if (stations.empty())
    return fail("no stations there", directory.string(),
                "its files are station.0, station.1, ...: whatwire export TRACE --to s4 -o DIR");
  for (std::size_t n = 0; n < stations.size(); ++n)
    for (const StationLine& line : stations[n].lines) {
      const bool strange = line.source >= stations.size() ||
                           std::any_of(line.destinations.begin(), line.destinations.end(),
                                       [&](std::uint32_t to) { return to >= stations.size(); });
      if (strange)
        return fail("a station that is not there",
                    (directory / fmt::format("{}{}: {}", station_stem, n, to_string(line))).string(),
                    fmt::format("there are stations 0 to {}", stations.size() - 1));
    }
  return stations;
}

}  // namespace ww::stations
