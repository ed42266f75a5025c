#include "trace/spool_clock.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace ww::spool {

double ticks_per_s(const RankDefinitions& definitions) {
  if (!definitions.process) return 0;
  const RecordedProcess& process = *definitions.process;
  std::int64_t ticks = process.ticks, monotonic_ns = process.monotonic_ns;
  for (const SpoolClockPair& pair : definitions.clocks)
    if (pair.monotonic_ns > monotonic_ns) ticks = pair.ticks, monotonic_ns = pair.monotonic_ns;
  if (definitions.end && definitions.end->monotonic_ns > monotonic_ns)
    ticks = definitions.end->ticks, monotonic_ns = definitions.end->monotonic_ns;
  // A pair is read within about 0.1 us, so that half a second gives better than one part in a million.
  const double span_s =
      (static_cast<double>(monotonic_ns) - static_cast<double>(process.monotonic_ns)) * 1e-9;
  if (span_s < 0.5) return process.ticks_per_s;
  const double measured = (static_cast<double>(ticks) - static_cast<double>(process.ticks)) / span_s;
  return std::abs(measured / process.ticks_per_s - 1) < 1e-2 ? measured : process.ticks_per_s;
}

namespace {

constexpr double crystal = 1e-4;  // two clocks of one nominal rate differ by no more

std::int64_t at_ns(long double ticks, double ticks_per_s) {
  const long double ns = ticks * (1e9L / static_cast<long double>(ticks_per_s));
  return static_cast<std::int64_t>(std::clamp(ns, -4e18L, 4e18L));
}

// Of a rank that came to its end nothing counts after MPI_Finalize, in which the last exchange was made.
bool is_finalized(const RankSpool& spool) {
  return spool.definitions.end && spool.definitions.end->reason == "finalize";
}

}  // namespace

TickMap::TickMap(std::vector<SpoolClockPair> exchanges, double own_ticks_per_s, double root_ticks_per_s,
                 long double last_ticks, Diagnostics& diagnostics) {
  for (const SpoolClockPair& pair : exchanges) same_clock_ = same_clock_ && pair.same_clock;
  if (exchanges.empty() || same_clock_) return;
  double slope_by_rates = 0;
  if (own_ticks_per_s > 0 && root_ticks_per_s > 0 && std::abs(root_ticks_per_s / own_ticks_per_s - 1) > 1e-3)
    slope_by_rates = root_ticks_per_s / own_ticks_per_s - 1;
  take(std::move(exchanges), slope_by_rates, diagnostics);
  find_intervals(slope_by_rates, last_ticks);
}

void TickMap::take(std::vector<SpoolClockPair> exchanges, double slope_by_rates, Diagnostics& diagnostics) {
  std::stable_sort(exchanges.begin(), exchanges.end(),
                   [](const SpoolClockPair& a, const SpoolClockPair& b) { return a.at_ticks < b.at_ticks; });
  for (const SpoolClockPair& pair : exchanges) {
    if (!exchanges_.empty()) {
      const SpoolClockPair& last = exchanges_.back();
      // Ranks of one counter all say what one of them found.
      if (pair.at_ticks == last.at_ticks && pair.root_ticks_offset == last.root_ticks_offset) continue;
      const double span = static_cast<double>(pair.at_ticks) - static_cast<double>(last.at_ticks);
      const double gain =
          static_cast<double>(pair.root_ticks_offset) - static_cast<double>(last.root_ticks_offset);
      // Time must go on, and no two counters differ more than this beyond what their stated rates say.
      if (span <= 0 || gain / span <= -0.99 ||
          std::abs(gain - slope_by_rates * span) >
              0.01 * span + pair.uncertainty_ticks + last.uncertainty_ticks) {
        diagnostics.add("clock-exchange-rejected");
        continue;
      }
    }
    exchanges_.push_back(pair);
  }
}

double TickMap::bend_ticks(std::size_t i) const {
  const std::size_t count = exchanges_.size() - 1;
  if (count < 2) return 0;
  const auto length = static_cast<double>(intervals_[i].to_ticks - intervals_[i].from_ticks);
  if (i == 0) return std::abs(intervals_[1].drift - intervals_[0].drift) * length;
  if (i + 1 == count) return std::abs(intervals_[i].drift - intervals_[i - 1].drift) * length;
  return std::abs(intervals_[i + 1].drift - intervals_[i - 1].drift) * length / 4;
}

