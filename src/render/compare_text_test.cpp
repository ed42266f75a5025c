// Expected: what each comparison is made of.
#include "render/compare_text.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

TEST(ShowComparison, SaysWhatMoreRanksGave) {
  Comparison comparison;
  comparison.speed_up = 2.5;
  comparison.efficiency = 1.25;
  EXPECT_NE(show(comparison, "a", "b").find("speed-up 2.500 (A / B), 125.0% of what the ranks could give"),
            std::string::npos);
}

TEST(ShowComparison, OfRunsWithoutTimeHasNoSpeedUp) {
  EXPECT_EQ(show(compare(Breakdown{}, Breakdown{}), "a", "b").find("speed-up"), std::string::npos);
}

}  // namespace
}  // namespace ww
