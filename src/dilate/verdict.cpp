// What the speed-up curve says about the program (S3, section 3.4).
//
// With a share c of the time in communication, a network D times faster can at best give 1 / (1 - c (1 -
// 1/D)). computation-bound: c is below 10%, or even that best is below 5%: nothing to gain. logical-delay:
// there is much communication, but less than half of the possible gain came true: the waiting is in
//   the algorithm, not in the network. communication-bound: at least half of it came true.
#include <fmt/format.h>

#include <algorithm>

#include "dilate/dilate.hpp"

namespace ww {

Verdict judge(double communication_share, double algorithmic_share, const std::vector<SpeedUp>& speedup) {
  if (speedup.empty()) return {};
  const SpeedUp& last = *std::max_element(
      speedup.begin(), speedup.end(), [](const SpeedUp& a, const SpeedUp& b) { return a.factor < b.factor; });
  if (last.factor <= 1) return {};
  const double possible = 1 / (1 - communication_share * (1 - 1 / last.factor));
  const std::string numbers = fmt::format(
      "{:.0f}% of the time is communication ({:.0f}% waiting for a partner that had not begun), and a "
      "network "
      "{:g} times faster gives a speed-up of {:.2f} where {:.2f} is possible",
      100 * communication_share, 100 * algorithmic_share, last.factor, last.value, possible);
  if (communication_share < 0.10 || possible < 1.05) return {"computation-bound", numbers};
  if (last.value - 1 < 0.5 * (possible - 1)) return {"logical-delay", numbers};
  return {"communication-bound", numbers};
}

}  // namespace ww
