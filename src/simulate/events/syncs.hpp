// Collectives that are replayed as one (Sync): when all members have entered, and how long they take from then on.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

class Syncs {
 public:
  Syncs(const Program& program, const ReplayCosts& costs)
      : program_(program), costs_(costs), states_(program.syncs.size()) {}

  // Of those that enter last at the same time the highest rank is the one that is waited for.
  void enter(std::uint32_t sync, std::int32_t rank, double entered_s) {
    State& state = states_[sync];
    if (++state.entered == 1 || std::pair(entered_s, rank) > std::pair(state.last_s, state.last_rank)) {
      state.last_s = entered_s;
      state.last_rank = rank;
    }
  }
  // Whether some of it is done only when the members are inside the library again (SyncTime::rest_s); a member is.
  bool goes_on(std::uint32_t sync) const { return costs_.sync(sync).rest_s > 0; }
  void inside_again(std::uint32_t sync, double now_s) {
    ++states_[sync].inside_again;
    states_[sync].inside_s = std::max(states_[sync].inside_s, now_s);
  }
  bool end_is_known(std::uint32_t sync) const {
    const std::uint32_t members = program_.syncs[sync].members;
    return states_[sync].entered == members && (!goes_on(sync) || states_[sync].inside_again == members);
  }
  double end_s(std::uint32_t sync) const {
    const double over_s = states_[sync].last_s + costs_.sync(sync).seconds;
    return goes_on(sync) ? std::max(over_s, states_[sync].inside_s + costs_.sync(sync).rest_s) : over_s;
  }
  double last_s(std::uint32_t sync) const { return states_[sync].last_s; }
  std::int32_t last_rank(std::uint32_t sync) const { return states_[sync].last_rank; }

  void await(std::uint32_t sync, std::int32_t rank) { states_[sync].waiting.push_back(rank); }
  // Who waits for an end that is known now.
  std::vector<std::int32_t> released(std::uint32_t sync) {
    if (states_[sync].waiting.empty() || !end_is_known(sync)) return {};
    return std::exchange(states_[sync].waiting, {});
  }

 private:
  struct State {
    std::uint32_t entered = 0;
    std::int32_t last_rank = 0;  // that entered, and when
    double last_s = 0;
    std::uint32_t inside_again =
        0;  // members, since they entered, and when the last of them was; where that counts
    double inside_s = 0;
    std::vector<std::int32_t> waiting;
  };
  const Program& program_;
  const ReplayCosts& costs_;
  std::vector<State> states_;
};

}  // namespace ww::simulate
