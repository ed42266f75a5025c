#include "analyze/waits.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "trace/call_meaning.hpp"

namespace ww {
namespace {

// A message is known to have arrived if this many times the quickest flight of its size has passed since it
// was sent.
constexpr std::int64_t flights_to_be_sure = 10;

int size_class(std::uint64_t bytes) {
  return static_cast<int>(std::bit_width(bytes));
}

bool needs_all(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::reduce:
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return false;
    default:
      return true;
  }
}

// The latest entry of several ranks.
struct Entry {
  std::int64_t at_ns = std::numeric_limits<std::int64_t>::min();
  std::int32_t rank = -1;
  void take(std::int64_t ns, std::int32_t of) {
    if (rank < 0 || ns > at_ns) *this = {ns, of};
  }
};

void wait_until(Wait& wait, std::int64_t ns, std::int32_t rank) {
  if (ns <= wait.until_ns) return;
  wait.until_ns = ns;
  wait.until_rank = rank;
}

class Finder {
 public:
  Finder(const Trace& trace, const MachineModel* machine)
      : trace_(trace), machine_(machine), last_entry_(trace.store) {
    for (std::size_t r = 0; r < trace.regions.size(); ++r)
      manners_.push_back(meaning_of_region(trace, r).manner);
    for (const Message& message : trace.messages) {
      if (message.recv_done_call == none) continue;
      const std::int64_t flight = leave(message.destination, message.recv_done_call) - began(message);
      auto& quickest = quickest_flight_[flight_key(message)];
      if (quickest == 0 || flight < quickest) quickest = std::max<std::int64_t>(flight, 1);
    }
    last_entry_.reserve(trace.collectives.size());
    for (const Collective& collective : trace.collectives) {
      Entry last;
      for (const CollectiveMember& member : collective.members)
        last.take(enter(member.rank, member.call), member.rank);
      last_entry_.push_back(last);
    }
  }

  Column<Wait> waits_of(std::int32_t self, Needs* needs) {
    const RankTrace& rank = trace_.ranks[static_cast<std::size_t>(self)];
    Column<Wait> waits(trace_.store);
    needs_ = needs;
    if (needs != nullptr) needs->all.keep_in(trace_.store), needs->first.keep_in(trace_.store);
    for (std::uint32_t call = 0; call < rank.calls(); ++call) {
      const CallManner manner = manners_[rank.region[call]];
      if (manner == CallManner::polls) continue;
      const std::uint32_t from = rank.first_action[call], to = rank.first_action[call + 1];
      if (from == to && manner != CallManner::probes) continue;
      Wait wait;
      wait.call = call;
      wait.until_ns = rank.enter_ns[call];
      wait.had_all = true;
      const std::uint64_t needed = needs != nullptr ? needs->all.size() : 0;
      for (std::uint32_t a = from; a < to; ++a) take(wait, self, rank, a);
      if (manner == CallManner::probes) take_probe(wait, self, rank, to);
      if (wait.receives + wait.sends + wait.collectives == 0) continue;
      waits.push_back(wait);
      if (needs != nullptr) needs->first.push_back(needed);
    }
    if (needs != nullptr) needs->first.push_back(needs->all.size());
    return waits;
  }

 private:
  std::int64_t enter(std::int32_t rank, std::uint32_t call) const {
    return trace_.ranks[static_cast<std::size_t>(rank)].enter_ns[call];
  }
  std::int64_t leave(std::int32_t rank, std::uint32_t call) const {
    return trace_.ranks[static_cast<std::size_t>(rank)].leave_ns[call];
  }
  std::int64_t began(const Message& message) const { return enter(message.source, message.send_call); }

  bool within_host(const Message& message) const {
    return trace_.ranks[static_cast<std::size_t>(message.source)].host ==
           trace_.ranks[static_cast<std::size_t>(message.destination)].host;
  }
  int flight_key(const Message& message) const {
    return size_class(message.bytes) * 2 + (within_host(message) ? 1 : 0);
  }

  bool is_eager(const Message& message) const {
    if (message.synchronous) return false;
    if (machine_ != nullptr) {
      const Link* link = machine_->link(within_host(message) ? Place::intra : Place::inter);
      if (link != nullptr && link->eager_threshold_bytes)
        return static_cast<double>(message.bytes) <= *link->eager_threshold_bytes;
    }
    return message.bytes <= surely_eager_bytes;
  }

  void take(Wait& wait, std::int32_t self, const RankTrace& rank, std::uint32_t action) {
    switch (rank.kind[action]) {
      case ActionKind::recv:
      case ActionKind::irecv_done:
        ++wait.receives;
        wait.bytes += rank.bytes[action];
        if (rank.match[action] == none)
          wait.had_all = false;
        else
          take_receive(wait, self, trace_.messages[rank.match[action]]);
        return;
      case ActionKind::send:
      case ActionKind::isend_done:
        ++wait.sends;
        wait.bytes += rank.bytes[action];
        if (rank.match[action] == none)
          wait.had_all = false;
        else
          take_send(wait, self, trace_.messages[rank.match[action]], rank.kind[action] == ActionKind::send);
        return;
      case ActionKind::collective:
      case ActionKind::icollective_done:
        if (rank.match[action] != none) take_collective(wait, self, rank, action);
        return;
      default:
        return;
    }
  }

