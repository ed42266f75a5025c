#include "render/study_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

using Json = nlohmann::json;

Json study(double replayed_s) {
  return {{"name", "cg"},
          {"recorded_s", 2.0},
          {"recorded_runs_s", {1.99, 2.0, 2.01}},
          {"what_ifs",
           {{{"spec", "bandwidth=x10"},
             {"simulated", {{"s", 0.5}, {"low", 0.4}, {"high", 0.6}}},
             {"dilated", nullptr},
             {"virtual", nullptr},
             {"real", nullptr},
             {"agree", false},
             {"prediction", {{"recorded_s", 2.0}, {"replayed_s", replayed_s}}}}}}};
}

// 1.9 / 0.5 = 3.8, not 2 / 0.5 = 4: what is replayed too quickly is no gain. Both times are printed.
TEST(AgreementTable, ShowsTheReplayAndTheGainAgainstIt) {
  const std::string text = agreement_table({study(1.9)});
  EXPECT_NE(text.find("replayed"), std::string::npos);
  EXPECT_NE(text.find("1.90 s"), std::string::npos);
  EXPECT_NE(text.find("3.8x"), std::string::npos) << text;
  EXPECT_EQ(text.find("4x"), std::string::npos) << text;
  EXPECT_NE(text.find("cg, bandwidth=x10: 2.00 s (replayed 1.90 s) would take 500 ms [400 ms, 600 ms]"),
            std::string::npos)
      << text;
}

TEST(AgreementTable, WithholdsWhatTheSelfCheckDoesNotCarry) {
  const std::string text = agreement_table({study(0.12)});
  EXPECT_NE(text.find("withheld"), std::string::npos) << text;
  EXPECT_NE(text.find("no figure can be relied upon"), std::string::npos) << text;
  EXPECT_NE(text.find("500 ms [400, 600]"), std::string::npos) << "the interval shows all the same: " << text;
}

}  // namespace
}  // namespace ww
