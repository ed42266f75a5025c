#include "simulate/crossings.hpp"

#include <algorithm>
#include <vector>

#include "simulate/program.hpp"

namespace ww::simulate {
namespace {

constexpr std::uint64_t larger_algorithms_bytes = 4096;

class Finder {
 public:
  Finder(const Trace& trace, const Program& program) : trace_(trace), program_(program) {}

  Crossings find() {
    hand_over_messages();
    hand_over_collectives();
    std::stable_sort(handed_over_.begin(), handed_over_.end(), [](const HandedOver& a, const HandedOver& b) {
      return a.host != b.host ? a.host < b.host : a.at_ns < b.at_ns;
    });
    Crossings out;
    out.handed_over.append(handed_over_.data(), handed_over_.data() + handed_over_.size());
    take_messages(out.waited_for);
    take_exchanges(out.waited_for);
    return out;
  }

 private:
  const RankTrace& rank(std::int32_t number) const { return trace_.ranks[static_cast<std::size_t>(number)]; }
  std::int32_t host(std::int32_t number) const {
    return program_.ranks[static_cast<std::size_t>(number)].host;
  }
  std::size_t actions(std::int32_t number, std::uint32_t call) const {
    return rank(number).first_action[call + 1] - rank(number).first_action[call];
  }
  std::int64_t left_ns(std::int32_t number, std::uint32_t call) const {
    return call == none ? HandedOver::never : rank(number).leave_ns[call];
  }
  void hand_over(std::int32_t number, std::uint32_t call, std::uint64_t bytes, std::int64_t arrived_ns,
                 std::int32_t to_host) {
    handed_over_.push_back({rank(number).enter_ns[call], arrived_ns, bytes, host(number), to_host});
  }

  void hand_over_messages() {
    for (const Message& m : trace_.messages)
      if (m.send_call != none && host(m.source) != host(m.destination))
        hand_over(m.source, m.send_call, m.bytes, left_ns(m.destination, m.recv_done_call),
                  host(m.destination));
  }

  void hand_over_collectives() {
    for (const Collective& c : trace_.collectives) {
      std::int64_t last_ns = 0;
      for (const CollectiveMember& member : c.members)
        last_ns = std::max(last_ns, left_ns(member.rank, member.done_call));
      for (const CollectiveMember& member : c.members)
        if (member.call != none)
          hand_over(member.rank, member.call, member.bytes_sent, last_ns, HandedOver::somewhere);
    }
  }

  void take_messages(Column<Crossing>& into) const {
    for (const Message& m : trace_.messages) {
      if (m.source == m.destination || m.send_call == none || m.recv_done_call == none ||
          m.recv_post_call == none)
        continue;
      if (actions(m.source, m.send_call) > 2 || actions(m.destination, m.recv_done_call) > 2) continue;
      take(m.source, m.send_call, m.destination, m.recv_done_call, m.bytes,
           static_cast<std::uint32_t>(&m - trace_.messages.begin()), into);
    }
  }

  // Of two members, in an exchange of one message each way: the one that came first waits for the other's
  // message.
  void take_exchanges(Column<Crossing>& into) const {
    for (const Collective& c : trace_.collectives) {
      if (c.members.size() != 2) continue;
      if (c.op != CollectiveOp::barrier && c.op != CollectiveOp::allreduce) continue;
      const std::uint64_t bytes = c.op == CollectiveOp::barrier ? 0 : c.members[0].bytes_sent;
      if (bytes >= larger_algorithms_bytes) continue;
      for (std::size_t late = 0; late < 2; ++late) {
        const CollectiveMember &sender = c.members[late], &receiver = c.members[1 - late];
        if (sender.call != none && receiver.call != none)
          take(sender.rank, sender.call, receiver.rank, receiver.call, bytes, Crossing::none, into);
      }
    }
  }

  void take(std::int32_t from, std::uint32_t send_call, std::int32_t to, std::uint32_t receive_call,
            std::uint64_t bytes, std::uint32_t message, Column<Crossing>& into) const {
    if (host(from) == host(to)) return;
    const std::int64_t sent_ns = rank(from).enter_ns[send_call];
    if (sent_ns < rank(from).begin_ns || rank(to).enter_ns[receive_call] >= sent_ns) return;
    into.push_back({sent_ns, rank(to).leave_ns[receive_call], rank(from).leave_ns[send_call], bytes,
                    host(from), host(to), message});
  }

  const Trace& trace_;
  const Program& program_;
  std::vector<HandedOver> handed_over_;
};

}  // namespace

Crossings find_crossings(const Trace& trace, const Program& program) {
  if (program.hosts.size() < 2) return {};
  return Finder(trace, program).find();
}

}  // namespace ww::simulate
