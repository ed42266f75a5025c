// Expected values are worked out by hand from the times of each case, after the definitions in breakdown.hpp
// (S4): algorithmic lasts from entering until the other side has begun, service is the rest without the
// software.
#include "analyze/breakdown.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "analyze/random_trace_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

using Split = std::pair<std::int64_t, std::int64_t>;  // algorithmic, service

Split split(const Breakdown& breakdown, std::size_t rank, std::size_t call) {
  return {breakdown.splits[rank].algorithmic_ns[call], breakdown.splits[rank].service_ns[call]};
}

MachineModel machine_with(double f_s, double a_s, double u_s) {
  MachineModel machine;
  const auto flat = [](double seconds) { return Curve{{Segment{0, 1e9, seconds, 0, {}, {}}}}; };
  machine.costs.F = flat(f_s);
  machine.costs.A = flat(a_s);
  machine.costs.U = flat(u_s);
  return machine;
}

TEST(Breakdown, ReceiveEnteredBeforeTheSendBegan) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 0, 8)});
  const Trace trace = builder.matched();
  const auto machine = machine_with(15e-9, 10e-9, 20e-9);
  const Breakdown breakdown = break_down(trace, &machine);
  EXPECT_EQ(split(breakdown, 1, 0), Split(500, 70));  // 600 of which 30 (A + U) are software
  EXPECT_EQ(split(breakdown, 0, 0), Split(0, 5));     // 20 of which 15 (F) are software
  EXPECT_DOUBLE_EQ(breakdown.ranks[1].compute_s, 400e-9);
  EXPECT_NEAR(breakdown.ranks[1].library_s, 30e-9, 1e-15);
  EXPECT_DOUBLE_EQ(breakdown.ranks[1].blocked_algorithmic_s, 500e-9);
  EXPECT_EQ(breakdown.ranks[0].messages_sent, 1u);
  EXPECT_EQ(breakdown.ranks[1].bytes_received, 8u);
  ASSERT_EQ(breakdown.peers.size(), 1u);
  EXPECT_EQ(breakdown.peers[0].destination, 1);
}

TEST(Breakdown, ReceiveEnteredAfterTheSendBeganHasNoAlgorithmicPart) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 50, 60, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 100, 150, {message_action(ActionKind::recv, 0, 0, 8)});
  const auto machine = machine_with(10e-9, 10e-9, 20e-9);
  EXPECT_EQ(split(break_down(builder.matched(), &machine), 1, 0), Split(0, 20));
}

TEST(Breakdown, WaitallWaitsForTheSendThatBeganLast) {
  TraceBuilder builder(3, 10000);
  builder.call(0, "MPI_Send", 300, 310, {message_action(ActionKind::send, 2, 0, 8)});
  builder.call(1, "MPI_Send", 900, 910, {message_action(ActionKind::send, 2, 0, 8)});
  builder.call(2, "MPI_Irecv", 0, 1, {message_action(ActionKind::irecv, 0, 0, 8, 1)});
  builder.call(2, "MPI_Irecv", 1, 2, {message_action(ActionKind::irecv, 1, 0, 8, 2)});
  builder.call(2, "MPI_Waitall", 100, 1000,
               {message_action(ActionKind::irecv_done, 0, 0, 8, 1),
                message_action(ActionKind::irecv_done, 1, 0, 8, 2)});
  const auto machine = machine_with(10e-9, 10e-9, 20e-9);
  const Breakdown breakdown = break_down(builder.matched(), &machine);
  EXPECT_EQ(split(breakdown, 2, 2), Split(800, 60));  // 100 after the last send, of which 2 U are software
  EXPECT_EQ(split(breakdown, 2, 0), Split(0, 0));
}

TEST(Breakdown, LargeSendWaitsForTheLateReceive) {
  TraceBuilder builder(2, 10000);
  builder.call(0, "MPI_Send", 0, 500, {message_action(ActionKind::send, 1, 0, 1 << 20)});
  builder.call(1, "MPI_Recv", 400, 520, {message_action(ActionKind::recv, 0, 0, 1 << 20)});
  const auto machine = machine_with(30e-9, 10e-9, 20e-9);
  const Breakdown breakdown = break_down(builder.matched(), &machine);
  EXPECT_EQ(split(breakdown, 0, 0), Split(400, 70));
  EXPECT_EQ(split(breakdown, 1, 0), Split(0, 90));
}

TEST(Breakdown, SmallSendDoesNotWaitForTheReceive) {
  TraceBuilder builder(2, 10000);
  builder.call(0, "MPI_Send", 0, 500, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 400, 520, {message_action(ActionKind::recv, 0, 0, 8)});
  const auto machine = machine_with(30e-9, 10e-9, 20e-9);
  EXPECT_EQ(split(break_down(builder.matched(), &machine), 0, 0), Split(0, 470));
}

