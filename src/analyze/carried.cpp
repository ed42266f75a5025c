#include "analyze/carried.hpp"

#include <algorithm>

namespace ww {
namespace {

class Carrier {
 public:
  Carrier(const Trace& trace, std::uint64_t most_of_all) : trace_(trace), most_of_all_(most_of_all) {}

  Carried run() {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      for (std::size_t a = 0; a < rank.actions(); ++a)
        if (rank.kind[a] == ActionKind::sent_to)
          carry(static_cast<std::int32_t>(r), rank.peer[a], rank.bytes[a]);
    }
    for (std::uint32_t c = 0; c < trace_.collectives.size(); ++c) take(c);
    list_what_goes_to_all();
    return std::move(result_);
  }

 private:
  void take(std::uint32_t number) {
    const Collective& collective = trace_.collectives[number];
    const bool gathers =
        collective.op == CollectiveOp::allgather || collective.op == CollectiveOp::allgatherv;
    const std::uint64_t times = gathers ? times_counted(collective) : 1;
    for (const CollectiveMember& member : collective.members) {
      switch (collective.op) {
        case CollectiveOp::bcast: {
          // Other tools count what the root gets of itself.
          const std::int32_t root = root_of(member, number);
          if (root != member.rank) carry(root, member.rank, member.bytes_received);
          break;
        }
        case CollectiveOp::gather:
        case CollectiveOp::gatherv:
        case CollectiveOp::reduce:
          carry(member.rank, root_of(member, number), member.bytes_sent);
          break;
        case CollectiveOp::scatter:
        case CollectiveOp::scatterv:
          carry(root_of(member, number), member.rank, member.bytes_received);
          break;
        case CollectiveOp::alltoallv:
        case CollectiveOp::alltoallw:
          if (!trace_.volumes_told || differs(member, number)) break;
          to_each(member, collective);
          break;
        case CollectiveOp::alltoall:
          to_each(member, collective);
          break;
        case CollectiveOp::allgather:
        case CollectiveOp::allgatherv:
          to_all_[{member.rank, collective.comm}] += member.bytes_sent / times;
          break;
        case CollectiveOp::allreduce:
        case CollectiveOp::reduce_scatter:
        case CollectiveOp::reduce_scatter_block:
        case CollectiveOp::scan:
        case CollectiveOp::exscan:
          result_.combined_bytes += member.bytes_sent;
          break;
        default:
          return;
      }
    }
  }

  void to_each(const CollectiveMember& member, const Collective& collective) {
    const auto others = trace_.comms[collective.comm].others(member.rank).size();
    to_all_[{member.rank, collective.comm}] += member.bytes_sent / std::max<std::size_t>(others, 1);
  }

  // Other tools count what a member of an allgatherv gives once for every receiver.
  static std::uint64_t times_counted(const Collective& collective) {
    std::uint64_t sent = 0, received = 0;
    for (const CollectiveMember& member : collective.members) {
      sent += member.bytes_sent;
      received = std::max(received, member.bytes_received);
    }
    const std::uint64_t members = std::max<std::size_t>(collective.members.size(), 1);
    return received > 0 && sent >= received * members ? members : 1;
  }

  // The member's action that began the collective.
  std::uint32_t action_of(const CollectiveMember& member, std::uint32_t number) const {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(member.rank)];
    for (std::uint32_t a = rank.first_action[member.call]; a < rank.first_action[member.call + 1]; ++a)
      if (rank.match[a] == number &&
          (rank.kind[a] == ActionKind::collective || rank.kind[a] == ActionKind::icollective))
        return a;
    return none;
  }
  // In an intercommunicator only the group that has not the root names it.
  std::int32_t root_of(const CollectiveMember& member, std::uint32_t number) const {
    const std::uint32_t action = action_of(member, number);
    return action == none ? -1 : trace_.ranks[static_cast<std::size_t>(member.rank)].peer[action];
  }
  bool differs(const CollectiveMember& member, std::uint32_t number) const {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(member.rank)];
    const std::uint32_t action = action_of(member, number);
    return action != none && action + 1 < rank.first_action[member.call + 1] &&
           rank.kind[action + 1] == ActionKind::sent_to;
  }

  void carry(std::int32_t source, std::int32_t destination, std::uint64_t bytes) {
    if (bytes > 0 && source >= 0 && destination >= 0) result_.bytes[{source, destination}] += bytes;
  }

  void list_what_goes_to_all() {
    std::uint64_t pairs = 0;
    for (const auto& [from, bytes] : to_all_)
      if (bytes > 0) pairs += trace_.comms[from.second].others(from.first).size();
    if (pairs > most_of_all_) {
      result_.pairs_not_listed = pairs;
      return;
    }
    for (const auto& [from, bytes] : to_all_)
      for (const std::int32_t to : trace_.comms[from.second].others(from.first)) carry(from.first, to, bytes);
  }

  const Trace& trace_;
  const std::uint64_t most_of_all_;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint64_t> to_all_;  // by (rank, communicator)
  Carried result_;
};

}  // namespace

Carried carried_by_collectives(const Trace& trace, std::uint64_t most_of_all) {
  return Carrier(trace, most_of_all).run();
}

}  // namespace ww
