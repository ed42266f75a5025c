#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dilate/dilate.hpp"

namespace ww {

double least_factor(const WhatIf& what_if) {
  return std::max({1.0, what_if.compute, what_if.bandwidth, 1 / what_if.latency, 1 / what_if.software});
}

Result<std::string> injection(const MachineModel& real, const MachineModel& target, Place place,
                              double factor, double extra_software_s) {
  const Link* now = real.link(place);
  const Link* then = target.link(place);
  if (now == nullptr || then == nullptr) return std::string();
  std::set<double> starts{0};
  for (const Link* link : {now, then})
    for (const Segment& segment : link->one_way.segments) starts.insert(segment.from_bytes);

  // Within a piece both curves are lines; a jump of the curve lies between pieces.
  std::string text;
  for (const double from : starts) {
    const Segment& a = now->one_way.segment_at(from);
    const Segment& b = then->one_way.segment_at(from);
    const double per_byte = factor * b.seconds_per_byte - a.seconds_per_byte;
    const double base = factor * b.base_s - a.base_s + (factor - 1) * extra_software_s;
    const double here = base + per_byte * from;
    const double least_tolerated = -0.05 * now->one_way.at(from);  // what the fit itself may be wrong by
    if (here < least_tolerated)
      return wrong_usage(fmt::format("D = {:g} is too small for this what-if", factor),
                         fmt::format("a message of {:.0f} bytes", from),
                         "choose a larger D, or leave it to whatwire");
    text += fmt::format("{}{:.0f}:{:.9g}:{:.9g}", text.empty() ? "" : ",", from, base, per_byte);
  }
  return text;
}

}  // namespace ww
