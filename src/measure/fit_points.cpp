#include <algorithm>
#include <cmath>
#include <map>

#include "measure/fit.hpp"

namespace ww::measure {
namespace {

constexpr std::size_t enough_of_a_launch = 3;

double half_width(const stats::Range& range, double middle) {
  return std::max(range.high - middle, middle - range.low);
}

struct Merged {
  std::map<std::size_t, std::vector<double>> launches;
  std::vector<double> visit_medians;
};

SizePoint point_of(double bytes, const Merged& merged) {
  SizePoint point;
  point.bytes = bytes;
  point.launches.resize(merged.launches.rbegin()->first + 1);
  for (const auto& [launch, seconds] : merged.launches) {
    point.launches[launch] = seconds;
    point.seconds.insert(point.seconds.end(), seconds.begin(), seconds.end());
  }
  const auto interval = stats::median_interval(point.seconds);
  point.median_s = interval.median;
  std::vector<double> medians;
  for (const auto& seconds : point.launches)
    if (seconds.size() >= enough_of_a_launch) medians.push_back(stats::median(seconds));
  if (medians.size() >= fewest_launches) point.median_s = stats::median(medians);
  double half_s = half_width(interval.range, interval.median);
  if (interval.covered && merged.visit_medians.size() >= 3)
    half_s = std::max(half_s, stats::half_interval_of_mean(merged.visit_medians));
  if (medians.size() >= fewest_launches) half_s = std::max(half_s, stats::half_interval_of_mean(medians));
  point.range_s = {std::max(0.0, point.median_s - half_s), point.median_s + half_s};
  std::vector<double> sorted = point.seconds;
  std::sort(sorted.begin(), sorted.end());
  point.typical_s = interval.covered ? point.median_s : sorted.front();
  sorted.resize((sorted.size() + 1) / 2);
  point.quick_s = stats::median(sorted);
  return point;
}

std::vector<SizePoint> points_of(const std::vector<const nlohmann::json*>& records) {
  std::map<double, Merged> sizes;
  for (const auto* record : records) {
    Merged& merged = sizes[(*record)["bytes"].get<double>()];
    const auto seconds = (*record)["one_way_s"].get<std::vector<double>>();
    auto& launch = merged.launches[record->value("launch", std::size_t{0})];
    launch.insert(launch.end(), seconds.begin(), seconds.end());
    std::size_t first = 0;
    for (const std::size_t count : record->value("visits", std::vector<std::size_t>{})) {
      if (count == 0 || first + count > seconds.size()) break;
      const auto begin = seconds.begin() + static_cast<std::ptrdiff_t>(first);
      merged.visit_medians.push_back(stats::median({begin, begin + static_cast<std::ptrdiff_t>(count)}));
      first += count;
    }
  }
  std::vector<SizePoint> points;
  for (const auto& [bytes, merged] : sizes)
    if (SizePoint point = point_of(bytes, merged); point.median_s > 0) points.push_back(std::move(point));
  return points;
}

}  // namespace

std::vector<double> launch_effects_s(const SizePoint& point) {
  std::vector<double> effects;
  for (const auto& seconds : point.launches)
    if (seconds.size() >= enough_of_a_launch) effects.push_back(stats::median(seconds) - point.median_s);
  return effects.size() >= fewest_launches ? effects : std::vector<double>{};
}

std::vector<SizePoint> ping_pong_points(const Samples& samples, const std::string& between, bool check) {
  auto records = samples.of_kind("pingpong", between);
  std::erase_if(records, [&](const auto* record) { return record->value("check", false) != check; });
  return points_of(records);
}

std::vector<SizePoint> sweep_points(const Samples& samples, const std::string& between) {
  return points_of(samples.of_kind("sweep", between));
}

}  // namespace ww::measure
