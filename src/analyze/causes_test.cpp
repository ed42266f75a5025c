// Expectations are closed forms of hand-built times; the names of faults are Scalasca's (late sender, late
// receiver) and what follows from them.
#include "analyze/causes.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

std::vector<Cause> causes_of(const Trace& trace) {
  return break_down(trace, nullptr).causes;
}

// first-use.md, value 6: the sentence that names the fault, before any table. Rank 1 is in MPI_Recv from 100
// to 940, rank 0 computes until it sends at 920: 820 of 1000.
TEST(Causes, ALateSenderIsNamedFirst) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 920, 930, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 940, {message_action(ActionKind::recv, 0, 7, 8)});
  const Trace trace = builder.matched();
  const auto causes = causes_of(trace);
  ASSERT_GE(causes.size(), 1u);
  EXPECT_EQ(causes[0].sentence,
            "Late sender: rank 1 waits 82% of its time in MPI_Recv for rank 0, which computes meanwhile");
  EXPECT_EQ(causes[0].remedy,
            "let rank 0 send earlier, before work that the message does not need, or give it less work; no "
            "network shortens this");
  EXPECT_NEAR(causes[0].share, 0.82, 1e-12);
  EXPECT_NEAR(causes[0].of_all, 0.41, 1e-12);
  EXPECT_NEAR(causes[0].meanwhile_computing, 1, 1e-12);
  const Breakdown breakdown = break_down(trace, nullptr);
  EXPECT_EQ(to_json(breakdown, trace)["causes"][0]["fault"], "late sender");
}

// A rendezvous: the receive is posted at 700, the send was begun at 100 by rank 0 and could not return
// before.
TEST(Causes, ALateReceiver) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 100, 720, {message_action(ActionKind::send, 1, 7, 1 << 20)});
  builder.call(1, "MPI_Recv", 700, 730, {message_action(ActionKind::recv, 0, 7, 1 << 20)});
  const auto causes = causes_of(builder.matched());
  ASSERT_GE(causes.size(), 1u);
  EXPECT_EQ(causes[0].sentence,
            "Late receiver: rank 0 waits 60% of its time in MPI_Send for rank 1, which computes meanwhile");
}

// Ranks 0 and 1 come at 100 and 300, rank 2 at 900 of 1000: they wait 80% and 60%, 70% of their time.
TEST(Causes, TheLastRankOfACollectiveIsNamed) {
  TraceBuilder builder(3, 1000);
  builder.call(0, "MPI_Barrier", 100, 900, {collective_action(0, 0)});
  builder.call(1, "MPI_Barrier", 300, 900, {collective_action(0, 0)});
  builder.call(2, "MPI_Barrier", 900, 900, {collective_action(0, 0)});
  const auto causes = causes_of(builder.matched());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].sentence,
            "Late rank: 2 ranks wait 70% of their time (rank 0 longest, 80%) in MPI_Barrier for rank 2, the "
            "last to enter it, which computes meanwhile");
}

// Sent at 100, there at 600, received from 110 on: 490 on its way.
TEST(Causes, WhatIsOnItsWayIsATransfer) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 100, 105, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 110, 600, {message_action(ActionKind::recv, 0, 7, 8)});
  const auto causes = causes_of(builder.matched());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].fault, Cause::Fault::transfer);
  EXPECT_EQ(causes[0].sentence,
            "Transfer: rank 1 waits 49% of its time in MPI_Recv for what is on its way: 490 ns a call for "
            "8 B, 131 Mb/s");
}

// Both enter at 100 and leave at 900 of 1000, a megabyte each way: two in 800 ns.
TEST(Causes, OfAnExchangeBothDirectionsAreCounted) {
  TraceBuilder builder(2, 1000);
  for (int rank = 0; rank < 2; ++rank)
    builder.call(rank, "MPI_Sendrecv", 100, 900,
                 {message_action(ActionKind::send, 1 - rank, 7, 1000000),
                  message_action(ActionKind::recv, 1 - rank, 7, 1000000)});
  const auto causes = causes_of(builder.matched());
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(causes[0].calls, 2u);
  EXPECT_EQ(causes[0].bytes, 4000000u);
  EXPECT_EQ(
      causes[0].sentence,
      "Transfer: 2 ranks wait 80% of their time (rank 0 longest, 80%) in MPI_Sendrecv for what is on its "
      "way: 800 ns a call for 1.91 MiB sent and received, 20000 Gb/s together");
}

// Rank 1's lateness is its own waiting for rank 2, not computation.
TEST(Causes, WhoIsLateWhileInMpiIsSaidToBe) {
  TraceBuilder builder(3, 1000);
  builder.call(2, "MPI_Send", 800, 810, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 820, {message_action(ActionKind::recv, 2, 7, 8)});
  builder.call(1, "MPI_Send", 820, 830, {message_action(ActionKind::send, 0, 7, 8)});
  builder.call(0, "MPI_Recv", 100, 840, {message_action(ActionKind::recv, 1, 7, 8)});
  const auto causes = causes_of(builder.matched());
  ASSERT_GE(causes.size(), 2u);
  EXPECT_EQ(causes[0].sentence,
            "Late sender: rank 0 waits 72% of its time in MPI_Recv for rank 1, which is in MPI itself "
            "meanwhile");
  EXPECT_EQ(causes[0].remedy,
            "see what holds rank 1 up: it is in MPI itself");  // and a network may well shorten it
  EXPECT_EQ(causes[1].sentence,
            "Late sender: rank 1 waits 70% of its time in MPI_Recv for rank 2, which computes meanwhile");
}

TEST(Causes, OfShortWaitsNothingIsSaid) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 120, 122, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 125, {message_action(ActionKind::recv, 0, 7, 8)});
  EXPECT_TRUE(causes_of(builder.matched()).empty());
}

}  // namespace
}  // namespace ww
