// The messages whose last byte a piece of a stream has, in order: one, mostly, which takes no allocation.
#pragma once
#include <cstdint>
#include <vector>

namespace ww::simulate {

class EndedMessages {
 public:
  EndedMessages() = default;
  explicit EndedMessages(std::uint32_t message) : first_(message) {}
  bool empty() const { return first_ == nobody; }
  void push_back(std::uint32_t message) {
    if (first_ == nobody)
      first_ = message;
    else
      more_.push_back(message);
  }
  template <class Take>
  void for_each(Take take) const {
    if (first_ == nobody) return;
    take(first_);
    for (const std::uint32_t message : more_) take(message);
  }

 private:
  static constexpr std::uint32_t nobody = 0xffffffffu;
  std::uint32_t first_ = nobody;
  std::vector<std::uint32_t> more_;
};

}  // namespace ww::simulate