void TickMap::find_intervals(double slope_by_rates, long double last_ticks) {
  for (std::size_t i = 0; i + 1 < exchanges_.size(); ++i) {
    const SpoolClockPair &a = exchanges_[i], &b = exchanges_[i + 1];
    const long double from = static_cast<long double>(a.at_ticks), to = static_cast<long double>(b.at_ticks);
    const auto gain =
        static_cast<long double>(b.root_ticks_offset) - static_cast<long double>(a.root_ticks_offset);
    intervals_.push_back({from, to, static_cast<long double>(a.root_ticks_offset),
                          static_cast<double>(gain / (to - from)), 0, a.deviation_ticks, false});
  }
  for (std::size_t i = 0; i < intervals_.size(); ++i)
    intervals_[i].uncertainty_ticks =
        std::max(exchanges_[i].uncertainty_ticks, exchanges_[i + 1].uncertainty_ticks) + bend_ticks(i);
  // The slope at an end is that of the interval there, unless its exchanges are too close to say.
  const auto slope_at = [&](std::size_t i, double& uncertainty) {
    uncertainty = crystal;
    if (intervals_.empty()) return slope_by_rates;
    const auto length = static_cast<double>(intervals_[i].to_ticks - intervals_[i].from_ticks);
    const double measured = (exchanges_[i].uncertainty_ticks + exchanges_[i + 1].uncertainty_ticks) / length;
    if (measured > crystal) return slope_by_rates;
    uncertainty = measured + bend_ticks(i) / length;
    return intervals_[i].drift;
  };
  double uncertain = 0;
  slope_before_ = slope_at(0, uncertain);
  const double slope = slope_at(intervals_.empty() ? 0 : intervals_.size() - 1, uncertain);
  const SpoolClockPair& last = exchanges_.back();
  const auto from = static_cast<long double>(last.at_ticks);
  const long double to = std::max(from, last_ticks);
  intervals_.push_back({from, to, static_cast<long double>(last.root_ticks_offset), slope,
                        last.uncertainty_ticks + static_cast<double>(to - from) * uncertain,
                        last.deviation_ticks, true});
}

double TickMap::uncertainty_ticks() const {
  double largest = 0;
  for (const ClockInterval& interval : intervals_) largest = std::max(largest, interval.uncertainty_ticks);
  return largest;
}

double TickMap::drift() const {
  if (exchanges_.size() < 2) return intervals_.empty() ? 0 : intervals_.back().drift;
  const ClockInterval &first = intervals_.front(), &last = intervals_.back();
  return static_cast<double>((last.offset_ticks - first.offset_ticks) / (last.from_ticks - first.from_ticks));
}

long double TickMap::root_ticks(std::uint64_t ticks) const {
  const auto own = static_cast<long double>(ticks);
  if (intervals_.empty()) return own;
  const auto after = std::upper_bound(
      intervals_.begin(), intervals_.end(), own,
      [](long double value, const ClockInterval& interval) { return value < interval.from_ticks; });
  const ClockInterval& in = after == intervals_.begin() ? *after : *(after - 1);
  return own + in.offset_ticks +
         (own - in.from_ticks) *
             static_cast<long double>(after == intervals_.begin() ? slope_before_ : in.drift);
}

