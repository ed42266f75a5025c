// What the speed-up curve says about the program (S3, section 3.4), and whether its trace agrees.
#pragma once
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

struct Verdict {
  std::string verdict;  // "computation-bound", "communication-bound", "logical-delay"; empty: one D only
  std::string because;
  std::string withheld;  // why there is none though there are several D; what to do
};
// Rules in verdict.cpp.
Verdict judge(const Evidence& evidence);

}  // namespace ww
