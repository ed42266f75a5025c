#include "simulate/doubt_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

using simulate::DoubtSum;

// By hand: 3 and 4 make 5, what is held is as wide as it is.
TEST(DoubtSum, AddsInSquaresAndHoldsWhatAnotherRunMayDo) {
  DoubtSum sum;
  sum.add("wire", -3);
  sum.add("computation", 4, 2);
  sum.add("wire", 1);
  EXPECT_DOUBLE_EQ(sum.below_s(), 5);
  EXPECT_DOUBLE_EQ(sum.above_s(), std::sqrt(5.0));
  sum.hold("order", 9);
  EXPECT_DOUBLE_EQ(sum.below_s(), 5);
  EXPECT_DOUBLE_EQ(sum.above_s(), 9);
  sum.hold("mode", -4, 3, 2);  // 4 less, and from there 3 less or 2 more
  EXPECT_DOUBLE_EQ(sum.below_s(), 7);
  EXPECT_DOUBLE_EQ(sum.above_s(), 9);
}

TEST(DoubtSum, TellsItsSourcesByWidth) {
  DoubtSum sum;
  sum.add("a", 1);
  sum.add("nothing", 0);
  sum.add("b", -4);
  sum.add("b", 3);
  sum.hold("c", -2, 5, 5);  // by itself
  const std::vector<SourceOfDoubt> all = sum.by_width();
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].source, "b");
  EXPECT_EQ(all[0].below_s, 4);
  EXPECT_EQ(all[0].above_s, 3);
  EXPECT_EQ(all[1].source, "c");
  EXPECT_EQ(all[2].source, "a");
  EXPECT_EQ(to_json(all)[1], nlohmann::json({{"source", "c"}, {"below_s", 2.0}, {"above_s", 0.0}}));
}

// Of 100 s; what is less than a third of the widest is not worth a word.
TEST(DoubtSum, SaysTheWidest) {
  DoubtSum sum;
  sum.add("computation", 6);
  sum.add("the wire", 2, 1);
  sum.add("the rest", 1.9);
  EXPECT_EQ(in_words(sum.by_width(), 100), "6% (computation), 2% (the wire)");
  EXPECT_EQ(in_words({}, 100), "");
  EXPECT_EQ(in_words(sum.by_width(), 0), "");
}

}  // namespace
}  // namespace ww