std::vector<std::shared_ptr<const TickMap>> tick_maps(const std::vector<RankSpool>& spools,
                                                      const std::vector<std::uint64_t>& last_ticks,
                                                      double root_ticks_per_s, Diagnostics& diagnostics) {
  struct Counter {
    std::vector<SpoolClockPair> exchanges;
    double ticks_per_s = 0;
    long double last_ticks = 0;
    std::shared_ptr<const TickMap> map;
  };
  std::map<std::string, Counter> counters;
  // Of ranks that do not name theirs (or say nothing) the counter is their own.
  const auto name_of = [](const RankSpool& spool) {
    return spool.definitions.counter.empty() ? "rank " + std::to_string(spool.rank)
                                             : spool.definitions.counter;
  };
  for (std::size_t s = 0; s < spools.size(); ++s) {
    const RankSpool& spool = spools[s];
    Counter& counter = counters[name_of(spool)];
    const auto& clocks = spool.definitions.clocks;
    counter.exchanges.insert(counter.exchanges.end(), clocks.begin(), clocks.end());
    if (counter.ticks_per_s <= 0) counter.ticks_per_s = ticks_per_s(spool.definitions);
    if (!is_finalized(spool))
      counter.last_ticks = std::max(counter.last_ticks, static_cast<long double>(last_ticks[s]));
  }
  std::vector<std::shared_ptr<const TickMap>> maps;
  for (const RankSpool& spool : spools) {
    Counter& counter = counters[name_of(spool)];
    if (counter.map == nullptr)
      counter.map = std::make_shared<const TickMap>(std::move(counter.exchanges), counter.ticks_per_s,
                                                    root_ticks_per_s, counter.last_ticks, diagnostics);
    maps.push_back(counter.map);
  }
  return maps;
}

namespace {

nlohmann::json facts_of(const TickMap& map, double ticks_per_s, long double origin_ticks) {
  const auto seconds = [&](long double ticks) { return static_cast<double>(ticks) / ticks_per_s; };
  nlohmann::json intervals = nlohmann::json::array();
  std::int64_t took_ns = 0, cpu_ns = 0, during = 0;
  for (const SpoolClockPair& pair : map.exchanges()) {
    took_ns += pair.took_ns;
    cpu_ns += pair.cpu_ns;
    if (pair.took_ns > 0) ++during;
  }
  for (const ClockInterval& interval : map.intervals()) {
    if (interval.beyond && interval.to_ticks == interval.from_ticks) continue;
    const auto instant_s = [&](long double ticks) {
      return static_cast<double>(at_ns(
                 ticks + interval.offset_ticks +
                     (ticks - interval.from_ticks) * static_cast<long double>(interval.drift) - origin_ticks,
                 ticks_per_s)) *
             1e-9;
    };
    intervals.push_back({{"from_s", instant_s(interval.from_ticks)},
                         {"to_s", instant_s(interval.to_ticks)},
                         {"offset_s", seconds(interval.offset_ticks)},
                         {"drift", interval.drift},
                         {"uncertainty_s", seconds(interval.uncertainty_ticks)},
                         {"deviation_s", seconds(interval.deviation_ticks)},
                         {"beyond_exchanges", interval.beyond}});
  }
  const auto& first = map.intervals().front();
  return {{"offset_s", seconds(first.offset_ticks)},
          {"drift", map.drift()},
          {"uncertainty_s", seconds(map.uncertainty_ticks())},
          {"exchanges", map.exchanges().size()},
          {"exchanges_during_run", during},
          {"exchanging_s", static_cast<double>(took_ns) * 1e-9},
          {"exchanging_cpu_s", static_cast<double>(cpu_ns) * 1e-9},
          {"intervals", std::move(intervals)}};
}

}  // namespace

nlohmann::json clock_facts(const std::vector<std::shared_ptr<const TickMap>>& maps,
                           const std::vector<RankSpool>& spools, double ticks_per_s,
                           long double origin_ticks) {
  nlohmann::json hosts = nlohmann::json::array();  // against rank 0's
  std::set<const TickMap*> seen;
  bool same_clock = true;
  double uncertainty_s = 0;
  for (std::size_t s = 0; s < spools.size(); ++s) {
    const TickMap& map = *maps[s];
    same_clock = same_clock && map.same_clock();
    uncertainty_s = std::max(uncertainty_s, map.uncertainty_ticks() / ticks_per_s);
    if (map.intervals().empty() || !seen.insert(&map).second) continue;
    const auto& process = spools[s].definitions.process;
    nlohmann::json host = facts_of(map, ticks_per_s, origin_ticks);
    host["host"] = process ? process->host : "";
    hosts.push_back(std::move(host));
  }
  return {{"hosts", std::move(hosts)},
          {"ticks_per_s", ticks_per_s},
          {"same_clock", same_clock},
          {"uncertainty_s", uncertainty_s}};
}

}  // namespace ww::spool
