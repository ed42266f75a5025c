#include "analyze/ratio.hpp"

namespace ww {
namespace {

RankRatio ratio_of(const RankBreakdown& rank) {
  RankRatio out;
  out.rank = rank.rank;
  out.communication_s = rank.library_s + rank.blocked_s;
  out.compute_s = rank.compute_s;
  out.service_s = rank.blocked_service_s;
  if (rank.compute_s <= 0) return out;
  out.ratio = out.communication_s / rank.compute_s;
  out.service_ratio = rank.blocked_service_s / rank.compute_s;
  out.messages_per_compute_s = static_cast<double>(rank.messages_sent) / rank.compute_s;
  out.bytes_per_compute_s = static_cast<double>(rank.bytes_sent) / rank.compute_s;
  return out;
}

}  // namespace

Ratio find_ratio(const Breakdown& breakdown) {
  Ratio out;
  RankBreakdown sum;
  sum.rank = -1;
  for (const RankBreakdown& rank : breakdown.ranks) {
    out.ranks.push_back(ratio_of(rank));
    sum.compute_s += rank.compute_s;
    sum.library_s += rank.library_s;
    sum.blocked_s += rank.blocked_s;
    sum.blocked_service_s += rank.blocked_service_s;
    sum.messages_sent += rank.messages_sent;
    sum.bytes_sent += rank.bytes_sent;
  }
  out.all = ratio_of(sum);
  return out;
}

}  // namespace ww
