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
};

struct Verdict {
  std::string verdict;  // "computation-bound", "communication-bound", "logical-delay"; empty: one D only
  std::string because;
};
// Rules in verdict.cpp.
Verdict judge(const Evidence& evidence);

}  // namespace ww
