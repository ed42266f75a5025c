// What a replay tells of its ranks.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulate/costs.hpp"
#include "simulate/events/state.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

inline SimulatedRank outcome_of(const RankState& rank, std::int32_t number, double begin_s) {
  SimulatedRank to;
  to.rank = number;
  to.begin_s = begin_s;
  to.elapsed_s = rank.now_s - begin_s;
  to.compute_s = rank.compute_s;
  to.library_s = rank.library_s;
  to.send_s = rank.send_s;
  to.blocked_algorithmic_s = rank.algorithmic_s;
  to.blocked_service_s = rank.service_s;
  to.blocked_s = rank.algorithmic_s + rank.service_s;
  to.messages_sent = rank.messages_sent;
  to.bytes_sent = rank.bytes_sent;
  to.network_s = rank.network_s;
  to.queued_s = rank.queued_s;
  return to;
}

inline Simulated outcome_of(const std::vector<RankState>& ranks, const ReplayCosts& costs) {
  Simulated out;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    out.ranks.push_back(outcome_of(ranks[i], static_cast<std::int32_t>(i), costs.begin_s(i)));
    out.elapsed_s = std::max(out.elapsed_s, ranks[i].now_s);
  }
  return out;
}

}  // namespace ww::simulate
