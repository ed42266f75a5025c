// A value that is worked out when it is first asked for, by whoever asks first; others wait for it.
#pragma once
#include <memory>
#include <mutex>

#include "base/result.hpp"

namespace ww::view {

template <class T>
class Lazy {
 public:
  using Value = Result<std::shared_ptr<const T>>;

  // make(): Value. An error is not kept: what was not there may come.
  template <class Make>
  Value get(Make make) {
    {
      const std::lock_guard lock(known_mutex_);
      if (known_) return known_;
    }
    const std::lock_guard making(mutex_);
    if (auto known = if_known()) return known;
    Value value = make();
    if (value) {
      const std::lock_guard lock(known_mutex_);
      known_ = *value;
    }
    return value;
  }
  // If it is that one: the next who asks makes another.
  void forget(const std::shared_ptr<const T>& which) {
    const std::lock_guard lock(known_mutex_);
    if (known_ == which) known_ = nullptr;
  }
  // Never waits; nothing: not known yet.
  std::shared_ptr<const T> if_known() const {
    const std::lock_guard lock(known_mutex_);
    return known_;
  }

 private:
  std::mutex mutex_;
  mutable std::mutex known_mutex_;
  std::shared_ptr<const T> known_;
};

}  // namespace ww::view
