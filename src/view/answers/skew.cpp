#include "view/answers/skew.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace ww::view {
namespace {

bool is_selected(const Part& part, const Collective& collective) {
  return std::any_of(collective.members.begin(), collective.members.end(),
                     [&](const CollectiveMember& member) {
                       const auto rank = static_cast<std::size_t>(member.rank);
                       return part.has_rank(rank) && part.takes(part.trace().ranks[rank], member.call);
                     });
}

CollectiveSkew skew_of(const Trace& trace, const Collective& collective) {
  CollectiveSkew out;
  out.op = collective.op;
  out.comm = collective.comm;
  const std::int64_t begin_ns = trace.begin_ns();
  for (const CollectiveMember& member : collective.members) {
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    const std::int64_t entered = rank.enter_ns[member.call] - begin_ns;
    const std::uint32_t done = member.done_call == none ? member.call : member.done_call;
    const std::int64_t left = rank.leave_ns[done] - begin_ns;
    const bool is_first = out.last_rank < 0;
    out.first_ns = is_first ? entered : std::min(out.first_ns, entered);
    out.left_ns = is_first ? left : std::max(out.left_ns, left);
    if (is_first || entered > out.last_ns) {
      out.last_ns = entered;
      out.last_rank = member.rank;
    }
    out.bytes += member.bytes_sent;
  }
  return out;
}

}  // namespace

Skew skew_of(const Part& part, std::size_t limit) {
  const Trace& trace = part.trace();
  Skew out;
  std::map<CollectiveOp, SkewOfOp> by_op;
  const auto is_larger = [](const CollectiveSkew& a, const CollectiveSkew& b) {
    return std::tuple(-a.skew_ns(), a.first_ns, a.comm) < std::tuple(-b.skew_ns(), b.first_ns, b.comm);
  };
  for (const Collective& collective : trace.collectives) {
    if (collective.members.empty()) continue;
    const CollectiveSkew skew = skew_of(trace, collective);
    if (!part.has_instant(skew.first_ns + trace.begin_ns()) || !is_selected(part, collective)) continue;
    ++out.all;
    SkewOfOp& op = by_op.try_emplace(skew.op, SkewOfOp{skew.op}).first->second;
    ++op.count;
    op.skew_s += seconds_of(skew.skew_ns());
    op.transfer_s += seconds_of(skew.transfer_ns());
    if (limit == 0) continue;
    if (out.collectives.size() == limit) {  // a heap with the smallest on top
      if (!is_larger(skew, out.collectives.front())) continue;
      std::pop_heap(out.collectives.begin(), out.collectives.end(), is_larger);
      out.collectives.pop_back();
    }
    out.collectives.push_back(skew);
    std::push_heap(out.collectives.begin(), out.collectives.end(), is_larger);
  }
  std::sort(out.collectives.begin(), out.collectives.end(),
            [](const CollectiveSkew& a, const CollectiveSkew& b) {
              return std::tuple(a.first_ns, a.comm, a.last_ns) < std::tuple(b.first_ns, b.comm, b.last_ns);
            });
  for (const auto& [op, sum] : by_op) out.by_op.push_back(sum);
  std::stable_sort(out.by_op.begin(), out.by_op.end(),
                   [](const SkewOfOp& a, const SkewOfOp& b) { return a.skew_s > b.skew_s; });
  return out;
}

}  // namespace ww::view
