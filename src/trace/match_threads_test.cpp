// Expectations are the messages and collectives that the trace was made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "trace/however_loaded.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr std::size_t size = 7;

// What is to be found of a message.
struct Sent {
  std::int32_t source, destination, tag;
  std::uint32_t comm;
  std::uint64_t bytes;
  std::uint32_t send_call = none, send_done_call = none, recv_post_call = none, recv_done_call = none;
  bool wildcard = false;
};

// Ranks that send, receive and meet at random. Receives of a channel are posted in the order of its sends;
// completed are most operations, in any order.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    builder_.trace().comms.push_back({"everybody again", builder_.trace().comms[0].ranks, 0});
    for (int step = 0; step < 3000; ++step) {
      if (draw(100) == 0)
        meet(static_cast<std::uint32_t>(draw(2)));
      else
        exchange();
      if (draw(2) == 0) complete(draw(size));
    }
    // A wildcard that never completes is another test's.
    const auto is_wildcard = [&](const Open& one) { return one.is_receive && sent_[one.message].wildcard; };
    for (std::size_t r = 0; r < size; ++r)
      while (open_[r].size() > 4 || std::any_of(open_[r].begin(), open_[r].end(), is_wildcard)) complete(r);
  }
  Trace& trace() { return builder_.trace(); }
  // By receiver and order of completion.
  std::vector<Sent> received() const {
    std::vector<Sent> out;
    for (const auto& of_rank : received_)
      for (const std::size_t message : of_rank) out.push_back(sent_[message]);
    return out;
  }
  std::size_t sent() const { return sent_.size(); }
  struct Met {
    std::uint32_t comm;
    std::vector<std::uint32_t> calls;  // by rank
  };
  const std::vector<Met>& met() const { return met_; }

 private:
  struct Open {
    std::uint64_t operation;
    std::size_t message;
    bool is_receive;
  };

  std::size_t draw(std::size_t below) { return random_() % below; }
  std::uint32_t call(std::size_t rank, const char* name, Action action, std::uint32_t comm) {
    now_ += 2;
    action.comm = comm;
    builder_.call(rank, name, now_, now_ + 1, {action});
    return calls_[rank]++;
  }

  void exchange() {
    const std::size_t from = draw(size), to = draw(size), message = sent_.size();
    Sent one{static_cast<std::int32_t>(from), static_cast<std::int32_t>(to),
             static_cast<std::int32_t>(draw(3)), static_cast<std::uint32_t>(draw(2)), draw(1000)};
    if (draw(2) == 0) {
      one.send_call = one.send_done_call = call(
          from, "MPI_Send", message_action(ActionKind::send, one.destination, one.tag, one.bytes), one.comm);
    } else {
      const std::uint64_t operation = ++operations_[from];
      one.send_call =
          call(from, "MPI_Isend",
               message_action(ActionKind::isend, one.destination, one.tag, one.bytes, operation), one.comm);
      open_[from].push_back({operation, message, false});
    }
    if (draw(3) == 0) {
      one.recv_post_call = one.recv_done_call =
          call(to, "MPI_Recv", message_action(ActionKind::recv, one.source, one.tag, one.bytes), one.comm);
      received_[to].push_back(message);
    } else {
      const std::uint64_t operation = ++operations_[to];
      one.wildcard = draw(4) == 0;
      one.recv_post_call =
          call(to, "MPI_Irecv",
               one.wildcard ? message_action(ActionKind::irecv, -1, -1, 2000, operation,
                                             action_wildcard_source | action_wildcard_tag)
                            : message_action(ActionKind::irecv, one.source, one.tag, 2000, operation),
               one.comm);
      open_[to].push_back({operation, message, true});
    }
    sent_.push_back(one);
  }

  void complete(std::size_t rank) {
    if (open_[rank].empty()) return;
    const auto which = open_[rank].begin() + static_cast<std::ptrdiff_t>(draw(open_[rank].size()));
    const Open open = *which;
    open_[rank].erase(which);
    Sent& one = sent_[open.message];
    if (open.is_receive) {
      one.recv_done_call = call(
          rank, "MPI_Wait",
          message_action(ActionKind::irecv_done, one.source, one.tag, one.bytes, open.operation), one.comm);
      received_[rank].push_back(open.message);
    } else {
      one.send_done_call =
          call(rank, "MPI_Wait",
               message_action(ActionKind::isend_done, one.destination, one.tag, one.bytes, open.operation),
               one.comm);
    }
  }

  void meet(std::uint32_t comm) {
    met_.push_back({comm, {}});
    for (std::size_t r = 0; r < size; ++r)
      met_.back().calls.push_back(call(r, "MPI_Allreduce", collective_action(8, 8), comm));
  }

  std::mt19937_64 random_;
  TraceBuilder builder_{size, 1 << 20};
  std::int64_t now_ = 0;
  std::uint32_t calls_[size] = {};
  std::uint64_t operations_[size] = {};
  std::vector<Sent> sent_;
  std::vector<std::size_t> received_[size];
  std::vector<Open> open_[size];
  std::vector<Met> met_;
};

