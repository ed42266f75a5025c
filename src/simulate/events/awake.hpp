// Whose time an interrupt of a host takes.
#pragma once
#include <cstdint>
#include <vector>

#include "simulate/events/state.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

class AwakeRanks {
 public:
  // Of the host's ranks the lowest that does not wait: the one that runs, or it will be resumed. nullptr: none, or a node that only
  // forwards.
  RankState* of(std::int32_t host, const Program& program, std::vector<RankState>& ranks) {
    if (on_host_.empty()) {
      on_host_.resize(program.hosts.size());
      for (std::size_t i = 0; i < ranks.size(); ++i)
        on_host_[static_cast<std::size_t>(program.ranks[i].host)].push_back(i);
    }
    if (static_cast<std::size_t>(host) >= on_host_.size()) return nullptr;
    for (const std::size_t i : on_host_[static_cast<std::size_t>(host)])
      if (!ranks[i].blocked && !ranks[i].ended) return &ranks[i];
    return nullptr;
  }

 private:
  std::vector<std::vector<std::size_t>> on_host_;  // filled when first asked for
};

}  // namespace ww::simulate
