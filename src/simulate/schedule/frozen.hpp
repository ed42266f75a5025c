// Who goes on when, where nothing decides it but what is known: each rank does its operations in its order, up
// to the first that needs something of another rank, and goes on when it is woken. The order of ranks among
// each other changes no time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cancellation.hpp"
#include "base/result.hpp"

namespace ww::schedule {

template <class Rank>  // with `waits_for`: the number of what it lacks, or `nothing`
class FrozenOrder {
 public:
  static constexpr std::uint32_t nothing = 0xffffffffu;

  explicit FrozenOrder(std::size_t ranks) : ranks_(ranks) {}
  std::size_t size() const { return ranks_.size(); }
  Rank& operator[](std::size_t rank) { return ranks_[rank]; }
  const Rank& operator[](std::size_t rank) const { return ranks_[rank]; }

  void wake(std::uint32_t rank) { woken_.push_back(rank); }
  // ... if this is what it lacks.
  void wake(std::uint32_t rank, std::uint32_t what) {
    if (ranks_[rank].waits_for != what) return;
    ranks_[rank].waits_for = nothing;
    wake(rank);
  }

  // Calls go_on(rank) until nobody is woken any more; whether all are at their ends is for the caller to see.
  template <class GoOn>
  Result<void> run(const GoOn& go_on, const Cancellation* cancellation = nullptr) {
    if (cancellation != nullptr && cancellation->requested()) return cancelled();
    constexpr std::uint64_t asks_every = 1024;
    std::uint64_t went_on = 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      go_on(rank);
      while (!woken_.empty()) {
        const std::uint32_t next = woken_.back();
        woken_.pop_back();
        go_on(next);
        if (++went_on % asks_every == 0 && cancellation != nullptr && cancellation->requested())
          return cancelled();
      }
    }
    return {};
  }

 private:
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> woken_;
};

}  // namespace ww::schedule
