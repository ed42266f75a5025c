#include "analyze/balance.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace ww {
Evenness evenness_of(const std::vector<double>& by_rank) {
  Evenness e;
  if (by_rank.empty()) return e;
  const auto count = static_cast<double>(by_rank.size());
  e.mean = std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / count;
  double squares = 0;
  for (std::size_t r = 0; r < by_rank.size(); ++r) {
    squares += (by_rank[r] - e.mean) * (by_rank[r] - e.mean);
    if (e.least_rank < 0 || by_rank[r] < e.least) {
      e.least = by_rank[r];
      e.least_rank = static_cast<std::int32_t>(r);
    }
    if (e.most_rank < 0 || by_rank[r] > e.most) {
      e.most = by_rank[r];
      e.most_rank = static_cast<std::int32_t>(r);
    }
  }
  e.deviation = std::sqrt(squares / count);
  e.balance = e.most > 0 ? e.mean / e.most : 1;
  return e;
}

Balance find_balance(const Breakdown& breakdown) {
  const auto of = [&](const std::function<double(const RankBreakdown&)>& value) {
    std::vector<double> values;
    for (const RankBreakdown& rank : breakdown.ranks) values.push_back(value(rank));
    Evenness e = evenness_of(values);
    for (std::int32_t* place : {&e.least_rank, &e.most_rank})
      if (*place >= 0) *place = breakdown.ranks[static_cast<std::size_t>(*place)].rank;
    return e;
  };
  return {of([](const RankBreakdown& r) { return r.compute_s; }),
          of([](const RankBreakdown& r) { return r.library_s + r.blocked_s; }),
          of([](const RankBreakdown& r) { return static_cast<double>(r.messages_sent); }),
          of([](const RankBreakdown& r) { return static_cast<double>(r.bytes_sent); })};
}

}  // namespace ww
