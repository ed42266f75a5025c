#include "simulate/schedule/stuck.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww::schedule {
namespace {

constexpr std::size_t shown = 8;

std::uint32_t rank_of(const Schedule& schedule, std::uint64_t op) {
  const auto after = std::upper_bound(schedule.first_op.begin(), schedule.first_op.end(), op);
  return static_cast<std::uint32_t>(after - schedule.first_op.begin() - 1);
}

std::string describe(const Schedule& schedule, std::uint64_t number) {
  const std::uint32_t rank = rank_of(schedule, number);
  const Op& op = schedule.ops[number];
  const std::string& call = schedule.calls[op.call];
  const std::string which =
      call.empty() ? fmt::format("operation {}", number - schedule.first_op[rank] + 1) : call;
  switch (op.kind) {
    case GoalKind::send:
      return fmt::format("rank {} sends to {} ({})", rank, op.peer, which);
    case GoalKind::receive:
      return fmt::format("rank {} receives from {} ({})", rank, op.peer, which);
    case GoalKind::compute:
      break;
  }
  return fmt::format("rank {} computes ({})", rank, which);
}

}  // namespace

WhomItWaitsFor follow_waits(std::uint64_t first,
                            const std::function<std::optional<std::uint64_t>(std::uint64_t)>& waits_for) {
  WhomItWaitsFor out;
  for (std::optional<std::uint64_t> at = first; at; at = waits_for(*at)) {
    const auto before = std::find(out.path.begin(), out.path.end(), *at);
    if (before != out.path.end()) {
      out.path.erase(out.path.begin(), before);
      out.cycle = true;
      break;
    }
    out.path.push_back(*at);
  }
  return out;
}

tl::unexpected<Error> deadlock(const Schedule& schedule, const std::function<bool(std::uint64_t)>& done) {
  // What `op` waits for: something of its own rank that is not done, else the other end of its message.
  const auto needs = [&](std::uint64_t op) -> std::uint64_t {
    const std::uint32_t rank = rank_of(schedule, op);
    const std::uint64_t first = schedule.first_op[rank], last = schedule.first_op[rank + 1];
    for (std::uint64_t i = first; i < last; ++i) {
      if (done(i)) continue;
      for (std::uint32_t s = schedule.ops[i].first_successor; s < schedule.ops[i + 1].first_successor; ++s)
        if (first + (schedule.successors[s] & ~on_start) == op) return i;
    }
    return schedule.ops[op].kind == GoalKind::compute ? op : schedule.ops[op].partner;
  };
  std::uint64_t first = 0, left = 0;
  for (std::uint64_t i = schedule.size(); i-- > 0;)
    if (!done(i)) {
      first = i;
      ++left;
    }
  const WhomItWaitsFor waits = follow_waits(first, [&](std::uint64_t op) -> std::optional<std::uint64_t> {
    const std::uint64_t next = needs(op);
    return done(next) ? std::nullopt : std::optional(next);
  });
  const auto from = waits.cycle ? waits.path.begin() : waits.path.end() - 1;
  std::string said;
  std::size_t named = 0;
  for (auto op = from; op != waits.path.end() && named < shown; ++op, ++named)
    said += describe(schedule, *op) + ", which waits until ";
  said += named == shown ? "..." : describe(schedule, *from);
  return fail(fmt::format("the schedule cannot go on: {} of {} operations are left", left, schedule.size()),
              said, "these wait for each other");
}

}  // namespace ww::schedule
