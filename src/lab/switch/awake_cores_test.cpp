#include "lab/switch/awake_cores.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace ww::lab {
namespace {

// Of all who ask for one the lowest, in microseconds (Documentation/power/pm_qos_interface.rst: the device can be read).
std::int32_t asked_us() {
  std::int32_t latency_us = -1;
  const int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  if (read(fd, &latency_us, sizeof latency_us) != static_cast<ssize_t>(sizeof latency_us)) latency_us = -1;
  close(fd);
  return latency_us;
}

// Held from waking until nothing has come for ten seconds, and again with the next frame. That it is let go shows in `awake` alone:
// labs of other tests may hold the same.
TEST(AwakeCores, AreHeldWhileFramesCome) {
  if (const std::string why = AwakeCores::impossible(); !why.empty()) GTEST_SKIP() << why;
  constexpr std::int64_t second_ns = 1'000'000'000;
  AwakeCores cores;
  EXPECT_FALSE(cores.awake());
  cores.look(0, 0);
  EXPECT_FALSE(cores.awake()) << "no frame has come";
  cores.wake(1 * second_ns);
  EXPECT_TRUE(cores.awake());
  EXPECT_EQ(asked_us(), 0);
  cores.look(9 * second_ns, 0);
  EXPECT_TRUE(cores.awake());
  cores.look(10 * second_ns, 5);
  cores.look(19 * second_ns, 5);
  EXPECT_TRUE(cores.awake()) << "frames came nine seconds ago";
  cores.look(20 * second_ns, 5);
  EXPECT_FALSE(cores.awake());
  cores.look(21 * second_ns, 6);
  EXPECT_TRUE(cores.awake());
}

}  // namespace
}  // namespace ww::lab
