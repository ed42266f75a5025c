// Regions that the program marked, of one thread, as they are begun and ended.
#pragma once
#include <algorithm>
#include <vector>

#include "trace/spool_decode.hpp"

namespace ww::spool {

// The regions of one thread, put right where they were not ended as they were begun.
class OpenRegions {
 public:
  void begin(std::uint32_t name) { open_.push_back(name); }

  // Ends the innermost of that name, and before it those begun within it, whose own ends then mean nothing.
  void end(std::uint32_t name, const auto& ended, Damage& damage) {
    const auto found = std::find(open_.rbegin(), open_.rend(), name);
    if (found == open_.rend()) {
      const auto early = std::find(ended_early_.begin(), ended_early_.end(), name);
      if (early == ended_early_.end())
        ++damage.regions_not_open;
      else
        ended_early_.erase(early);
      return;
    }
    while (open_.back() != name) {
      ++damage.regions_out_of_order;
      if (ended_early_.size() < most_ended_early) ended_early_.push_back(open_.back());
      ended(open_.back());
      open_.pop_back();
    }
    ended(name);
    open_.pop_back();
  }
  void end_all(const auto& ended, Damage& damage) {
    for (; !open_.empty(); open_.pop_back()) {
      ++damage.regions_left_open;
      ended(open_.back());
    }
    ended_early_.clear();
  }

 private:
  static constexpr std::size_t most_ended_early = 64;
  std::vector<std::uint32_t> open_, ended_early_;
};

}  // namespace ww::spool
