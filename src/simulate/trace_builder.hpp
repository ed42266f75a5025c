// Makes traces by hand: of experiments that are simulated instead of recorded, and for tests.
#pragma once
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace ww::simulate {

// Calls are appended rank by rank; each lasts `call_ns` in the recording, which a replay does not look at
// except where it says so.
class TraceBuilder {
 public:
  explicit TraceBuilder(std::vector<std::string> hosts) {
    trace_.calls_timed = false;
    trace_.ranks.resize(hosts.size());
    Comm world{"MPI_COMM_WORLD", {}, 0};
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      trace_.ranks[i].host = hosts[i];
      trace_.ranks[i].first_action.push_back(0);
      world.ranks.push_back(static_cast<std::int32_t>(i));
    }
    trace_.comms.push_back(world);
  }
  // One rank on each of n hosts.
  static TraceBuilder spread(int n) {
    std::vector<std::string> hosts;
    for (int i = 0; i < n; ++i) hosts.push_back("host" + std::to_string(i));
    return TraceBuilder(hosts);
  }

  void compute(int rank, double seconds) { at(rank).end_ns += std::llround(seconds * 1e9); }
  void begin(int rank, double seconds) { at(rank).begin_ns = at(rank).end_ns = std::llround(seconds * 1e9); }

  void send(int rank, int to, std::uint64_t bytes, bool synchronous = false) {
    call(rank, "MPI_Send", {{ActionKind::send, message(rank, to, bytes, true, synchronous)}});
  }
  void recv(int rank, int from, std::uint64_t bytes) {
    call(rank, "MPI_Recv", {{ActionKind::recv, message(from, rank, bytes, false)}});
  }
  void sendrecv(int rank, int to, std::uint64_t bytes, int from, std::uint64_t bytes_back) {
    const std::uint32_t sent = message(rank, to, bytes, true), got = message(from, rank, bytes_back, false);
    call(rank, "MPI_Sendrecv", {{ActionKind::send, sent}, {ActionKind::recv, got}});
  }
  std::uint32_t isend(int rank, int to, std::uint64_t bytes) {
    const std::uint32_t m = message(rank, to, bytes, true);
    call(rank, "MPI_Isend", {{ActionKind::isend, m}});
    return m;
  }
  std::uint32_t irecv(int rank, int from, std::uint64_t bytes) {
    const std::uint32_t m = message(from, rank, bytes, false);
    call(rank, "MPI_Irecv", {{ActionKind::irecv, m}});
    return m;
  }
  void wait(int rank, const std::vector<std::uint32_t>& sends, const std::vector<std::uint32_t>& receives) {
    std::vector<std::pair<ActionKind, std::uint32_t>> actions;
    for (const std::uint32_t m : sends) actions.push_back({ActionKind::isend_done, m});
    for (const std::uint32_t m : receives) actions.push_back({ActionKind::irecv_done, m});
    call(rank, "MPI_Waitall", actions);
  }
  // A test of a receive that is not complete, and the one that finds it complete.
  void asks(int rank, double call_s = 300e-9) { in_call(rank, call_s, {{ActionKind::test_failed, none}}); }
  void finds(int rank, std::uint32_t receive, double call_s = 300e-9) {
    in_call(rank, call_s, {{ActionKind::irecv_done, receive}});
  }
  void other(int rank, double seconds) {
    call_ns = std::llround(seconds * 1e9);
    call(rank, "MPI_Get_processor_name", {});
    call_ns = 1000;
  }
  // Every rank enters the next collective of the communicator where its time is now.
  void collective(CollectiveOp op, std::int32_t root, const std::vector<std::uint64_t>& sent,
                  const std::vector<std::uint64_t>& received) {
    std::vector<CollectiveMember> members;
    const auto index = static_cast<std::uint32_t>(trace_.collectives.size());
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      const auto call_number = static_cast<std::uint32_t>(trace_.ranks[i].calls());
      members.push_back({static_cast<std::int32_t>(i), call_number, call_number, sent[i], received[i]});
      call(static_cast<int>(i), to_string(op), {{ActionKind::collective, index}});
    }
    trace_.collectives.push_back({op, 0, root, trace_.members.keep(members)});
  }
  // A non-blocking one: every rank begins it where its time is now, and waits for it by complete(rank, its number).
  std::uint32_t begin_collective(CollectiveOp op, std::int32_t root, std::uint64_t bytes) {
    std::vector<CollectiveMember> members;
    const auto index = static_cast<std::uint32_t>(trace_.collectives.size());
    for (std::size_t i = 0; i < trace_.ranks.size(); ++i) {
      members.push_back({static_cast<std::int32_t>(i), static_cast<std::uint32_t>(trace_.ranks[i].calls()),
                         none, bytes, bytes});
      call(static_cast<int>(i), "MPI_I" + std::string(to_string(op)), {{ActionKind::icollective, index}});
    }
    trace_.collectives.push_back({op, 0, root, trace_.members.keep(members)});
    return index;
  }
  void complete(int rank, std::uint32_t collective) {
    call(rank, "MPI_Wait", {{ActionKind::icollective_done, collective}});
  }
  // An alltoallv of which is known what each sends to each: bytes[from][to].
  void alltoallv(const std::vector<std::vector<std::uint64_t>>& bytes) {
    std::vector<std::uint64_t> sent(bytes.size(), 0), received(bytes.size(), 0);
    for (std::size_t from = 0; from < bytes.size(); ++from)
      for (std::size_t to = 0; to < bytes.size(); ++to) {
        sent[from] += bytes[from][to];
        received[to] += bytes[from][to];
      }
    collective(CollectiveOp::alltoallv, -1, sent, received);
    for (std::size_t from = 0; from < bytes.size(); ++from) {
      RankTrace& rank = trace_.ranks[from];
      for (std::size_t to = 0; to < bytes.size(); ++to) {
        if (bytes[from][to] == 0) continue;
        rank.kind.push_back(ActionKind::sent_to);
        rank.peer.push_back(static_cast<std::int32_t>(to));
        rank.bytes.push_back(bytes[from][to]);
        rank.match.push_back(none);
        rank.tag.push_back(0);
        rank.comm.push_back(0);
        rank.bytes_received.push_back(0);
        rank.operation.push_back(0);
        ++rank.first_action.back();
      }
    }
  }
  void collective(CollectiveOp op, std::uint64_t bytes) {
    const std::vector<std::uint64_t> each(trace_.ranks.size(), bytes);
    collective(op, -1, each, each);
  }

  Trace& trace() { return trace_; }
  std::int64_t call_ns = 1000;

 private:
  RankTrace& at(int rank) { return trace_.ranks[static_cast<std::size_t>(rank)]; }

  // The k-th send from one rank to another and the k-th receive are the same message.
  std::uint32_t message(int from, int to, std::uint64_t bytes, bool sending, bool synchronous = false) {
    auto& pair = pairs_[{from, to}];
    std::size_t& next = sending ? pair.sent : pair.received;
    if (next == pair.messages.size()) {
      pair.messages.push_back(static_cast<std::uint32_t>(trace_.messages.size()));
      Message m;
      m.source = from;
      m.destination = to;
      m.bytes = bytes;
      trace_.messages.push_back(m);
    }
    const std::uint32_t index = pair.messages[next++];
    Message& m = trace_.messages[index];
    if (sending) {
      m.send_call = m.send_done_call = static_cast<std::uint32_t>(at(from).calls());
      m.synchronous = synchronous;
    } else {
      m.recv_post_call = m.recv_done_call = static_cast<std::uint32_t>(at(to).calls());
    }
    return index;
  }

  void in_call(int rank, double seconds, const std::vector<std::pair<ActionKind, std::uint32_t>>& actions) {
    const std::int64_t usual_ns = call_ns;
    call_ns = std::llround(seconds * 1e9);
    call(rank, "MPI_Test", actions);
    call_ns = usual_ns;
  }

  void call(int rank, const std::string& name,
            const std::vector<std::pair<ActionKind, std::uint32_t>>& actions) {
    RankTrace& r = at(rank);
    std::size_t region = 0;
    while (region < trace_.regions.size() && trace_.regions[region] != name) ++region;
    if (region == trace_.regions.size()) trace_.regions.push_back(name);
    for (const auto& [kind, match] : actions) {
      if (kind == ActionKind::irecv_done)
        trace_.messages[match].recv_done_call = static_cast<std::uint32_t>(r.calls());
      if (kind == ActionKind::isend_done)
        trace_.messages[match].send_done_call = static_cast<std::uint32_t>(r.calls());
      r.kind.push_back(kind);
      r.match.push_back(match);
      r.peer.push_back(-1);
      r.tag.push_back(0);
      r.comm.push_back(0);
      r.bytes.push_back(0);
      r.bytes_received.push_back(0);
      r.operation.push_back(0);
    }
    r.enter_ns.push_back(r.end_ns);
    r.end_ns += call_ns;
    r.leave_ns.push_back(r.end_ns);
    r.region.push_back(static_cast<std::uint16_t>(region));
    r.first_action.push_back(static_cast<std::uint32_t>(r.actions()));
  }

  struct Pair {
    std::vector<std::uint32_t> messages;
    std::size_t sent = 0, received = 0;
  };
  std::map<std::pair<int, int>, Pair> pairs_;
  Trace trace_;
};

}  // namespace ww::simulate