TEST(Breakdown, CollectivesWaitForThoseTheyNeed) {
  TraceBuilder builder(3, 10000);
  for (std::size_t r = 0; r < 3; ++r) {
    const auto at = static_cast<std::int64_t>(100 * r);  // rank 2 is last to enter each
    builder.call(r, "MPI_Allreduce", at, 300, {collective_action(8, 8)});
    builder.call(r, "MPI_Bcast", 1000 + at, 1300, {collective_action(8, 8, 1)});
    builder.call(r, "MPI_Reduce", 2000 + at, 2300, {collective_action(8, 8, 0)});
    builder.call(r, "MPI_Scan", 3000 + at, 3300, {collective_action(8, 8)});
  }
  const Breakdown breakdown = break_down(builder.matched(), nullptr);
  EXPECT_EQ(split(breakdown, 0, 0), Split(200, 100));  // needs everybody: rank 2 enters at 200
  EXPECT_EQ(split(breakdown, 2, 0), Split(0, 100));
  EXPECT_EQ(split(breakdown, 0, 1), Split(100, 200));  // needs the root, rank 1, who enters at 1100
  EXPECT_EQ(split(breakdown, 1, 1), Split(0, 0));      // the root of a broadcast needs nobody
  EXPECT_EQ(split(breakdown, 2, 1), Split(0, 100));
  EXPECT_EQ(split(breakdown, 0, 2), Split(200, 100));  // the root of a reduction needs everybody
  EXPECT_EQ(split(breakdown, 1, 2), Split(0, 0));
  EXPECT_EQ(split(breakdown, 0, 3), Split(0, 0));  // a scan needs the ranks before
  EXPECT_EQ(split(breakdown, 2, 3), Split(0, 100));
  EXPECT_TRUE(breakdown.diagnostics.has("software-not-told-apart"));
}

TEST(Breakdown, SoftwareIsWhatQuickLikeCallsTook) {
  TraceBuilder builder(2, 10000000);
  // Six messages sent 100 us before they are asked for, received in 40, 42, 44 ... ns; the quickest flight is
  // 1 us.
  for (int i = 0; i < 6; ++i)
    builder.call(0, "MPI_Send", i * 1000, i * 1000 + 10, {message_action(ActionKind::send, 1, i, 64)});
  for (int i = 0; i < 6; ++i)
    builder.call(1, "MPI_Recv", 100000 + i * 1000, 100040 + i * 1002,
                 {message_action(ActionKind::recv, 0, i, 64)});
  builder.call(0, "MPI_Send", 500000, 500010, {message_action(ActionKind::send, 1, 9, 64)});
  builder.call(1, "MPI_Recv", 400000, 501000, {message_action(ActionKind::recv, 0, 9, 64)});
  const Breakdown breakdown = break_down(builder.matched(), nullptr);
  EXPECT_EQ(split(breakdown, 1, 6), Split(100000, 1000 - 40));
  EXPECT_EQ(split(breakdown, 1, 0), Split(0, 0));
  EXPECT_EQ(split(breakdown, 0, 0), Split(0, 0));  // sends of 64 bytes are eager, all took the same
  EXPECT_FALSE(breakdown.diagnostics.has("software-not-told-apart"));
}

