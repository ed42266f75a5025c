#include "analyze/carried.hpp"

#include <algorithm>

namespace ww {
namespace {

class Carrier {
 public:
  Carrier(const Part& part, std::uint64_t most_of_all)
      : part_(part), trace_(part.trace()), most_of_all_(most_of_all) {}

  Carried run() {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      const auto [first, last] = part_.calls(r);
      for (std::size_t call = first; call < last; ++call)
        if (part_.begins(rank, call) && part_.takes_name(rank, call))
          for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
            take(static_cast<std::int32_t>(r), rank, static_cast<std::uint32_t>(call), a);
    }
    list_what_goes_to_all();
    return std::move(result_);
  }

 private:
  void take(std::int32_t self, const RankTrace& rank, std::uint32_t call, std::uint32_t action) {
    const ActionKind kind = rank.kind[action];
    if (kind == ActionKind::sent_to) carry(self, rank.peer[action], rank.bytes[action]);
    if ((kind != ActionKind::collective && kind != ActionKind::icollective) || rank.match[action] == none)
      return;
    const Collective& collective = trace_.collectives[rank.match[action]];
    const std::int32_t root = rank.peer[action];
    const CollectiveMember* const member = member_of(collective, self);
    if (member == nullptr || member->call != call) return;
    switch (collective.op) {
      case CollectiveOp::bcast:
        // Other tools count what the root gets of itself.
        if (root != self) carry(root, self, member->bytes_received);
        break;
      case CollectiveOp::gather:
      case CollectiveOp::gatherv:
      case CollectiveOp::reduce:
        carry(self, root, member->bytes_sent);
        break;
      case CollectiveOp::scatter:
      case CollectiveOp::scatterv:
        carry(root, self, member->bytes_received);
        break;
      case CollectiveOp::alltoallv:
      case CollectiveOp::alltoallw: {
        const bool differs =
            action + 1 < rank.first_action[call + 1] && rank.kind[action + 1] == ActionKind::sent_to;
        if (trace_.volumes_told && !differs) to_each(*member, collective);
        break;
      }
      case CollectiveOp::alltoall:
        to_each(*member, collective);
        break;
      case CollectiveOp::allgather:
      case CollectiveOp::allgatherv:
        to_all_[{self, collective.comm}] += member->bytes_sent / times_counted(rank.match[action]);
        break;
      case CollectiveOp::allreduce:
      case CollectiveOp::reduce_scatter:
      case CollectiveOp::reduce_scatter_block:
      case CollectiveOp::scan:
      case CollectiveOp::exscan:
        if (part_.has_rank(static_cast<std::size_t>(self))) result_.combined_bytes += member->bytes_sent;
        break;
      default:
        break;
    }
  }

  void to_each(const CollectiveMember& member, const Collective& collective) {
    const auto others = trace_.comms[collective.comm].others(member.rank).size();
    to_all_[{member.rank, collective.comm}] += member.bytes_sent / std::max<std::size_t>(others, 1);
  }

  // Other tools count what a member of an allgatherv gives once for every receiver.
  std::uint64_t times_counted(std::uint32_t number) {
    if (times_counted_.empty()) times_counted_.assign(trace_.collectives.size(), Times::unknown);
    const Collective& collective = trace_.collectives[number];
    const std::uint64_t members = std::max<std::size_t>(collective.members.size(), 1);
    if (times_counted_[number] == Times::unknown) {
      std::uint64_t sent = 0, received = 0;
      for (const CollectiveMember& member : collective.members) {
        sent += member.bytes_sent;
        received = std::max(received, member.bytes_received);
      }
      times_counted_[number] =
          received > 0 && sent >= received * members ? Times::for_every_receiver : Times::once;
    }
    return times_counted_[number] == Times::once ? 1 : members;
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

  const Part& part_;
  const Trace& trace_;
  const std::uint64_t most_of_all_;
  enum class Times : std::uint8_t { unknown, once, for_every_receiver };
  Column<Times> times_counted_ = Column<Times>(part_.trace().store);        // by collective, if one asked
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint64_t> to_all_;  // by (rank, communicator)
  Carried result_;
};

}  // namespace

const CollectiveMember* member_of(const Collective& collective, std::int32_t rank) {
  const auto& members = collective.members;
  const auto place = static_cast<std::size_t>(rank);
  if (place < members.size() && members[place].rank == rank) return &members[place];
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const CollectiveMember& member) { return member.rank == rank; });
  return found == members.end() ? nullptr : &*found;
}

Carried carried_by_collectives(const Part& part, std::uint64_t most_of_all) {
  return Carrier(part, most_of_all).run();
}

}  // namespace ww
