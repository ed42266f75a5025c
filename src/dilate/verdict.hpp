// What the speed-up curve says about the program (S3, section 3.4), and whether its trace agrees.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "dilate/curve.hpp"

namespace ww {

// What the verdict is found from.
struct Evidence {
  Components undilated;  // at D = 1
  Components largest;    // at the largest D, normalised
  std::vector<SpeedUp> speedup;
  // No network gives more: D = 1 over what of it is not waiting (and not software that becomes faster too),
  // the most of the rounds. 0: found from `undilated`, whose software stays.
  double most_possible = 0;
};

// Why there is none though there are several D.
enum class Doubt : std::uint8_t {
  nothing,
  too_quick,  // a speed-up that no network gives
  slower,     // no network makes a program slower
  undecided   // rounds on both sides of the rule
};
enum class Remark : std::uint8_t { nothing, rest_is_the_algorithms, trace_agrees, trace_disagrees };

struct Verdict {
  std::string verdict;  // "computation-bound", "communication-bound", "logical-delay"; empty: one D, or doubt
  Doubt doubt = Doubt::nothing;
  bool rounds_differ = false;          // so much that what cannot be may be none
  double came_low = 0, came_high = 0;  // of undecided: of the best that a network could bring
  Remark remark = Remark::nothing;
  Evidence evidence;  // with `most_possible`
  SpeedUp last;       // at the largest D; at 1 there is nothing to judge
  double best = 0;    // what of the time a network as fast as that could take away
};
// Rules in verdict.cpp.
Verdict judge(const Evidence& evidence);

}  // namespace ww
