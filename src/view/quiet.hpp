// Lets what takes the processors for long wait while pictures are asked for.
#pragma once
#include <atomic>
#include <chrono>
#include <thread>

namespace ww::view {

class Quiet {
 public:
  void asked() { last_ = Clock::now().time_since_epoch().count(); }
  // Until none has been asked for during `rest`, at most `most`; or `ending`.
  void wait(const std::atomic<bool>& ending) const {
    const Clock::time_point until = Clock::now() + most;
    while (!ending && Clock::now() < until && Clock::now() - Clock::time_point(Clock::duration(last_)) < rest)
      std::this_thread::sleep_for(look_every);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds rest{400}, most{3000}, look_every{20};
  std::atomic<Clock::rep> last_ = 0;
};

}  // namespace ww::view
