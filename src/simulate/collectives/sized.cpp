#include "simulate/collectives/sized.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace ww::simulate {
namespace {

std::uint64_t largest(const Collective& c, std::uint64_t CollectiveMember::*field, int without) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < c.members.size(); ++i)
    if (static_cast<int>(i) != without) out = std::max(out, c.members[i].*field);
  return out;
}

Sized sizes_without_pairs(const Collective& c) {
  Sized out;
  const std::size_t members = c.members.size();
  for (std::size_t i = 0; i < members; ++i)
    if (c.members[i].rank == c.root) out.root = static_cast<int>(i);
  constexpr auto sent = &CollectiveMember::bytes_sent;
  constexpr auto received = &CollectiveMember::bytes_received;
  const auto per_member = [&](auto field) {
    for (const CollectiveMember& member : c.members) out.blocks.push_back(member.*field);
    out.blocks[static_cast<std::size_t>(out.root)] = 0;
    out.bytes = out.rule_bytes = *std::max_element(out.blocks.begin(), out.blocks.end());
    out.blocks[static_cast<std::size_t>(out.root)] = out.bytes;
  };
  switch (c.op) {
    case CollectiveOp::bcast:
      out.bytes = out.rule_bytes = std::max(largest(c, received, out.root), std::uint64_t{0});
      break;
    case CollectiveOp::reduce:
      out.bytes = out.rule_bytes = largest(c, sent, out.root);
      break;
    case CollectiveOp::allreduce:
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      out.bytes = out.rule_bytes = largest(c, sent, -1);
      break;
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
      per_member(sent);
      break;
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      per_member(received);
      break;
    case CollectiveOp::allgather:
    case CollectiveOp::allgatherv: {
      for (const CollectiveMember& member : c.members) out.blocks.push_back(member.bytes_sent);
      const std::uint64_t total = std::accumulate(out.blocks.begin(), out.blocks.end(), std::uint64_t{0});
      const std::uint64_t got = largest(c, received, -1);
      if (got > 0 && total >= got * members)  // counted once for every receiver
        for (std::uint64_t& block : out.blocks) block /= members;
      out.bytes = *std::max_element(out.blocks.begin(), out.blocks.end());
      out.rule_bytes =
          c.op == CollectiveOp::allgather
              ? out.bytes
              : std::accumulate(out.blocks.begin(), out.blocks.end(), std::uint64_t{0}) / members;
      break;
    }
    case CollectiveOp::alltoall:
    case CollectiveOp::alltoallv:
    case CollectiveOp::alltoallw:
      for (const CollectiveMember& member : c.members) out.blocks.push_back(member.bytes_sent / members);
      out.bytes = out.rule_bytes = *std::max_element(out.blocks.begin(), out.blocks.end());
      break;
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::reduce_scatter_block:
      for (const CollectiveMember& member : c.members) out.blocks.push_back(member.bytes_received);
      out.bytes = std::accumulate(out.blocks.begin(), out.blocks.end(), std::uint64_t{0});
      out.rule_bytes = c.op == CollectiveOp::reduce_scatter ? out.bytes : out.blocks.front();
      break;
    case CollectiveOp::barrier:
    case CollectiveOp::communicator:
    case CollectiveOp::window:
    case CollectiveOp::file:
    case CollectiveOp::other:
      break;
  }
  return out;
}

// What each member of an alltoall, v or w sends to each: as recorded (ActionKind::sent_to), or where nothing
// is or not all of it, its mean block.
Matrix pairs_of(const Trace& trace, const Collective& c, const Sizes& blocks) {
  std::unordered_map<std::int32_t, std::size_t> place;  // by world rank
  for (std::size_t i = 0; i < c.members.size(); ++i) place.emplace(c.members[i].rank, i);
  Matrix matrix;
  for (std::size_t i = 0; i < c.members.size(); ++i) {
    const CollectiveMember& member = c.members[i];
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(member.rank)];
    Sizes row(c.members.size(), 0);
    std::uint64_t told = 0;
    for (std::uint32_t a = rank.first_action[member.call]; a < rank.first_action[member.call + 1]; ++a) {
      const auto to = rank.kind[a] == ActionKind::sent_to ? place.find(rank.peer[a]) : place.end();
      if (to == place.end()) continue;
      row[to->second] += rank.bytes[a];
      told += rank.bytes[a];
    }
    if (told == 0 || told != member.bytes_sent) row.assign(c.members.size(), blocks[i]);
    matrix.push_back(std::move(row));
  }
  return matrix;
}

}  // namespace

Sized sizes_of(const Trace& trace, const Collective& c) {
  Sized out = sizes_without_pairs(c);
  if (c.members.size() > 1 &&
      (c.op == CollectiveOp::alltoall || c.op == CollectiveOp::alltoallv || c.op == CollectiveOp::alltoallw))
    out.pairs = pairs_of(trace, c, out.blocks);
  return out;
}

std::uint64_t elements(std::uint64_t bytes) {
  return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

}  // namespace ww::simulate
