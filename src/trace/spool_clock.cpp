#include "trace/spool_clock.hpp"

#include <algorithm>
#include <cmath>

namespace ww::spool {

double ticks_per_s(const RankDefinitions& definitions) {
  if (!definitions.process) return 0;
  const Process& process = *definitions.process;
  std::int64_t ticks = process.ticks, monotonic_ns = process.monotonic_ns;
  for (const ClockPair& pair : definitions.clocks)
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

TickMap::TickMap(const RankDefinitions& definitions, double root_ticks_per_s, Diagnostics& diagnostics) {
  std::vector<ClockPair> pairs = definitions.clocks;
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ClockPair& a, const ClockPair& b) { return a.ticks < b.ticks; });
  for (const ClockPair& pair : pairs) same_clock_ = same_clock_ && pair.same_clock;
  if (pairs.empty() || same_clock_) return;
  const double own = ticks_per_s(definitions);
  long double slope_by_rates = 0;
  if (own > 0 && root_ticks_per_s > 0 && std::abs(root_ticks_per_s / own - 1) > 1e-3)
    slope_by_rates = static_cast<long double>(root_ticks_per_s) / own - 1;
  for (const ClockPair& pair : pairs) {
    const Point point{static_cast<long double>(pair.ticks), static_cast<long double>(pair.root_ticks_offset)};
    if (!points_.empty()) {
      const long double span = point.ticks - points_.back().ticks;
      const long double slope = span > 0 ? (point.offset - points_.back().offset) / span : -1;
      // Time must go on, and no two counters differ more than this beyond what their stated rates say.
      if (slope <= -0.99L || std::abs(slope - slope_by_rates) > 0.01L) {
        diagnostics.add(
            "clock-exchange-rejected", Severity::warning,
            "an exchange of clocks contradicts the one before it and was not used; times between hosts are "
            "less certain");
        continue;
      }
      slopes_.push_back(slope);
    }
    points_.push_back(point);
    uncertainty_ticks_ = std::max(uncertainty_ticks_, pair.uncertainty_ticks);
  }
  slopes_.push_back(slopes_.empty() ? slope_by_rates : slopes_.back());
}

long double TickMap::drift() const {
  if (points_.size() < 2) return slopes_.empty() ? 0 : slopes_.back();
  return (points_.back().offset - points_.front().offset) / (points_.back().ticks - points_.front().ticks);
}

long double TickMap::root_ticks(std::uint64_t ticks) const {
  const auto own = static_cast<long double>(ticks);
  if (points_.empty()) return own;
  auto after = std::upper_bound(points_.begin(), points_.end(), own,
                                [](long double value, const Point& point) { return value < point.ticks; });
  const auto index = after == points_.begin() ? 0 : static_cast<std::size_t>(after - points_.begin() - 1);
  return own + points_[index].offset + (own - points_[index].ticks) * slopes_[index];
}

}  // namespace ww::spool
