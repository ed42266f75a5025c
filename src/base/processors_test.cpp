#include "base/processors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ww {
namespace {

// The fields of proc(5): user nice system idle iowait irq softirq steal guest guest_nice.
TEST(Processors, ReadsTheSumOverAllProcessors) {
  const auto times =
      parse_processor_times("cpu  100 20 30 4000 50 6 7 800 11 12\ncpu0 1 1 1 1 1 1 1 1 1 1\n");
  ASSERT_TRUE(times);
  const auto hertz = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_DOUBLE_EQ(times->busy_s, (100 + 20 + 30 + 6 + 7) / hertz);
  EXPECT_DOUBLE_EQ(times->idle_s, 4050 / hertz);
  EXPECT_DOUBLE_EQ(times->stolen_s, 800 / hertz);
}

TEST(Processors, RefusesWhatIsNone) {
  for (const char* bad : {"", "cpu", "cpu  1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu a b c d e f g h"})
    EXPECT_FALSE(parse_processor_times(bad)) << bad;
}

TEST(Processors, ThisMachinesGoOn) {
  const auto before = processor_times();
  ASSERT_TRUE(before);
  usleep(50'000);
  const auto after = processor_times();
  ASSERT_TRUE(after);
  EXPECT_GT(after->busy_s + after->idle_s + after->stolen_s,
            before->busy_s + before->idle_s + before->stolen_s);
}

}  // namespace
}  // namespace ww
