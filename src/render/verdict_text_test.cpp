// Expected: the shares and times that each piece of evidence has, in percent of the undilated run.
#include "render/verdict_text.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

bool has(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

std::vector<SpeedUp> curve_to(double factor, double value, double low, double high, IntervalOf interval) {
  return {{1, 1, 1, 1}, {factor, value, low, high, 3, interval}};
}

TEST(ShowVerdict, SaysFromWhatItWasFoundAndWhetherTheTraceAgrees) {
  const auto flat = curve_to(16, 1.05, 1.05, 1.05, IntervalOf::one_round);
  const Components one{19.9, 5.1, 73.5, 1.5, 70};
  const std::string agreed = because(judge({one, {19.9, 5.1, 73.5, 1.5, 73}, flat}));
  EXPECT_TRUE(has(agreed, "73.5% of the time is waiting (70.0%")) << agreed;
  EXPECT_TRUE(has(agreed, "the trace agrees")) << agreed;
  const std::string doubted = because(judge({one, {19.9, 5.1, 73.5, 1.5, 5}, flat}));
  EXPECT_TRUE(has(doubted, "The trace does not agree")) << doubted;
  EXPECT_EQ(because(judge({one, one, {}})), "");
}

TEST(ShowVerdict, SaysWhyThereIsNone) {
  const Components one{65, 1.5, 32.8, 0.7, 10}, four{40, 1.5, 10.4, 0.7, 5};
  const auto why = [&](double value, double low, double high) {
    return why_none(judge({one, four, curve_to(4, value, low, high, IntervalOf::student)}));
  };
  EXPECT_TRUE(has(why(1.9, 1.7, 2.1), "1.90 [1.70, 2.10] is more than any network gives"))
      << why(1.9, 1.7, 2.1);
  EXPECT_TRUE(has(why(1.9, 1.7, 2.1), "it would be 1.49; computation took 65.0 s at D = 1 and 40.0 s"));
  EXPECT_TRUE(has(why(1.9, 1.7, 2.1), "--virtual"));
  EXPECT_TRUE(has(why(1.9, 1.2, 2.1), "the rounds differ too much to tell"));
  EXPECT_TRUE(has(why(0.8, 0.7, 0.9), "no faster network makes a program slower"));
  EXPECT_TRUE(has(why(1.2, 1.01, 1.4), "the rounds differ too much to decide")) << why(1.2, 1.01, 1.4);
  EXPECT_EQ(why(1.3, 1.29, 1.31), "");
}

TEST(ShowFlattening, NamesWhatRemains) {
  EXPECT_TRUE(has(because(Flattening{6, {2.7, 0.7, 0.07, 0.2, 0.05}}), "the program's own work"));
  EXPECT_TRUE(has(because(Flattening{1, {1, 0.2, 8, 0.1, 7.5}}), "the algorithm's"));
  EXPECT_TRUE(has(because(Flattening{2, {1, 3, 0.5, 0.1, 0}}), "the software of messages, which"));
}

}  // namespace
}  // namespace ww
