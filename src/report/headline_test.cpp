// The rules of headline.hpp, on studies whose quotients are worked out here.
#include "report/headline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

using Json = nlohmann::json;

Json time(double s) {
  return {{"s", s}, {"low", 0.9 * s}, {"high", 1.1 * s}};
}

Json study_of(double recorded_s, double replayed_s, double predicted_s) {
  return {{"recorded_s", recorded_s},
          {"recorded_runs_s", {recorded_s * 0.99, recorded_s, recorded_s * 1.01}},
          {"what_ifs",
           {{{"spec", "bandwidth=x10"},
             {"simulated", time(predicted_s)},
             {"prediction", {{"recorded_s", recorded_s}, {"replayed_s", replayed_s}}}}}}};
}

Json headline(const Json& study) {
  return headline_of(study, study["what_ifs"][0]);
}

// first-use.md, W1: cg.S.2 was 16.7 ms, replayed 16.4, "1.17x" where the replay gains 1.02 (to 16.1 ms).
TEST(Headline, GainIsAgainstTheReplay) {
  const Json told = headline(study_of(0.0167, 0.0164, 0.0161));
  EXPECT_EQ(told["by"], "simulation");
  EXPECT_NEAR(told["gain"].get<double>(), 0.0164 / 0.0161, 1e-12);
  EXPECT_NEAR(told["gain_low"].get<double>(), 0.0164 / (1.1 * 0.0161), 1e-12);
  EXPECT_NEAR(told["gain_high"].get<double>(), 0.0164 / (0.9 * 0.0161), 1e-12);
  EXPECT_NEAR(told["self_check"].get<double>(), 0.0164 / 0.0167 - 1, 1e-12);
  EXPECT_NE(
      told["sentence"].get<std::string>().find("16.7 ms (replayed 16.4 ms) would take 16.1 ms [14.5 ms, "
                                               "17.7 ms]: 1.02 times as fast"),
      std::string::npos)
      << told["sentence"];
}

// bt.S.4 on 2 cores: "18.30x" with a self-check of -94%.
TEST(Headline, IsWithheldWhereTheReplayIsFarOff) {
  const Json told = headline(study_of(1.0, 0.06, 0.0546));
  EXPECT_TRUE(told["by"].is_null());
  EXPECT_TRUE(told["gain"].is_null());
  EXPECT_NEAR(told["low"].get<double>(), 0.9 * 0.0546, 1e-12) << "the interval shows all the same";
  EXPECT_NE(told["because"].get<std::string>().find("(-94%)"), std::string::npos);
  EXPECT_EQ(headline(study_of(1.0, 0.91, 0.5))["by"], "simulation");
  EXPECT_TRUE(headline(study_of(1.0, 1.11, 0.5))["by"].is_null());
}

TEST(Headline, IsTakenOverByTheVirtualClock) {
  Json study = study_of(1.0, 0.06, 0.0546);
  study["what_ifs"][0]["virtual"] = time(0.05);
  Json told = headline(study);
  EXPECT_EQ(told["by"], "virtual clock");
  EXPECT_DOUBLE_EQ(told["s"].get<double>(), 0.05);
  EXPECT_TRUE(told["gain"].is_null()) << "a recorded time is no baseline of a virtual one";
  study["virtual_today"] = time(0.06);
  told = headline(study);
  EXPECT_NEAR(told["gain"].get<double>(), 1.2, 1e-12);
  EXPECT_NE(told["sentence"].get<std::string>().find("simulation does not lead"), std::string::npos);
  study["what_ifs"][0]["virtual_runs_s"] = {0.04, 0.05, 0.06};
  EXPECT_TRUE(headline(study)["by"].is_null()) << "its own runs differ";
}

TEST(Headline, IsWithheldWhereLikeRunsDiffer) {
  Json study = study_of(1.0, 1.0, 0.5);
  study["recorded_runs_s"] = {0.9, 1.0, 1.2};
  const Json told = headline(study);
  EXPECT_TRUE(told["by"].is_null());
  EXPECT_NE(told["because"].get<std::string>().find("like runs took 900 ms to 1.20 s"), std::string::npos)
      << told["because"];
  EXPECT_TRUE(why_no_verdict(study));
  EXPECT_FALSE(why_no_verdict(study_of(1.0, 1.0, 0.5)));
  EXPECT_TRUE(why_no_verdict(study_of(1.0, 0.8, 0.5)));
}

TEST(Headline, ARealRunLeadsUnlessRunsDiffer) {
  Json study = study_of(1.0, 0.8, 0.5);
  study["what_ifs"][0]["real"] = time(0.4);
  study["what_ifs"][0]["real_runs_s"] = {0.4, 0.4, 0.41};
  EXPECT_EQ(headline(study)["by"], "real run");
  EXPECT_NEAR(headline(study)["gain"].get<double>(), 2.5, 1e-12);
  study["what_ifs"][0]["real_runs_s"] = {0.3, 0.4, 0.41};
  EXPECT_TRUE(headline(study)["by"].is_null());
}

TEST(Headline, ComesIntoStudiesThatHaveNone) {
  Json study = study_of(1.0, 1.0, 0.5);
  add_headlines(study);
  EXPECT_EQ(study["what_ifs"][0]["headline"]["by"], "simulation");
  study["what_ifs"][0]["headline"]["by"] = "kept";
  add_headlines(study);
  EXPECT_EQ(study["what_ifs"][0]["headline"]["by"], "kept");
}

}  // namespace
}  // namespace ww