TEST(Breakdown, ProbeWaitsForTheMessageReceivedNext) {
  TraceBuilder builder(2, 10000);
  builder.call(0, "MPI_Send", 600, 610, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Probe", 100, 700);
  builder.call(1, "MPI_Recv", 710, 720, {message_action(ActionKind::recv, 0, 0, 8)});
  EXPECT_EQ(split(break_down(builder.matched(), nullptr), 1, 0), Split(500, 100));
}

// The calls of the case before and one that polls, of a library that names them otherwise: what is told of them
// counts.
TEST(Breakdown, ProbesAndPollsAreToldByTheMeaningsOfCalls) {
  TraceBuilder builder(2, 10000);
  builder.call(0, "x_send", 600, 610, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "x_look", 100, 700);
  builder.call(1, "x_ask", 710, 720, {message_action(ActionKind::recv, 0, 0, 8)});
  constexpr auto p2p = [](CallManner manner) {
    return CallMeaning{CallRole::p2p, CollectiveOp::other, CallPhase::within, manner};
  };
  builder.trace().meanings = {p2p(CallManner::blocks), p2p(CallManner::probes), p2p(CallManner::polls)};
  EXPECT_EQ(split(break_down(builder.matched(), nullptr), 1, 0), Split(500, 100));
  EXPECT_EQ(split(break_down(builder.matched(), nullptr), 1, 1), Split(0, 0));
}

TEST(Breakdown, PollingIsLibraryTimeAndSaidSo) {
  TraceBuilder builder(1, 1000);
  builder.call(0, "MPI_Iprobe", 0, 400, {message_action(ActionKind::test_failed, -1, 0, 0)});
  const Breakdown breakdown = break_down(builder.matched(), nullptr);
  EXPECT_DOUBLE_EQ(breakdown.ranks[0].library_s, 400e-9);
  EXPECT_TRUE(breakdown.diagnostics.has("polling"));
}

TEST(Breakdown, OnlyTheProgramBetweenInitAndFinalizeCounts) {
  TraceBuilder builder(1, 900);
  builder.trace().ranks[0].begin_ns = 100;
  builder.call(0, "MPI_Init", 0, 100);
  builder.call(0, "MPI_Comm_rank", 200, 250);
  builder.call(0, "MPI_Finalize", 900, 2000);
  const Breakdown breakdown = break_down(builder.matched(), nullptr);
  EXPECT_DOUBLE_EQ(breakdown.ranks[0].elapsed_s, 800e-9);
  EXPECT_DOUBLE_EQ(breakdown.ranks[0].library_s, 50e-9);
  EXPECT_EQ(breakdown.calls.at("MPI_Finalize").count, 1u);
}

TEST(Breakdown, PartsAddUpToTheNanosecondOnRandomTraces) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Trace trace = random_trace(seed);
    const auto machine = machine_with(20e-9, 30e-9, 40e-9);
    const Breakdown breakdown = break_down(trace, seed % 2 == 0 ? nullptr : &machine);
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      const RankTrace& rank = trace.ranks[r];
      const RankBreakdown& out = breakdown.ranks[r];
      const auto ns = [](double seconds) { return std::llround(seconds * 1e9); };
      EXPECT_EQ(ns(out.elapsed_s), rank.end_ns - rank.begin_ns);
      EXPECT_EQ(ns(out.elapsed_s), ns(out.compute_s) + ns(out.library_s) + ns(out.blocked_s)) << seed;
      EXPECT_EQ(ns(out.blocked_s), ns(out.blocked_algorithmic_s) + ns(out.blocked_service_s)) << seed;
      EXPECT_GE(out.compute_s, 0);
      EXPECT_GE(out.library_s, 0);
      for (std::size_t call = 0; call < rank.calls(); ++call) {
        const auto [algorithmic, service] = split(breakdown, r, call);
        EXPECT_GE(algorithmic, 0);
        EXPECT_GE(service, 0);
        EXPECT_LE(algorithmic + service, rank.leave_ns[call] - rank.enter_ns[call]);
      }
    }
  }
}

TEST(Report, JsonHasTheKeysOfTheInterface) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 3, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 3, 8)});
  const Trace trace = builder.matched();
  const auto json = to_json(break_down(trace, nullptr), trace);
  for (const char* key : {"ranks", "elapsed_s", "unmatched_sends", "unmatched_receives", "wildcard_receives",
                          "events", "calls", "diagnostics", "peers", "types"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key :
       {"rank", "elapsed_s", "compute_s", "library_s", "blocked_s", "blocked_algorithmic_s",
        "blocked_service_s", "messages_sent", "bytes_sent", "messages_received", "bytes_received"})
    EXPECT_TRUE(json["ranks"][0].contains(key)) << key;
  EXPECT_EQ(json["calls"]["MPI_Send"]["count"], 1);
  EXPECT_EQ(json["types"][0]["tag"], 3);
}

// first-use.md: 327,774 MPI_Wtime of one program.
TEST(Breakdown, ACallThatFloodsTheTraceIsNamed) {
  const auto flood_of = [](int clocks, int sends) {
    TraceBuilder builder(1, 1'000'000'000);
    std::int64_t at = 10;
    for (int i = 0; i < clocks; ++i, at += 20) builder.call(0, "MPI_Wtime", at, at + 10);
    for (int i = 0; i < sends; ++i, at += 20) builder.call(0, "MPI_Iprobe", at, at + 10);
    return break_down(builder.matched(), nullptr).diagnostics;
  };
  const Diagnostics said = flood_of(30000, 10000);
  ASSERT_TRUE(said.has("flooding-call"));
  EXPECT_NE(said.all()[0].remedy.find("75% of all calls are MPI_Wtime"), std::string::npos);
  EXPECT_FALSE(flood_of(19000, 10).has("flooding-call"));
  EXPECT_FALSE(flood_of(30000, 30000).has("flooding-call"));
}

// The timed program lies between MPI_Init and MPI_Finalize: from 100 to 900 here. What is outside has no
// share.
TEST(Breakdown, SharesOfCallsAreOfTheTimedProgram) {
  TraceBuilder builder(2, 900);
  for (std::size_t r = 0; r < 2; ++r) {
    builder.trace().ranks[r].begin_ns = 100;
    builder.call(r, "MPI_Init", 0, 100);
    builder.call(r, "MPI_Barrier", 300, 500, {collective_action(0, 0)});
    builder.call(r, "MPI_Finalize", 900, 20000);
  }
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  EXPECT_DOUBLE_EQ(breakdown.calls.at("MPI_Init").program_s, 0);
  EXPECT_DOUBLE_EQ(breakdown.calls.at("MPI_Finalize").program_s, 0);
  EXPECT_DOUBLE_EQ(breakdown.calls.at("MPI_Barrier").program_s, 400e-9);
}

}  // namespace
}  // namespace ww
