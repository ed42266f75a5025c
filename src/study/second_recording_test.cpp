// Which second recording a study takes; expected by the rule that the header states.
#include "study/second_recording.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ww {
namespace {

Prediction with_doubt(double doubt_s, double half_width_s, double predicted_s = 10) {
  Prediction out;
  out.predicted_s = predicted_s;
  out.predicted_low_s = predicted_s - half_width_s;
  out.predicted_high_s = predicted_s + half_width_s;
  out.computation_doubt_s = doubt_s;
  return out;
}

lab::SwitchWire wire(double mb_per_s) {
  lab::SwitchWire out;
  out.rate_bytes_per_s = mb_per_s * 1e6 / 8;
  return out;
}

OtherNetwork chosen(const std::vector<std::string>& specs, const lab::SwitchWire& of, std::size_t ranks = 2) {
  std::vector<WhatIf> what_ifs;
  for (const std::string& spec : specs) what_ifs.push_back(*parse_what_if(spec));
  return other_network(what_ifs, std::vector<Prediction>(specs.size(), with_doubt(1, 1.2)), of, ranks, 2);
}

TEST(SecondRecording, IsTakenWhereComputationIsMostOfTheDoubt) {
  EXPECT_TRUE(is_computation_in_doubt(with_doubt(1, 1.2)));
  EXPECT_FALSE(is_computation_in_doubt(with_doubt(1, 4.5))) << "less than a quarter of the interval";
  EXPECT_FALSE(is_computation_in_doubt(with_doubt(0.05, 0.05))) << "half a percent of the time";
  Prediction without = with_doubt(1, 1);
  without.has_interval = false;
  EXPECT_FALSE(is_computation_in_doubt(without));
}

TEST(SecondRecording, IsOnAWireBeyondTheOneAskedForButNotTooQuickForALab) {
  EXPECT_NEAR(chosen({"bandwidth=x10"}, wire(10)).rate_factor, std::pow(10, 1.5), 1e-9);
  // 100 Mb/s times 31.6 is beyond 1 Gb/s
  EXPECT_NEAR(chosen({"bandwidth=x10"}, wire(100)).rate_factor, std::sqrt(10.0), 1e-9);
  EXPECT_NEAR(chosen({"bandwidth=x0.1"}, wire(100)).rate_factor, std::sqrt(0.1), 1e-9);
}

TEST(SecondRecording, IsNeverAtARateThatIsAskedFor) {
  // 8 is 4 to the power of 1.5 and asked for too: a fourth less
  EXPECT_NEAR(chosen({"bandwidth=x4", "bandwidth=x8"}, wire(10)).rate_factor, 8 / 1.25, 1e-9);
}

TEST(SecondRecording, IsInSharedMemoryWhereNoRateIsAskedFor) {
  EXPECT_TRUE(chosen({"latency=x0.1"}, wire(10)).shared_memory);
  lab::SwitchWire bus = wire(10);
  bus.kind = lab::WireKind::bus;
  EXPECT_TRUE(chosen({"bandwidth=x10"}, bus).shared_memory);
  const OtherNetwork crowded = chosen({"latency=x0.1"}, wire(10), 4);
  EXPECT_FALSE(crowded.shared_memory);
  EXPECT_FALSE(crowded.why_not.empty());
}

}  // namespace
}  // namespace ww
