#include "lab/timeliness.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww::lab {
namespace {

nlohmann::json status_of(int frames, int late) {
  return {{"switch",
           {{"frames", frames},
            {"late_frames", late},
            {"late_us", {{"covered", 300.0}}},
            {"waited_s", 1.5},
            {"stolen_s", 0.25}}}};
}

// One frame in a hundred is the bound that the header states.
TEST(Timeliness, SaysThatMoreThanOneFrameInAHundredWasLate) {
  EXPECT_TRUE(timeliness(status_of(1000, 10)).all().empty());
  const Diagnostics said = timeliness(status_of(1000, 11));
  ASSERT_TRUE(said.has("lab-late"));
  EXPECT_EQ(said.all()[0].count, 11u);
  EXPECT_NE(said.all()[0].remedy.find("1.1% of the frames"), std::string::npos) << said.all()[0].remedy;
  EXPECT_NE(said.all()[0].remedy.find("(300 us)"), std::string::npos);
  EXPECT_NE(said.all()[0].remedy.find("1.5 s"), std::string::npos);
}

TEST(Timeliness, CountsWhatCameSince) {
  EXPECT_TRUE(timeliness(status_of(2000, 500), status_of(1000, 500)).all().empty());
  EXPECT_EQ(timeliness(status_of(2000, 500), status_of(1000, 0)).all().at(0).count, 500u);
}

TEST(Timeliness, SaysNothingOfFewFramesAndOfOtherWires) {
  EXPECT_TRUE(timeliness(status_of(50, 50)).all().empty());
  EXPECT_TRUE(timeliness({{"switch", {{"pid", 1}}}}).all().empty());
  EXPECT_TRUE(timeliness(nullptr).all().empty());
}

}  // namespace
}  // namespace ww::lab
