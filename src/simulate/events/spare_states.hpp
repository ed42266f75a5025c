// States of messages in the memory of an earlier replay. Of a program that is replayed again and again the first touch of each page
// of new memory is a large part of a replay: 3.5 us on a virtual machine, for a hundred messages.
#pragma once
#include <mutex>
#include <utility>
#include <vector>

namespace ww::simulate {

template <class State>
class Spare {
 public:
  // As if new.
  static std::vector<State> take(std::size_t count) {
    std::vector<State> states;
    {
      const std::lock_guard lock(all().mutex);
      if (!all().spare.empty()) {
        states = std::move(all().spare.back());
        all().spare.pop_back();
      }
    }
    states.assign(count, State());
    return states;
  }
  static void give(std::vector<State>&& states) {
    if (states.capacity() == 0 || states.capacity() > most_bytes / sizeof(State)) return;
    const std::lock_guard lock(all().mutex);
    if (all().spare.size() < most) all().spare.push_back(std::move(states));
  }

 private:
  static constexpr std::size_t most = 4, most_bytes = std::size_t{32} << 20;  // each
  struct All {
    std::mutex mutex;
    std::vector<std::vector<State>> spare;
  };
  static All& all() {
    static All all;
    return all;
  }
};

}  // namespace ww::simulate
