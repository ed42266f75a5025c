#include "measure/raw_listing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/json_check.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

using check::text_of;
using nlohmann::json;
using Observation = RawListing::Observation;

constexpr const char* sums[] = {"", "2F+2dE+2U", "R", "A+U", "F+S", "R+S", "2F+2E+2U"};

struct Tally {
  std::size_t count = 0;
  double sum_s = 0, shortest_s = 0, longest_s = 0;

  void take(const json& record) {
    const auto seconds = record["seconds"].get<std::vector<double>>();
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    // of single repetitions where the samples are means of them
    const double low = check::number_of(record, "shortest_s", *least),
                 high = check::number_of(record, "longest_s", *most);
    shortest_s = count == 0 ? low : std::min(shortest_s, low);
    longest_s = count == 0 ? high : std::max(longest_s, high);
    for (const double one : seconds) sum_s += one;
    count += seconds.size();
  }
  Observation observation() const {
    Observation out;
    out.count = count;
    out.mean_s = sum_s / static_cast<double>(count);
    out.shortest_s = shortest_s;
    out.longest_s = longest_s;
    return out;
  }
};

// Between which ranks, over what, experiment, sum, hops, bytes.
using Key = std::tuple<std::string, std::string, int, std::string, int, double>;

std::map<Key, Tally> tallies(const Samples& samples) {
  std::map<Key, Tally> out;
  for (const json* record : samples.of_kind("six")) {
    const int experiment = (*record)["experiment"].get<int>();
    if (experiment < 1 || experiment > 6) continue;
    out[{text_of(*record, "between"), text_of(*record, "computation"), experiment, sums[experiment],
         (*record)["hops"].get<int>(), (*record)["bytes"].get<double>()}]
        .take(*record);
  }
  for (const json* record : samples.of_kind("cost"))
    out[{text_of(*record, "between"), "none", 0, text_of(*record, "term"), 1,
         (*record)["bytes"].get<double>()}]
        .take(*record);
  return out;
}

void add_line(RawListing& out, const std::string& between, const std::string& computation,
              const std::string& measures, const std::vector<stats::Point>& points) {
  if (points.size() < 2) return;
  const stats::FittedLine line = stats::fit_line(points);
  double error_s = 0;
  for (const stats::Point& point : points) error_s = std::max(error_s, std::fabs(line.at(point.x) - point.y));
  out.lines.push_back({between, computation, measures, line.base, line.slope, error_s});
}

void add_differences(RawListing& out) {
  std::map<std::tuple<std::string, std::string, double>, std::vector<const Observation*>> echoes;
  for (const Observation& one : out.observations)
    if (one.experiment == 1) echoes[{one.between, one.computation, one.bytes}].push_back(&one);  // by hops
  std::map<std::pair<std::string, std::string>, std::vector<stats::Point>> e;
  for (const auto& [key, of] : echoes) {
    const auto& [between, computation, bytes] = key;
    double sum_s = 0;
    int count = 0;
    for (std::size_t i = 0; i + 1 < of.size(); ++i) {
      if (of[i + 1]->hops != of[i]->hops + 1) continue;
      const double seconds = of[i + 1]->mean_s - of[i]->mean_s;
      out.differences.push_back({between, computation, bytes, of[i]->hops, seconds});
      sum_s += seconds;
      ++count;
    }
    if (count > 0) e[{between, computation}].push_back({bytes, sum_s / (2.0 * count)});
  }
  for (const auto& [over, points] : e) add_line(out, over.first, over.second, "E", points);
}

void add_lines(RawListing& out) {
  std::map<std::tuple<std::string, std::string, int, std::string>, std::vector<stats::Point>> sums_of;
  for (const Observation& one : out.observations)
    if (one.experiment != 1)
      sums_of[{one.between, one.computation, one.experiment, one.measures}].push_back(
          {one.bytes, one.mean_s});
  for (const auto& [key, points] : sums_of)
    add_line(out, std::get<0>(key), std::get<1>(key), std::get<3>(key), points);
}

}  // namespace

Result<RawListing> raw_listing(const Samples& samples) {
  RawListing out;
  for (const auto& [key, tally] : tallies(samples)) {
    Observation one = tally.observation();
    std::tie(one.between, one.computation, one.experiment, one.measures, one.hops, one.bytes) = key;
    out.observations.push_back(std::move(one));
  }
  if (out.observations.empty())
    return fail("these samples have none of S1's experiments", "", "measure without --quick");
  for (const json* record : samples.of_kind("host")) {
    if (out.clock_resolution_s > 0 || !record->contains("timer")) continue;
    out.clock_call_s = check::number_of((*record)["timer"], "call_s");
    out.clock_resolution_s = check::number_of((*record)["timer"], "resolution_s");
  }
  add_differences(out);
  add_lines(out);
  return out;
}

json to_json(const RawListing& listing) {
  json out = {{"clock_call_s", listing.clock_call_s},
              {"clock_resolution_s", listing.clock_resolution_s},
              {"observations", json::array()},
              {"differences", json::array()},
              {"lines", json::array()}};
  for (const Observation& one : listing.observations)
    out["observations"].push_back({{"between", one.between},
                                   {"computation", one.computation},
                                   {"experiment", one.experiment},
                                   {"measures", one.measures},
                                   {"hops", one.hops},
                                   {"bytes", one.bytes},
                                   {"samples", one.count},
                                   {"mean_s", one.mean_s},
                                   {"shortest_s", one.shortest_s},
                                   {"longest_s", one.longest_s}});
  for (const RawListing::Difference& one : listing.differences)
    out["differences"].push_back({{"between", one.between},
                                  {"computation", one.computation},
                                  {"bytes", one.bytes},
                                  {"from_hops", one.from_hops},
                                  {"seconds", one.seconds}});
  for (const RawListing::Line& one : listing.lines)
    out["lines"].push_back({{"between", one.between},
                            {"computation", one.computation},
                            {"measures", one.measures},
                            {"base_s", one.base_s},
                            {"seconds_per_byte", one.seconds_per_byte},
                            {"max_error_s", one.max_error_s}});
  return out;
}

}  // namespace ww::measure
