#include "analyze/software.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ww {
namespace {

constexpr std::size_t enough_of_own = 5;

// How many messages of its own size a member handles one after the other: the depth of a binary tree, or one
// with everybody where each pair has data of its own.
double rounds(const Collective& collective) {
  const auto members = static_cast<double>(std::max<std::size_t>(collective.members.size(), 1));
  switch (collective.op) {
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
      return members - 1;
    default:
      return std::ceil(std::log2(members));
  }
}

}  // namespace

Software::Software(const Trace& trace, const Waits& waits, const MachineModel* machine)
    : trace_(trace), machine_(machine) {
  std::map<Key, Column<std::int64_t>> taken;
  for (std::size_t r = 0; r < waits.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    for (const Wait& wait : waits[r]) {
      if (!wait.had_all) continue;
      const std::int64_t took = trace.ranks[r].leave_ns[wait.call] - trace.ranks[r].enter_ns[wait.call];
      for (const bool all_ranks : {false, true})
        taken.try_emplace(key(rank, wait, all_ranks), trace.store).first->second.push_back(took);
    }
  }
  for (auto& [like, times] : taken) {
    if (std::get<0>(like) >= 0 && times.size() < enough_of_own) continue;
    const auto tenth = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 10);
    std::nth_element(times.begin(), tenth, times.end());
    quick_[like] = *tenth;
  }
}

Software::Key Software::key(std::int32_t rank, const Wait& wait, bool all_ranks) const {
  const std::uint16_t region = trace_.ranks[static_cast<std::size_t>(rank)].region[wait.call];
  return {all_ranks ? -1 : rank, region, std::bit_width(wait.bytes),
          std::bit_width(wait.receives + wait.sends)};
}

std::optional<std::int64_t> Software::of(std::int32_t rank, const Wait& wait) const {
  if (const auto modelled = by_model(rank, wait)) return modelled;
  for (const bool all_ranks : {false, true})
    if (const auto found = quick_.find(key(rank, wait, all_ranks)); found != quick_.end())
      return found->second;
  return std::nullopt;
}

std::optional<std::int64_t> Software::by_model(std::int32_t rank, const Wait& wait) const {
  if (machine_ == nullptr) return std::nullopt;
  const Costs& costs = machine_->costs;
  if ((wait.receives + wait.collectives > 0 && costs.U.empty()) ||
      (wait.sends + wait.collectives > 0 && costs.F.empty()))
    return std::nullopt;
  const RankTrace& columns = trace_.ranks[static_cast<std::size_t>(rank)];
  double seconds = 0;
  bool any = false;
  for (std::uint32_t a = columns.first_action[wait.call]; a < columns.first_action[wait.call + 1]; ++a) {
    const auto bytes = static_cast<double>(columns.bytes[a]);
    switch (columns.kind[a]) {
      case ActionKind::recv:
        seconds += costs.A.at(bytes) + costs.U.at(bytes);
        break;
      case ActionKind::irecv_done:
        seconds += costs.U.at(bytes);
        break;
      case ActionKind::send:
        seconds += costs.F.at(bytes);
        break;
      case ActionKind::collective:
      case ActionKind::icollective_done:
        if (columns.match[a] != none)
          seconds += rounds(trace_.collectives[columns.match[a]]) *
                     (costs.F.at(bytes) + costs.A.at(bytes) + costs.U.at(bytes));
        break;
      default:
        continue;
    }
    any = true;
  }
  if (!any && wait.sends == 0) return std::nullopt;  // a probe: the model has no cost for it
  return std::llround(seconds * 1e9);
}

}  // namespace ww
