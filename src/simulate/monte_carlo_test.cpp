// Spreads over drawn machines. Expectations: the quantiles of the normal distribution, through times that are
// linear in the one number that is drawn.
#include "simulate/monte_carlo.hpp"

#include <gtest/gtest.h>

#include "machine/presets.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/schedule/goal.hpp"

namespace ww::simulate {
namespace {

schedule::Schedule one_message() {
  const auto parsed = schedule::parse_goal(
      "num_ranks 2\nrank 0 {\nl1: send 1b to 1 tag 1\n}\nrank 1 {\nl1: recv 1b from 0 tag 1\n}\n", "test");
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return *parsed;
}

// One message of a byte takes what one_way says: 100 us, of which 95% lie from 90 to 120 us, each side by itself: the
// deviations are 5.1 and 10.2 us. The standard error of a 2.5% quantile of 4000 draws is 0.042 of them, of the median
// 0.020; less than four of those are allowed.
TEST(MonteCarlo, GivesTheIntervalOfWhatIsDrawnBack) {
  LinearMachine machine;
  machine.per_byte_s = 0;
  MachineModel model = machine.model();
  model.links[0].one_way.segments[0].base_ci_s = {90e-6, 120e-6};
  const auto spread = monte_carlo(one_message(), model, {}, 4000, 2);
  ASSERT_TRUE(spread) << to_string(spread.error());
  EXPECT_EQ(spread->draws, 4000u);
  EXPECT_NEAR(spread->median_s, 100e-6, 0.5e-6);
  EXPECT_NEAR(spread->low_s, 90e-6, 0.8e-6);
  EXPECT_NEAR(spread->high_s, 120e-6, 1.6e-6);
  const auto again = monte_carlo(one_message(), model, {}, 4000, 1);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->low_s, spread->low_s) << "threads change nothing";
  const auto halved = monte_carlo(one_message(), model, *parse_what_if("latency=x0.5"), 4000, 1);
  ASSERT_TRUE(halved);
  EXPECT_NEAR(halved->high_s, spread->high_s / 2, 1e-9) << "the same draws, half of each";
}

TEST(MonteCarlo, RefusesModelsWithoutIntervals) {
  EXPECT_FALSE(monte_carlo(one_message(), LinearMachine().model(), {}, 10, 1));
  const auto preset = monte_carlo(one_message(), *find_preset("loggops-default"), {}, 10, 1);
  ASSERT_FALSE(preset);
  EXPECT_NE(to_string(preset.error()).find("LogGOPS"), std::string::npos);
}

}  // namespace
}  // namespace ww::simulate
