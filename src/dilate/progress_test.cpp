#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dilate/dilation_plan.hpp"

namespace ww {
namespace {

Dilation rounds_of(const std::vector<double>& calls_s, const std::vector<double>& probes_s) {
  Dilation dilation;
  for (std::size_t i = 0; i < calls_s.size(); ++i) {
    const int round = static_cast<int>(i) + 1;
    dilation.runs.push_back({1, false, 1, 1, round, {}, {}});
    dilation.runs.push_back({4, false, 4 * calls_s[i], calls_s[i], round, {}, {}});
    dilation.runs.push_back({4, true, 4 * probes_s[i], probes_s[i], round, {}, {}});
  }
  compare_progress(dilation, {1, 4});
  return dilation;
}

bool says_so(const Dilation& dilation) {
  const auto& all = dilation.diagnostics.all();
  return std::any_of(all.begin(), all.end(),
                     [](const Diagnostic& one) { return one.name == "progress-matters"; });
}

// Quotients of pairs 0.80, 0.81, 0.82: the median, and Student's interval holds it well below 1. The rounds'
// own times differ by much more, which pairs do not see.
TEST(Progress, IsTakenFromPairsOfARound) {
  const Dilation dilation = rounds_of({1.0, 2.0, 3.0}, {0.80, 1.62, 2.46});
  ASSERT_EQ(dilation.progress.size(), 1u) << "none at D = 1";
  const ProgressEffect& effect = dilation.progress.front();
  EXPECT_EQ(effect.factor, 4);
  EXPECT_NEAR(effect.value, 0.81, 1e-12);
  // ln: -0.2231, -0.2107, -0.1985, deviation 0.01235; t(2) / sqrt(3) = 2.484: a half of 0.0307
  EXPECT_NEAR(effect.low, 0.81 * 0.9698, 1e-3);
  EXPECT_NEAR(effect.high, 0.81 * 1.0312, 1e-3);
  EXPECT_TRUE(says_so(dilation));
}

TEST(Progress, IsNotSaidOfNoise) {
  EXPECT_FALSE(says_so(rounds_of({1, 1, 1}, {0.75, 0.92, 0.98}))) << "all below 1, and nothing told apart";
  EXPECT_FALSE(says_so(rounds_of({1, 1, 1}, {0.985, 0.986, 0.987}))) << "told apart, and nothing worth it";
  EXPECT_FALSE(says_so(rounds_of({1}, {0.5}))) << "one round has no interval";
}

}  // namespace
}  // namespace ww
