#pragma once
#include "machine/model.hpp"

namespace ww {

// Switch::avoid_up_to_bytes of a jump above `bytes`: the largest size above whose bytes cost more each than
// those of `bytes` do, in one stretch from it on; 0: none. Where the stretch does not end within the curve,
// the curve's last size.
double avoid_up_to(const Curve& curve, double bytes);

}  // namespace ww
