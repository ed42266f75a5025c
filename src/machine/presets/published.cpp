#include "machine/presets/published.hpp"

#include <algorithm>
#include <cmath>

#include "machine/avoid.hpp"
#include "machine/what_if.hpp"
#include "stats/segmented.hpp"

namespace ww::published {
namespace {

constexpr double us = 1e-6;

Segment segment_of(const stats::FittedSegment& fitted, double widest) {
  const auto around = [&](double value) {
    return Interval{value - std::fabs(value) * widest, value + std::fabs(value) * widest};
  };
  return {fitted.from,
          fitted.to,
          fitted.line.base * us,
          fitted.line.slope * us,
          around(fitted.line.base * us),
          around(fitted.line.slope * us)};
}

Switch switch_at(const Curve& curve, const Break& known) {
  const auto after = std::find_if(curve.segments.begin(), curve.segments.end(), [&](const Segment& segment) {
    return segment.from_bytes == known.below_bytes;
  });
  Switch out;
  if (after == curve.segments.end()) return out;
  const double before_s = curve.at(known.below_bytes);
  out.bytes = out.low_bytes = known.below_bytes;
  out.high_bytes = known.above_bytes;
  out.jump_s = after->base_s + after->seconds_per_byte * known.below_bytes - before_s;
  out.relative = out.jump_s / before_s;
  out.avoid_up_to_bytes = out.jump_s > 0 ? avoid_up_to(curve, known.below_bytes) : 0;
  out.cause = known.cause;
  return out;
}

}  // namespace

Link link_of(const std::vector<Row>& table, const std::vector<Break>& breaks) {
  stats::SegmentOptions options;
  options.most_segments = 7;
  options.least_points = 2;  // between two jumps there are often no more
  options.noise = 0.01;      // such tables have two or three digits
  for (const Break& known : breaks) options.expected_breaks.push_back(known.below_bytes);
  std::vector<stats::Point> points;
  for (const Row& row : table)
    if (row.fitted) points.push_back({row.bytes, row.us, 1 / (row.us * row.us)});
  Link link;
  link.between = Place::inter;
  for (const stats::FittedSegment& fitted : stats::fit_segments(points, options)) {
    double widest = 0;
    for (std::size_t i = fitted.first; i < fitted.first + fitted.count; ++i)
      widest = std::max(widest, std::fabs(fitted.line.at(points[i].x) / points[i].y - 1));
    link.one_way.segments.push_back(segment_of(fitted, widest));
  }
  link.one_way.segments.front().from_bytes = 0;
  for (const Row& row : table) {
    const double s = row.us * us, off = std::fabs(link.one_way.at(row.bytes) / s - 1);
    link.points.push_back({row.bytes, s, s, s, 1});
    if (!row.fitted) continue;
    link.pingpong_fit_error.mean += off / static_cast<double>(points.size());
    link.pingpong_fit_error.max = std::max(link.pingpong_fit_error.max, off);
  }
  for (const Break& known : breaks)
    if (const Switch found = switch_at(link.one_way, known); found.bytes > 0) link.switches.push_back(found);
  link.latency_s = link.one_way.at(1);
  link.latency_ci_s = {link.latency_s, link.latency_s};
  return link;
}

void extend(Link& link, double to_bytes, double bytes_per_s) {
  const double from = link.one_way.segments.back().to_bytes, slope = 1 / bytes_per_s;
  const double base = link.one_way.at(from) - slope * from;
  link.one_way.segments.push_back({from, to_bytes, base, slope, {base, base}, {slope, slope}});
}

Wire wire(double seconds_per_byte, double frame_payload_bytes, double frame_overhead_bytes) {
  Wire out;
  out.seconds_per_byte = seconds_per_byte;
  out.seconds_per_byte_ci = {seconds_per_byte, seconds_per_byte};
  out.frame_payload_bytes = frame_payload_bytes;
  out.frame_overhead_bytes = frame_overhead_bytes;
  return out;
}

Wire ethernet(double bits_per_s) {
  return wire(8 / bits_per_s, 1500 - 20 - 20 - 12, 20 + 20 + 12 + 14 + 4 + 8 + 12);
}

MachineModel with_wire(const MachineModel& model, const std::string& name, double factor) {
  WhatIf faster;
  faster.bandwidth = factor;
  MachineModel out = apply(model, faster);
  out.name = name;
  for (Link& link : out.links) link.pingpong_fit_error = {};  // nothing was measured
  return out;
}

}  // namespace ww::published
