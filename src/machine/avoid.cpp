#include "machine/avoid.hpp"

#include <algorithm>
#include <cmath>

namespace ww {

double avoid_up_to(const Curve& curve, double bytes) {
  const double each_s = curve.at(bytes) / bytes;
  for (const Segment& segment : curve.segments) {
    const double from = std::floor(std::max(segment.from_bytes, bytes)) + 1;
    if (segment.to_bytes < from) continue;
    if (segment.base_s + segment.seconds_per_byte * from <= each_s * from)
      return from - 1 > bytes ? from - 1 : 0;
    if (each_s <= segment.seconds_per_byte) continue;
    // base + slope n = each n
    const double meets = segment.base_s / (each_s - segment.seconds_per_byte);
    if (meets <= segment.to_bytes) return std::ceil(meets) - 1;
  }
  return curve.segments.back().to_bytes;
}

}  // namespace ww
