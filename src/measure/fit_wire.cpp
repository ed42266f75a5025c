#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "measure/fit.hpp"

namespace ww::measure {
namespace {

// Preamble and start 8, checksum 4, gap 12: on every Ethernet frame, seen by no counter (IEEE 802.3).
constexpr double uncounted_frame_bytes = 24;
constexpr double ethernet_header_bytes = 14;

struct Counted {
  double bytes, sent_bytes, sent_frames, received_bytes, received_frames;
};

std::vector<Counted> counted_messages(const Samples& samples, const std::string& between, double& mtu) {
  std::vector<Counted> out;
  for (const auto* record : samples.of_kind("wire-bytes", between)) {
    const auto number = [&](const char* key) { return (*record)[key].get<double>(); };
    const double messages = number("messages");
    mtu = std::max(mtu, number("mtu_bytes"));
    if (messages > 0 && number("sent_bytes") >= messages * number("bytes"))
      out.push_back({number("bytes"), number("sent_bytes") / messages, number("sent_frames") / messages,
                     number("received_bytes") / messages, number("received_frames") / messages});
  }
  std::sort(out.begin(), out.end(), [](const Counted& a, const Counted& b) { return a.bytes < b.bytes; });
  return out;
}

// The slope of T over `x` of the sizes from `from` to `to`: the median of the slopes of all pairs far enough
// apart (Theil 1950, Sen 1968), since of a long message there are few samples, and one of them disturbed
// makes a wrong point. Far enough: times that differ by a half, or, where none do, sizes that differ by half
// of the range. Interval: bootstrap over the sizes.
struct Slope {
  double value = 0, low = 0, high = 0;
  std::size_t points = 0;
};

double median_slope(const std::vector<stats::Point>& points) {
  std::vector<double> by_time, by_size;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const stats::Point& p : points) {
    least = std::min(least, p.x);
    most = std::max(most, p.x);
  }
  for (const stats::Point& a : points)
    for (const stats::Point& b : points) {
      if (b.x <= a.x) continue;
      const double slope = (b.y - a.y) / (b.x - a.x);
      if (b.y > 1.5 * a.y) by_time.push_back(slope);
      if (b.x - a.x >= (most - least) / 2) by_size.push_back(slope);
    }
  return stats::median(by_time.empty() ? by_size : by_time);
}

template <class X>
Slope slope_over(const std::vector<SizePoint>& points, double from, double to, const X& x) {
  std::vector<stats::Point> chosen;
  std::vector<double> deviations_s;
  for (const SizePoint& point : points)
    if (point.bytes >= from && point.bytes <= to) {
      chosen.push_back({x(point.bytes), point.quick_s, 1});
      deviations_s.push_back((point.range_s.high - point.range_s.low) / (2 * 1.96));
    }
  Slope slope;
  slope.points = chosen.size();
  slope.value = median_slope(chosen);
  // Which sizes there were, and what each of them may be off by its own samples, visits and launches. Of few
  // sizes the bootstrap's variance is (n - 1) / n too small and its quantiles are the normal ones.
  const auto count = static_cast<double>(chosen.size());
  const double widen =
      chosen.size() < 2 ? 1 : stats::student_975(chosen.size() - 1) / 1.96 * std::sqrt(count / (count - 1));
  std::vector<double> replicates, indexes(chosen.size());
  std::iota(indexes.begin(), indexes.end(), 0.0);
  stats::Resampler random(20260703);
  for (int round = 0; round < 200; ++round) {
    std::vector<stats::Point> replicate;
    for (const double index : random.resample(indexes)) {
      const auto i = static_cast<std::size_t>(index);
      replicate.push_back(chosen[i]);
      replicate.back().y += deviations_s[i] * random.normal();
    }
    if (const double value = median_slope(replicate); value != 0)
      replicates.push_back(slope.value + widen * (value - slope.value));
  }
  const stats::Range range = stats::percentile_range(replicates);
  slope.low = std::min(range.low, slope.value);
  slope.high = std::max(range.high, slope.value);
  return slope;
}

// Bytes beside the data over the number of frames. Other traffic only adds bytes: of the sizes that take as
// many frames the one with the fewest counts. Then the median of the slopes of all pairs (Theil 1950, Sen
// 1968).
stats::FittedLine robust_line(const std::vector<stats::Point>& points) {
  std::map<double, stats::Point> least;
  for (const stats::Point& p : points) {
    const auto [at, added] = least.emplace(std::round(p.x), p);
    if (!added && p.y < at->second.y) at->second = p;
  }
  std::vector<double> slopes, bases;
  for (const auto& [frames_a, a] : least)
    for (const auto& [frames_b, b] : least)
      if (frames_b > frames_a) slopes.push_back((b.y - a.y) / (b.x - a.x));
  const double slope = stats::median(slopes);
  for (const auto& [frames, p] : least) bases.push_back(p.y - slope * p.x);
  return {stats::median(bases), slope};
}

}  // namespace

