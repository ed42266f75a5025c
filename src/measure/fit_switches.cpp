#include <algorithm>
#include <cmath>

#include "machine/avoid.hpp"
#include "measure/fit.hpp"

namespace ww::measure {
namespace {

constexpr double worth_saying = 0.02;  // of the time below the switch

const SizePoint* last_up_to(const std::vector<SizePoint>& points, double bytes) {
  const SizePoint* found = nullptr;
  for (const SizePoint& point : points)
    if (point.bytes <= bytes) found = &point;
  return found;
}

const SizePoint* first_above(const std::vector<SizePoint>& points, double bytes) {
  for (const SizePoint& point : points)
    if (point.bytes > bytes) return &point;
  return nullptr;
}

// A frame more matters where the last message of one frame meets the first of two: the second frame has its
// own headers, and where frames are stored and forwarded the first one is no longer alone on its way.
std::string cause_of(const Link& link, double bytes) {
  if (link.eager_threshold_bytes && bytes == *link.eager_threshold_bytes)
    return "eager below, rendezvous above: the sender waits for the receiver";
  if (link.wire && link.wire->frames(bytes) < link.wire->frames(bytes + 1)) return "a frame more on the wire";
  return "the library or the kernel goes another way";
}

}  // namespace

std::vector<Switch> find_switches(const Link& link, const std::vector<SizePoint>& points) {
  std::vector<Switch> switches;
  const auto& segments = link.one_way.segments;
  for (std::size_t i = 0; i + 1 < segments.size(); ++i) {
    const double at = std::floor(segments[i].to_bytes);
    const SizePoint *below = last_up_to(points, at), *above = first_above(points, at);
    if (at < 1 || below == nullptr || above == nullptr) continue;
    Switch found;
    found.bytes = at;
    found.low_bytes = below->bytes;
    found.high_bytes = above->bytes;
    found.jump_s = link.one_way.at(at + 1) - link.one_way.at(at);
    found.relative = found.jump_s / std::max(link.one_way.at(at), 1e-12);
    // What the line of one side says at the measured size of the other is off by as much as those sizes vary.
    const double doubt_s =
        (below->range_s.high - below->range_s.low + above->range_s.high - above->range_s.low) / 2;
    if (std::fabs(found.relative) < worth_saying || std::fabs(found.jump_s) < doubt_s) continue;
    found.cause = cause_of(link, at);
    if (found.jump_s > 0) found.avoid_up_to_bytes = avoid_up_to(link.one_way, at);
    switches.push_back(std::move(found));
  }
  return switches;
}

}  // namespace ww::measure
