#include <gtest/gtest.h>

#include "dilate/dilate.hpp"

namespace ww {
namespace {

MachineModel model_of(double base_s, double seconds_per_byte) {
  MachineModel model;
  Link link;
  link.one_way.segments = {{0, 1e9, base_s, seconds_per_byte, {}, {}}};
  model.links = {link};
  return model;
}

// By the algebra of dilation: real time D T'(n) = T(n) + x(n), so with T = 100 us + 1 us n and T' = 100 us +
// 0.1 us n at D = 10, x(n) = 900 us + 0 n.
TEST(Injection, KeepsTheLatencyWhenOnlyTheBandwidthGrows) {
  const auto text = injection(model_of(100e-6, 1e-6), model_of(100e-6, 0.1e-6), Place::inter, 10, 0);
  ASSERT_TRUE(text);
  double from = -1, base_s = -1, per_byte = -1;
  ASSERT_EQ(std::sscanf(text->c_str(), "%lf:%lf:%lf", &from, &base_s, &per_byte), 3);
  EXPECT_EQ(from, 0);
  EXPECT_NEAR(base_s, 900e-6, 1e-12);
  EXPECT_NEAR(per_byte, 0, 1e-15);
}

TEST(Injection, SoftwareOfTheApplicationIsHeldBackToo) {
  const auto text = injection(model_of(100e-6, 1e-6), model_of(100e-6, 0.1e-6), Place::inter, 10, 5e-6);
  double from = -1, base_s = -1, per_byte = -1;
  ASSERT_EQ(std::sscanf(text->c_str(), "%lf:%lf:%lf", &from, &base_s, &per_byte), 3);
  EXPECT_NEAR(base_s, 945e-6, 1e-12);
}

TEST(Injection, SaysWhenDIsTooSmall) {
  const auto text = injection(model_of(100e-6, 1e-6), model_of(10e-6, 1e-6), Place::inter, 5, 0);
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().what.find("too small"), std::string::npos);
}

TEST(Injection, NothingForALinkThatTheModelDoesNotHave) {
  EXPECT_EQ(*injection(model_of(1e-4, 1e-6), model_of(1e-4, 1e-6), Place::intra, 2, 0), "");
}

TEST(Injection, TheLeastDIsTheLargestRatio) {
  EXPECT_EQ(least_factor(*parse_what_if("bandwidth=x10,latency=x0.5")), 10);
  EXPECT_EQ(least_factor(*parse_what_if("latency=x0.05")), 20);
  EXPECT_EQ(least_factor(*parse_what_if("bandwidth=x0.1")), 1) << "a slower network needs no stretching";
}

}  // namespace
}  // namespace ww
