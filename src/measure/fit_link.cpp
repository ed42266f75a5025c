#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.hpp"
#include "machine/what_if.hpp"
#include "measure/fit.hpp"
#include "measure/fit_lines.hpp"

namespace ww::measure {
namespace {

// The fit is judged by the relative error it would have on a wire this much faster: that is what it is used
// for.
constexpr double faster_wire = 10;
constexpr double disturbed = 2;       // standard deviations (of the middle half) above the line
constexpr double bulk_bytes = 65000;  // long messages, where no eager threshold is known
constexpr double many_frames = 4;

// A reply to several frames may queue behind their acknowledgement. How long depends on whether their number
// is even (Linux acknowledges every second frame) and on how much software runs before the reply: so it is
// read from the times, as what a point's rest exceeds that of single frames by, up to the whole frame. Gives
// that of every point, and makes the wire's acknowledgement bytes the usual one.
std::vector<double> fit_acknowledgement(Link& link, const std::vector<SizePoint>& points) {
  std::vector<double> waits_s(points.size(), 0);
  if (!link.wire || link.wire->acknowledgement_frame_bytes == 0) return waits_s;
  Wire without = *link.wire;
  without.acknowledgement_frame_bytes = 0;
  const double frame_s = link.wire->seconds_per_byte * link.wire->acknowledgement_frame_bytes;
  const auto rest_s = [&](const SizePoint& point) {
    return point.typical_s - without.serialisation_s(point.bytes, link.rendezvous(point.bytes));
  };
  std::vector<double> single_s, eager_s;
  for (const SizePoint& point : points)
    if (without.frames(point.bytes) == 1) single_s.push_back(rest_s(point));
  if (single_s.empty()) return waits_s;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (without.frames(points[i].bytes) == 1) continue;
    waits_s[i] = std::clamp(rest_s(points[i]) - stats::median(single_s), 0.0, frame_s);
    if (!link.rendezvous(points[i].bytes)) eager_s.push_back(waits_s[i]);
  }
  link.wire->acknowledgement_frame_bytes = std::round(stats::median(eager_s) / link.wire->seconds_per_byte);
  return waits_s;
}

// Sizes at which the machine was disturbed lie above the line of their neighbours: they count less in a
// second fit.
Curve fit_undisturbed(const std::vector<SizePoint>& points, const std::vector<double>& values_s,
                      std::vector<double> weights, const stats::SegmentOptions& options) {
  Curve curve = fit_curve(points, values_s, weights, options);
  for (int round = 0; round < 2; ++round) {
    std::vector<double> above, distances;
    for (std::size_t i = 0; i < points.size(); ++i) {
      above.push_back((values_s[i] - curve.at(points[i].bytes)) * std::sqrt(weights[i]));
      distances.push_back(std::fabs(above.back()));
    }
    const double usual = std::max(options.noise, disturbed * 1.48 * stats::median(distances));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (above[i] > usual) weights[i] *= usual / above[i] * (usual / above[i]);
    curve = round == 0 ? fit_curve(points, values_s, weights, options)
                       : fit_curve_with_intervals(points, values_s, weights, options);
  }
  return curve;
}

}  // namespace

void fit_one_way(Link& link, const std::vector<SizePoint>& points, std::vector<std::string>& flags) {
  const auto serialisation_s = [&](double n) {
    return link.wire ? link.wire->serialisation_s(n, link.rendezvous(n)) : 0.0;
  };
  const auto acknowledged_s = fit_acknowledgement(link, points);
  std::vector<double> rest_s, weights, noise;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SizePoint& point = points[i];
    const double serialisation = serialisation_s(point.bytes);
    const bool may_queue = link.wire && link.wire->frames(point.bytes) > 1;
    const double allowed_s =
        may_queue ? link.wire->seconds_per_byte * link.wire->acknowledgement_frame_bytes : 0;
    const double rest = point.typical_s - (serialisation - allowed_s) - acknowledged_s[i];
    const double scale = std::max(rest, 0.0) + serialisation / faster_wire;
    rest_s.push_back(rest);
    weights.push_back(1 / (scale * scale));
    noise.push_back((point.range_s.high - point.range_s.low) / 4 / scale);
  }
  stats::SegmentOptions options;
  options.most_segments = 4;
  options.noise = std::clamp(stats::median(noise), 0.003, 0.05);
  if (link.eager_threshold_bytes) options.expected_breaks.push_back(*link.eager_threshold_bytes);
  if (link.wire)
    options.expected_breaks.push_back(link.wire->frame_payload_bytes - link.wire->message_overhead_bytes);
  const Curve rest = fit_undisturbed(points, rest_s, weights, options);
  link.one_way = link.wire ? add_serialisation(rest, *link.wire, link.eager_threshold_bytes, 1) : rest;
  // Few and noisy points may be met best by lines of which one gives a time below nothing.
  while (options.most_segments > 1 && !never_negative(link.one_way)) {
    --options.most_segments;
    const Curve fewer = fit_undisturbed(points, rest_s, weights, options);
    link.one_way = link.wire ? add_serialisation(fewer, *link.wire, link.eager_threshold_bytes, 1) : fewer;
  }

  link.latency_s = points.front().median_s;
  link.latency_ci_s = {points.front().range_s.low, points.front().range_s.high};
  double sum = 0;
  for (const SizePoint& point : points) {
    const double error = std::fabs(link.one_way.at(point.bytes) / point.median_s - 1);
    sum += error;
    link.pingpong_fit_error.max = std::max(link.pingpong_fit_error.max, error);
    link.points.push_back(
        {point.bytes, point.median_s, point.range_s.low, point.range_s.high, point.seconds.size()});
  }
  link.pingpong_fit_error.mean = sum / static_cast<double>(points.size());

  for (const Segment& segment : link.one_way.segments) {
    const std::string where = fmt::format("{}: from {} to {}", to_string(link.between),
                                          show_bytes(segment.from_bytes), show_bytes(segment.to_bytes));
    if (segment.seconds_per_byte < 0)
      flags.push_back(fmt::format("{} the fitted time falls with size, which cannot be", where));
    if (&segment == &link.one_way.segments.front() && segment.base_s < 0)
      flags.push_back(fmt::format("{} the fitted base is negative, which cannot be", where));
  }
}