void expect_found(const Trace& trace, const RandomProgram& program) {
  const std::vector<Sent> received = program.received();
  ASSERT_EQ(trace.messages.size(), received.size());
  std::uint64_t wildcards = 0;
  for (std::size_t m = 0; m < received.size(); ++m) {
    const Message& found = trace.messages[m];
    const Sent& made = received[m];
    ASSERT_EQ(std::tie(found.source, found.destination, found.tag, found.comm, found.bytes),
              std::tie(made.source, made.destination, made.tag, made.comm, made.bytes))
        << m;
    ASSERT_EQ(std::tie(found.send_call, found.send_done_call, found.recv_post_call, found.recv_done_call,
                       found.wildcard),
              std::tie(made.send_call, made.send_done_call, made.recv_post_call, made.recv_done_call,
                       made.wildcard))
        << m;
    wildcards += made.wildcard ? 1 : 0;
  }
  EXPECT_EQ(trace.wildcard_receives, wildcards);
  EXPECT_EQ(trace.unmatched_sends, program.sent() - received.size());
  EXPECT_EQ(trace.unmatched_receives, program.sent() - received.size());
  ASSERT_EQ(trace.collectives.size(), program.met().size());
  std::size_t c = 0;
  for (const std::uint32_t comm : {0u, 1u})
    for (const RandomProgram::Met& met : program.met()) {
      if (met.comm != comm) continue;
      const Collective& found = trace.collectives[c++];
      ASSERT_EQ(found.comm, comm);
      ASSERT_EQ(found.op, CollectiveOp::allreduce);
      ASSERT_EQ(found.members.size(), size);
      for (std::size_t r = 0; r < size; ++r) ASSERT_EQ(found.members[r].call, met.calls[r]);
    }
}

TEST(MatchByThreads, FindsWhatRandomProgramsWereMadeOf) {
  const spool::TestDir dir;
  bool some_open = false;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(seed);
    some_open |= program.received().size() < program.sent();
    Trace first;
    for (const std::size_t threads : {1u, 2u, 5u}) {
      for (const bool in_file : {false, true}) {
        SCOPED_TRACE(threads);
        Trace trace = program.trace();
        if (in_file) {
          const auto store = ColumnStore::make(dir.path());
          ASSERT_TRUE(store);
          trace.store = *store;
          trace.messages.keep_in(*store);
          trace.collectives.keep_in(*store);
        }
        match(trace, threads);
        expect_found(trace, program);
        if (threads == 1 && !in_file)
          first = trace;
        else
          expect_same(first, trace);
      }
    }
  }
  EXPECT_TRUE(some_open);
}

// What is said of regions counts, and names only where nothing is said (call_meaning.hpp).
TEST(MatchByThreads, OperationsAreThoseOfTheMeanings) {
  TraceBuilder builder(2, 1000);
  for (const std::size_t rank : {0u, 1u}) {
    builder.call(rank, "xx_gather_all", 0, 1, {collective_action(8, 16)});
    builder.call(rank, "MPI_Barrier", 2, 3, {collective_action(0, 0)});
  }
  builder.trace().meanings = {{CallRole::collective, CollectiveOp::allgather}};
  match(builder.trace(), 2);
  ASSERT_EQ(builder.trace().collectives.size(), 2u);
  EXPECT_EQ(builder.trace().collectives[0].op, CollectiveOp::allgather);
  EXPECT_EQ(builder.trace().collectives[1].op, CollectiveOp::barrier);
}

}  // namespace
}  // namespace ww