std::optional<Wire> count_wire(const Samples& samples, const std::string& between,
                               std::optional<double> eager_threshold_bytes, std::vector<std::string>& flags) {
  double mtu = 0;
  const auto messages = counted_messages(samples, between, mtu);
  const double eager = eager_threshold_bytes.value_or(65536);
  // Eager: bytes = n + library's header + frames * header of a frame. Two unknowns, so two numbers of frames.
  std::vector<stats::Point> points;
  for (const Counted& one : messages)
    if (one.bytes <= std::min(eager, 8192.0))
      points.push_back({one.sent_frames, one.sent_bytes - one.bytes, 1});
  if (points.empty()) return std::nullopt;
  const auto [fewest, most] = std::minmax_element(points.begin(), points.end(),
                                                  [](const auto& a, const auto& b) { return a.x < b.x; });
  Wire wire;
  double header = 66;  // Ethernet 14, IPv4 20, TCP 20, its time stamps 12
  if (most->x >= fewest->x + 1) {
    const stats::FittedLine line = robust_line(points);
    header = std::round(line.slope);
    wire.message_overhead_bytes = std::max(0.0, std::round(line.base));
  } else {
    wire.message_overhead_bytes = std::max(0.0, std::round(points.front().y - header));
    flags.push_back(
        fmt::format("{}: messages of several frames were counted as one (offloading?); 66 bytes of headers "
                    "a frame are assumed",
                    between));
  }
  if (header < ethernet_header_bytes || header > 200) {
    flags.push_back(
        fmt::format("{}: the counters give {:g} bytes of headers a frame, which cannot be; the wire is not "
                    "told apart",
                    between, header));
    return std::nullopt;
  }
  if (mtu <= header - ethernet_header_bytes) return std::nullopt;
  wire.frame_payload_bytes = mtu - (header - ethernet_header_bytes);
  wire.frame_overhead_bytes = header + uncounted_frame_bytes;

  // Received beside the reply: acknowledgements without data.
  for (const Counted& one : messages)
    if (one.bytes <= eager && wire.frames(one.bytes) > 1 && one.received_frames > 1.5)
      wire.acknowledgement_frame_bytes = wire.frame_overhead_bytes;

  // Rendezvous: what both sides say beyond the data, seen just above the threshold.
  for (const Counted& one : messages) {
    if (!eager_threshold_bytes || one.bytes <= eager || one.bytes > 2 * eager) continue;
    const double more_sent =
        one.sent_bytes - header * one.sent_frames - one.bytes - wire.message_overhead_bytes;
    const double reply = 1 + wire.message_overhead_bytes;
    const double more_received = one.received_bytes - header * one.received_frames - reply;
    const double more_frames = std::max(1.0, std::round(one.sent_frames - wire.frames(one.bytes)));
    if (more_sent < 8 && more_received < 8) break;
    wire.handshake_frames = more_frames + (more_received >= 8 ? 1 : 0);
    wire.handshake_frame_bytes =
        std::round((std::max(0.0, more_sent) + std::max(0.0, more_received)) / wire.handshake_frames +
                   wire.frame_overhead_bytes);
    break;
  }
  return wire;
}

std::optional<Wire> time_wire(const Wire& counted, const std::vector<SizePoint>& points,
                              std::optional<double> eager_threshold_bytes, std::vector<std::string>& flags) {
  Wire wire = counted;
  const double one_frame = wire.frame_payload_bytes - wire.message_overhead_bytes;
  const double bulk = 8 * wire.frame_payload_bytes, largest = points.empty() ? 0 : points.back().bytes;
  const auto on_wire = [&](double n) { return wire.wire_bytes(n); };
  Slope many = slope_over(points, bulk, eager_threshold_bytes.value_or(largest), on_wire);
  if (eager_threshold_bytes) {
    // Beyond the threshold messages are longer, but of a slow wire there are few of them and each is measured once: the
    // surer slope counts. bandwidth=x10 leaves a tenth of it, and ten times what it is off by.
    const Slope beyond = slope_over(points, *eager_threshold_bytes + 1, largest, on_wire);
    if (beyond.points >= 3 && (many.points < 3 || beyond.high - beyond.low < many.high - many.low))
      many = beyond;
  }
  const Slope one = slope_over(points, 1, one_frame, [](double n) { return n; });
  if (many.points < 3 || one.points < 3 || !(many.value > 0)) {
    flags.push_back("inter: too few sizes to tell the wire from the software");
    return std::nullopt;
  }
  const double ratio = one.value / many.value;
  wire.seconds_per_byte = many.value;
  wire.seconds_per_byte_ci = {std::max(0.0, many.low), many.high};
  wire.stages = std::max(1.0, std::round(ratio));
  if (ratio < 0.5) {
    if (!(one.value > 0)) {
      flags.push_back("inter: messages of one frame take the same time whatever their size; no wire is seen");
      return std::nullopt;
    }
    wire.seconds_per_byte = one.value;
    wire.seconds_per_byte_ci = {std::max(0.0, one.low), one.high};
    flags.push_back(
        fmt::format("inter: a byte takes {:.3g} ns in messages of one frame and {:.3g} ns in long ones: "
                    "long ones are limited by software or by a token bucket, not by the wire",
                    one.value * 1e9, many.value * 1e9));
  } else if (std::fabs(ratio - wire.stages) > 0.15) {
    flags.push_back(fmt::format(
        "inter: messages of one frame show {:.2f} serialisations, which is no whole number", ratio));
  }
  return wire;
}

}  // namespace ww::measure
