// A wish that work which takes long ends early, given from another thread or by a signal. Whoever works asks
// now and then, begins nothing new, and fails with cancelled().
#pragma once
#include <atomic>

#include "base/result.hpp"

namespace ww {

class Cancellation {
 public:
  // `also`: asked beside, interruption::requested for example.
  explicit Cancellation(bool (*also)() = nullptr) : also_(also) {}
  void cancel() { wished_.store(true, std::memory_order_relaxed); }
  bool requested() const { return wished_.load(std::memory_order_relaxed) || (also_ != nullptr && also_()); }

 private:
  std::atomic<bool> wished_ = false;
  bool (*also_)();
};

inline tl::unexpected<Error> cancelled() {
  return fail("cancelled before its end");
}

}  // namespace ww
