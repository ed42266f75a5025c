#include "analyze/critical_path.hpp"

#include <algorithm>
#include <limits>

namespace ww {
namespace {

class Walk {
 public:
  Walk(const Trace& trace, const Waits& waits) : trace_(trace), waits_(waits), parts_(trace.store) {}

  // Back to `until_ns`, or to the begin of the rank where it comes to an end.
  Column<PathPart> back_from_the_end(std::int64_t until_ns) {
    std::int32_t rank = 0;
    for (std::size_t r = 1; r < trace_.ranks.size(); ++r)
      if (columns(static_cast<std::int32_t>(r)).end_ns > columns(rank).end_ns)
        rank = static_cast<std::int32_t>(r);
    std::int64_t at = trace_.ranks.empty() ? 0 : columns(rank).end_ns;
    // Each step goes back in time, or at the same instant to another rank.
    while (!trace_.ranks.empty() && at > columns(rank).begin_ns && at >= until_ns) {
      const std::int64_t before = at;
      step(rank, at);
      standing_ = at < before ? 0 : standing_ + 1;
    }
    std::reverse(parts_.begin(), parts_.end());
    return std::move(parts_);
  }

 private:
  const RankTrace& columns(std::int32_t rank) const { return trace_.ranks[static_cast<std::size_t>(rank)]; }

  void step(std::int32_t& rank, std::int64_t& at) {
    const RankTrace& of = columns(rank);
    // The last call that was entered before `at`.
    const auto next = std::lower_bound(of.enter_ns.begin(), of.enter_ns.end(), at);
    if (next == of.enter_ns.begin()) return pass(rank, none, of.begin_ns, at);
    const auto call = static_cast<std::uint32_t>(next - of.enter_ns.begin() - 1);
    if (of.leave_ns[call] < at) return pass(rank, none, std::max(of.leave_ns[call], of.begin_ns), at);
    const std::int64_t enter = std::max(of.enter_ns[call], of.begin_ns);
    const Wait* wait = wait_of(rank, call);
    if (wait == nullptr || wait->until_rank < 0 || wait->until_ns <= enter || wait->until_ns > at)
      return pass(rank, call, enter, at);
    // More of those in a row than there are ranks is a circle, which clocks that disagree can make.
    if (standing_ > trace_.ranks.size() || columns(wait->until_rank).begin_ns >= wait->until_ns)
      return pass(rank, call, enter, at);
    pass(rank, call, wait->until_ns, at);
    rank = wait->until_rank;
  }

  void pass(std::int32_t rank, std::uint32_t call, std::int64_t from, std::int64_t& at) {
    if (from < at) parts_.push_back({rank, call, from, at});
    at = std::min(from, at);
  }

  const Wait* wait_of(std::int32_t rank, std::uint32_t call) const {
    const auto& waits = waits_[static_cast<std::size_t>(rank)];
    const auto found =
        std::lower_bound(waits.begin(), waits.end(), call,
                         [](const Wait& wait, std::uint32_t number) { return wait.call < number; });
    return found != waits.end() && found->call == call ? &*found : nullptr;
  }

  const Trace& trace_;
  const Waits& waits_;
  Column<PathPart> parts_;
  std::size_t standing_ = 0;  // steps at the same instant
};

}  // namespace

const std::string& call_name(const Trace& trace, const PathPart& part) {
  return trace.regions[trace.ranks[static_cast<std::size_t>(part.rank)].region[part.call]];
}

CriticalPath find_critical_path(const Part& of, const Waits& waits) {
  const Trace& trace = of.trace();
  CriticalPath path;
  path.parts =
      Walk(trace, waits)
          .back_from_the_end(of.is_whole() ? std::numeric_limits<std::int64_t>::min() : of.from_ns());
  std::int32_t before = -1;
  std::size_t kept = 0;
  for (PathPart part : path.parts) {
    const bool comes = part.rank != before && of.has_instant(part.from_ns);
    before = part.rank;
    const RankTrace& columns = trace.ranks[static_cast<std::size_t>(part.rank)];
    const bool is_taken = part.call == none ? !of.of_calls() : of.takes(columns, part.call);
    part.from_ns = of.cut(part.from_ns);
    part.to_ns = of.cut(part.to_ns);
    if (!of.has_rank(static_cast<std::size_t>(part.rank)) || !is_taken || part.from_ns >= part.to_ns)
      continue;
    path.parts[kept++] = part;
    const double length_s = seconds_of(part.to_ns - part.from_ns);
    path.length_s += length_s;
    RankOnPath& rank = path.ranks[part.rank];
    if (comes) ++rank.visits;
    if (part.call == none) {
      path.compute_s += length_s;
      rank.compute_s += length_s;
    } else {
      path.calls_s[call_name(trace, part)] += length_s;
      rank.calls_s += length_s;
    }
  }
  path.parts.resize(kept);
  return path;
}

}  // namespace ww
