#include "view/quiet.hpp"

#include <gtest/gtest.h>

namespace ww::view {
namespace {

// quiet.hpp: 400 ms after the last picture was asked for, at most 3 s.
TEST(Quiet, WaitsWhilePicturesAreAskedFor) {
  using std::chrono::milliseconds;
  const auto begin = std::chrono::steady_clock::now();
  const auto since = [&] { return std::chrono::steady_clock::now() - begin; };
  const std::atomic<bool> going_on = false, ending = true;
  Quiet quiet;
  quiet.asked();
  quiet.wait(ending);  // whoever closes a trace does not wait
  std::thread asking([&] {
    std::this_thread::sleep_for(milliseconds(200));
    quiet.asked();
  });
  quiet.wait(going_on);
  EXPECT_GE(since(), milliseconds(600));
  asking.join();
}

}  // namespace
}  // namespace ww::view