  // It had to wait for the send to begin, whose data can only move then.
  void take_receive(Wait& wait, std::int32_t self, const Message& message) {
    const std::int64_t entered = enter(self, wait.call);
    wait_until(wait, began(message), message.source);
    need(message.source, message.send_call);
    const auto quickest = quickest_flight_.find(flight_key(message));
    const std::int64_t sure = quickest == quickest_flight_.end() ? 0 : quickest->second * flights_to_be_sure;
    const bool sent_before =
        message.send_done_call != none && leave(message.source, message.send_done_call) < entered;
    if (!sent_before || entered - began(message) < sure) wait.had_all = false;
  }

  // A rendezvous waits for the receive to be posted, if it was posted late and the send returned only after
  // that.
  void take_send(Wait& wait, std::int32_t self, const Message& message, bool blocking) {
    const std::int64_t posted = enter(message.destination, message.recv_post_call);
    const bool eager = is_eager(message);
    const bool late = posted > began(message);
    const bool returned_before = leave(self, wait.call) < posted;
    if (!eager && late && !returned_before) wait_until(wait, posted, message.destination);
    if (!eager && !returned_before) need(message.destination, message.recv_post_call);
    if (blocking ? !eager && !returned_before : !eager) wait.had_all = false;
  }

  void take_collective(Wait& wait, std::int32_t self, const RankTrace& rank, std::uint32_t action) {
    const std::uint32_t index = rank.match[action];
    const Collective& collective = trace_.collectives[index];
    Entry last;
    if (needs_all(collective.op)) {
      if (collective.members.size() > 1) last = last_entry_[index], need(-1, index);
    } else {
      const auto own = static_cast<std::size_t>(
          std::find_if(collective.members.begin(), collective.members.end(),
                       [&](const CollectiveMember& member) { return member.rank == self; }) -
          collective.members.begin());
      for (std::size_t other = 0; other < collective.members.size(); ++other)
        if (other != own && depends_on(collective, own, other)) {
          const CollectiveMember& member = collective.members[other];
          last.take(enter(member.rank, member.call), member.rank);
          need(member.rank, member.call);
        }
    }
    if (last.rank < 0) return;  // needs nobody
    if (collective.op == CollectiveOp::file) wait.file_io = true;
    ++wait.collectives;
    wait.bytes += std::max(rank.bytes[action], rank.bytes_received[action]);
    wait_until(wait, last.at_ns, last.rank);
    wait.had_all = false;
  }

  // A probe that waits is about the message that the rank receives next.
  void take_probe(Wait& wait, std::int32_t self, const RankTrace& rank, std::uint32_t next_action) {
    for (std::uint32_t a = next_action; a < rank.actions(); ++a) {
      if (rank.kind[a] != ActionKind::recv && rank.kind[a] != ActionKind::irecv) continue;
      if (rank.match[a] == none) return;
      ++wait.receives;
      return take_receive(wait, self, trace_.messages[rank.match[a]]);
    }
  }

  void need(std::int32_t rank, std::uint32_t call) {
    if (needs_ != nullptr) needs_->all.push_back({rank, call});
  }

  const Trace& trace_;
  const MachineModel* machine_;
  Needs* needs_ = nullptr;
  std::vector<CallManner> manners_;  // by region
  std::unordered_map<int, std::int64_t> quickest_flight_;
  Column<Entry> last_entry_;  // by collective
};

}  // namespace

bool depends_on(const Collective& collective, std::size_t member, std::size_t other) {
  const std::int32_t self = collective.members[member].rank, rank = collective.members[other].rank;
  switch (collective.op) {
    case CollectiveOp::bcast:
    case CollectiveOp::scatter:
    case CollectiveOp::scatterv:
      return rank == collective.root;
    case CollectiveOp::gather:
    case CollectiveOp::gatherv:
    case CollectiveOp::reduce:
      return self == collective.root;
    case CollectiveOp::scan:
    case CollectiveOp::exscan:
      return other < member;
    default:
      return true;
  }
}

Waits find_waits(const Trace& trace, const MachineModel* machine) {
  Finder finder(trace, machine);
  Waits waits;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    waits.push_back(finder.waits_of(static_cast<std::int32_t>(r), nullptr));
  return waits;
}

Waits find_waits(const Trace& trace, const MachineModel* machine, std::vector<Needs>& needs) {
  Finder finder(trace, machine);
  Waits waits;
  needs.assign(trace.ranks.size(), {});
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    waits.push_back(finder.waits_of(static_cast<std::int32_t>(r), &needs[r]));
  return waits;
}

}  // namespace ww
