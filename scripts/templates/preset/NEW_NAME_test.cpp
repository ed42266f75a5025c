// What the source quotes; that it is a valid model of its name is held of all presets (presets_test.cpp).
#include <gtest/gtest.h>

#include "machine/presets.hpp"

namespace ww {
namespace {

TEST(NewName, HasTheLatencyAndTheRateOfItsSource) {
  const auto model = find_preset("NEW-NAME");
  ASSERT_TRUE(model);
  const Link& link = *model->link(Place::inter);
  EXPECT_NEAR(link.latency_s, 10e-6, 0.5e-6);
  // the growth from 1 to 4 MiB, which is 95% of ten gigabits
  EXPECT_NEAR(3145728 / (link.one_way.at(4194304) - link.one_way.at(1048576)), 10e9 / 8 * 0.95,
              10e9 / 8 * 0.1);
}

}  // namespace
}  // namespace ww
