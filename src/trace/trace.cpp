#include "trace/trace.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ww {
namespace {

constexpr std::array<const char*, 21> op_names = {"MPI_Barrier",
                                                  "MPI_Bcast",
                                                  "MPI_Gather",
                                                  "MPI_Gatherv",
                                                  "MPI_Scatter",
                                                  "MPI_Scatterv",
                                                  "MPI_Allgather",
                                                  "MPI_Allgatherv",
                                                  "MPI_Alltoall",
                                                  "MPI_Alltoallv",
                                                  "MPI_Alltoallw",
                                                  "MPI_Allreduce",
                                                  "MPI_Reduce",
                                                  "MPI_Reduce_scatter",
                                                  "MPI_Reduce_scatter_block",
                                                  "MPI_Scan",
                                                  "MPI_Exscan",
                                                  "communicator",
                                                  "window",
                                                  "file",
                                                  "other"};

}  // namespace

const char* to_string(CollectiveOp op) {
  const auto index = static_cast<std::size_t>(op);
  WW_INVARIANT(index < op_names.size());
  return op_names[index];
}

CollectiveOp collective_op(std::string_view call) {
  constexpr std::string_view non_blocking = "MPI_I";
  for (const std::string_view variant : {"_c", "_init"})
    if (call.ends_with(variant)) call.remove_suffix(variant.size());
  std::string blocking(call);
  if (call.starts_with("MPIX_")) blocking.erase(3, 1);  // Open MPI's persistent ones
  if (call.starts_with(non_blocking) && call.size() > non_blocking.size()) {
    blocking = "MPI_" + std::string(call.substr(non_blocking.size()));
    blocking[4] = static_cast<char>(blocking[4] - ('a' <= blocking[4] && blocking[4] <= 'z' ? 'a' - 'A' : 0));
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(CollectiveOp::communicator); ++i)
    if (blocking == op_names[i]) return static_cast<CollectiveOp>(i);
  if (call.starts_with("MPI_Comm_") || call.starts_with("MPI_Intercomm_") || call.starts_with("MPI_Cart_") ||
      call.starts_with("MPI_Graph_") || call.starts_with("MPI_Dist_graph_"))
    return CollectiveOp::communicator;
  for (const char* window : {"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_free", "MPI_Win_fence"})
    if (call.starts_with(window)) return CollectiveOp::window;
  return call.starts_with("MPI_File_") ? CollectiveOp::file : CollectiveOp::other;
}

const char* to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::put:
      return "put";
    case TransferKind::get:
      return "get";
    case TransferKind::accumulate:
      return "accumulate";
    case TransferKind::fetch:
      return "fetch";
    case TransferKind::compare_and_swap:
      return "compare and swap";
  }
  return "";
}

std::span<const std::int32_t> Comm::others(std::int32_t self) const {
  const std::span all(ranks);
  if (first_group == 0) return all;
  const auto first = all.first(first_group);
  return std::find(first.begin(), first.end(), self) != first.end() ? all.subspan(first_group) : first;
}

std::int32_t Comm::world_rank(std::int64_t peer, std::int32_t self) const {
  const auto there = others(self);
  return peer < 0 || static_cast<std::uint64_t>(peer) >= there.size() ? -1
                                                                      : there[static_cast<std::size_t>(peer)];
}

std::span<const CollectiveMember> CollectiveMembers::keep(std::span<const CollectiveMember> members) {
  constexpr std::size_t part_members = 1 << 12;
  if (kept_->parts.empty() || kept_->parts.back().capacity() - kept_->parts.back().size() < members.size()) {
    kept_->parts.emplace_back(kept_->store);
    kept_->parts.back().reserve(std::max(members.size(), part_members));
  }
  Column<CollectiveMember>& part = kept_->parts.back();
  part.append(members.begin(), members.end());
  return std::span<const CollectiveMember>(part).last(members.size());
}

void Trace::keep_in(std::shared_ptr<ColumnStore> where) {
  store = std::move(where);
  const auto keep = [&](auto& column) { column.keep_in(store); };
  for (RankTrace& rank : ranks) {
    rank.for_each_column(keep);
    keep(rank.user.regions), keep(rank.user.values), keep(rank.user.markers);
  }
  for (RankOneSided& rank : one_sided.ranks) keep(rank.transfers), keep(rank.syncs);
  for (RankFileIo& rank : file_io.ranks) keep(rank.operations), keep(rank.events);
  keep(messages), keep(collectives);
  members = CollectiveMembers(store);
}

std::int64_t Trace::begin_ns() const {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  for (const auto& rank : ranks)
    if (rank.calls() > 0 || rank.end_ns > rank.begin_ns) begin = std::min(begin, rank.begin_ns);
  return begin == std::numeric_limits<std::int64_t>::max() ? 0 : begin;
}

std::int64_t Trace::end_ns() const {
  std::int64_t end = begin_ns();
  for (const auto& rank : ranks)
    if (rank.calls() > 0 || rank.end_ns > rank.begin_ns) end = std::max(end, rank.end_ns);
  return end;
}

bool is_partial(const Trace& trace) {
  return trace.diagnostics.has("calls-not-named") || trace.diagnostics.has("calls-before-start") ||
         trace.diagnostics.has("calls-while-paused") || trace.diagnostics.has("calls-over-limit");
}

Place Trace::network() const {
  const bool several = std::any_of(ranks.begin(), ranks.end(),
                                   [&](const RankTrace& rank) { return rank.host != ranks.front().host; });
  return several ? Place::inter : Place::intra;
}

}  // namespace ww