namespace {

struct Efficiencies {
  std::vector<double> values, lows, highs;

  double median() const { return stats::median(values); }
  // The sizes differ more than the exchanges of one size do. More than 1 would say that a second direction
  // helps the first.
  Interval interval() const {
    return {std::min({1.0, stats::median(lows), stats::quantile(values, 0.25)}),
            std::max({std::min(1.0, median()), stats::median(highs), stats::quantile(values, 0.75)})};
  }
};

void add_exchange(Efficiencies& all, const std::vector<double>& seconds, double alone_s,
                  stats::Resampler& random) {
  // The mean: exchanges follow each other at once, and what one gains by the other's lateness the next one
  // loses.
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  if (!(mean(seconds) > 0)) return;
  std::vector<double> replicates;
  for (int round = 0; round < 200; ++round)
    replicates.push_back(alone_s / std::max(1e-12, mean(random.resample(seconds))));
  const stats::Range range = stats::percentile_range(replicates);
  all.values.push_back(alone_s / mean(seconds));
  all.lows.push_back(range.low);
  all.highs.push_back(range.high);
}

// Exchanges of one size that take one of two times, as where large messages go both at once or one after the other by who
// came first: how many, sorted, are of the quick kind. All, if there is one kind.
std::size_t quick_ones(const std::vector<double>& sorted) {
  constexpr double apart = 1.25, least_share = 0.1;
  constexpr std::size_t enough = 6;
  if (sorted.size() < enough) return sorted.size();
  std::size_t split = 1;
  for (std::size_t i = 2; i < sorted.size(); ++i)
    if (sorted[i] / sorted[i - 1] > sorted[split] / sorted[split - 1]) split = i;
  const auto few = static_cast<std::size_t>(least_share * static_cast<double>(sorted.size())) + 1;
  return sorted[split] > apart * sorted[split - 1] && split >= few && sorted.size() - split >= few
             ? split
             : sorted.size();
}

// A port's part of a message's time alone is what the other direction makes longer.
TwoWay point_of(const Link& link, double bytes, const std::vector<double>& seconds,
                stats::Resampler& random) {
  const double alone_s = link.one_way.at(bytes), port_s = link.wire->port_busy_s(bytes);
  const auto efficiency = [&](const std::vector<double>& of) {
    const double mean_s = std::accumulate(of.begin(), of.end(), 0.0) / static_cast<double>(of.size());
    return std::clamp(port_s / std::max(port_s, mean_s - alone_s + port_s), 0.01, 1.0);
  };
  std::vector<double> replicates;
  for (int round = 0; round < 200; ++round) replicates.push_back(efficiency(random.resample(seconds)));
  const stats::Range range = stats::percentile_range(replicates);
  return {bytes, efficiency(seconds), {range.low, range.high}};
}

}  // namespace

void fit_two_way(Link& link, const Samples& samples, std::vector<std::string>& flags) {
  if (!link.wire) return;
  Efficiencies bulk, eager;
  stats::Resampler random(20260704);
  for (const auto* record : samples.of_kind("two-way", to_string(link.between))) {
    const double bytes = (*record)["bytes"].get<double>();
    const bool handshake = link.eager_threshold_bytes ? link.rendezvous(bytes) : bytes >= bulk_bytes;
    // of a few frames the ends' own software decides, not the wire
    if (!handshake && bytes < many_frames * link.wire->frame_payload_bytes) continue;
    auto seconds = (*record)["exchange_s"].get<std::vector<double>>();
    if (seconds.empty()) continue;
    add_exchange(handshake ? bulk : eager, seconds, link.one_way.at(bytes), random);
    std::sort(seconds.begin(), seconds.end());
    const std::size_t quick = quick_ones(seconds);
    if (quick < seconds.size()) {
      flags.push_back(fmt::format(
          "{}: exchanges of {} take {} or {} ({} of {}): the wire has two speeds, by how the two directions "
          "meet; "
          "intervals of predictions hold both",
          to_string(link.between), show_bytes(bytes), show_time(seconds[quick / 2]),
          show_time(seconds[quick + (seconds.size() - quick) / 2]), seconds.size() - quick, seconds.size()));
      seconds.resize(quick);  // the simulation has the other kind by itself
    }
    link.wire->two_way.push_back(point_of(link, bytes, seconds, random));
  }
  std::sort(link.wire->two_way.begin(), link.wire->two_way.end(),
            [](const TwoWay& a, const TwoWay& b) { return a.bytes < b.bytes; });
  if (!eager.values.empty()) {
    link.wire->two_way_efficiency_eager = std::min(1.0, eager.median());
    link.wire->two_way_efficiency_eager_ci = eager.interval();
  }
  if (bulk.values.empty()) {
    flags.push_back(
        "inter: both directions at once were not measured with long messages; taken as independent");
    return;
  }
  link.wire->two_way_efficiency = std::min(1.0, bulk.median());
  link.wire->two_way_efficiency_ci = bulk.interval();
  if (bulk.median() > 1.05)
    flags.push_back(
        fmt::format("inter: both directions at once ran {:.0f}% faster than one alone, which cannot be",
                    (bulk.median() - 1) * 100));
}

}  // namespace ww::measure
