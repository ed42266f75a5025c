// Calls of several threads as rows of their rank, as the archive's reader has them: the row is the last thread's that entered a call, and
// goes back to one that is still inside (but for rows of no length, which messages make there).
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <map>

namespace ww {

// One that no other call of its thread is around.
struct OuterCall {
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::uint16_t region = 0;  // index into Trace::regions
};
using TakeCall = std::function<void(const OuterCall&)>;

class ThreadRows {
 public:
  explicit ThreadRows(const TakeCall& take) : take_(take) {}

  // In the order of entering.
  void add(std::size_t thread, const OuterCall& call) {
    leave_before(call.enter_ns, thread);
    give(call.enter_ns);
    open_.emplace(thread, call);
    begin(thread, call.enter_ns);
  }
  void finish() { leave_before(std::numeric_limits<std::int64_t>::max(), nobody); }

 private:
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();

  // Of those that are open what is left by then, one after the other; of the thread itself in any case.
  void leave_before(std::int64_t ns, std::size_t thread) {
    for (;;) {
      auto first = open_.end();
      for (auto at = open_.begin(); at != open_.end(); ++at)
        if (first == open_.end() || at->second.leave_ns < first->second.leave_ns) first = at;
      if (first == open_.end()) return;
      const std::int64_t left_ns = first->second.leave_ns;
      const bool before = left_ns < ns || (left_ns == ns && first->first <= thread);
      if (!before && !open_.contains(thread)) return;
      if (!before) first = open_.find(thread);
      if (owner_ == first->first) give(left_ns);
      open_.erase(first);
      if (owner_ == nobody && !open_.empty()) begin(open_.begin()->first, left_ns);
    }
  }
  void begin(std::size_t thread, std::int64_t ns) {
    owner_ = thread;
    from_ns_ = ns;
  }
  void give(std::int64_t to_ns) {
    if (owner_ != nobody && to_ns > from_ns_) take_({from_ns_, to_ns, open_.at(owner_).region});
    owner_ = nobody;
  }

  const TakeCall& take_;
  std::map<std::size_t, OuterCall> open_;  // by thread
  std::size_t owner_ = nobody;
  std::int64_t from_ns_ = 0;
};

}  // namespace ww
