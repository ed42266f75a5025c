// Expected matches follow MPI's non-overtaking rule (MPI 3.1, section 3.5), worked out by hand.
#include "trace/match.hpp"

#include <gtest/gtest.h>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

TEST(Match, SameTagInTheOrderOfPostingNotOfCompletion) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 10, 11, {message_action(ActionKind::send, 1, 5, 100)});
  builder.call(0, "MPI_Send", 12, 13, {message_action(ActionKind::send, 1, 5, 200)});
  builder.call(1, "MPI_Irecv", 0, 1, {message_action(ActionKind::irecv, 0, 5, 999, 1)});
  builder.call(1, "MPI_Irecv", 1, 2, {message_action(ActionKind::irecv, 0, 5, 999, 2)});
  builder.call(1, "MPI_Wait", 20, 21, {message_action(ActionKind::irecv_done, 0, 5, 200, 2)});
  builder.call(1, "MPI_Wait", 22, 23, {message_action(ActionKind::irecv_done, 0, 5, 100, 1)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 2u);  // by completion: the second message comes first
  EXPECT_EQ(trace.messages[0].bytes, 200u);
  EXPECT_EQ(trace.messages[0].recv_post_call, 1u);
  EXPECT_EQ(trace.messages[0].recv_done_call, 2u);
  EXPECT_EQ(trace.messages[1].bytes, 100u);
  EXPECT_FALSE(trace.diagnostics.has("message-size-mismatch"));
}

TEST(Match, WildcardsCountAsWhatTheyReceived) {
  TraceBuilder builder(3, 1000);
  builder.call(0, "MPI_Send", 10, 11, {message_action(ActionKind::send, 2, 5, 1)});
  builder.call(1, "MPI_Send", 5, 6, {message_action(ActionKind::send, 2, 6, 2)});
  builder.call(
      2, "MPI_Irecv", 0, 1,
      {message_action(ActionKind::irecv, -1, -1, 9, 1, action_wildcard_source | action_wildcard_tag)});
  builder.call(2, "MPI_Recv", 2, 12, {message_action(ActionKind::recv, 0, 5, 1)});
  builder.call(2, "MPI_Wait", 13, 14, {message_action(ActionKind::irecv_done, 1, 6, 2, 1)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 2u);
  EXPECT_EQ(trace.messages[1].source, 1);
  EXPECT_TRUE(trace.messages[1].wildcard);
  EXPECT_FALSE(trace.messages[0].wildcard);
  EXPECT_EQ(trace.wildcard_receives, 1u);
  EXPECT_EQ(trace.ranks[2].peer[0], 1);  // the posting now says what matched it
  EXPECT_EQ(trace.ranks[2].tag[0], 6);
  EXPECT_EQ(trace.unmatched_sends + trace.unmatched_receives, 0u);
}

// S5: the number counts from the start of the run. Ranks that left out 2 sends and 1 receive: the first send
// in the trace is number 3, the receives are 2 and 3.
TEST(Match, NumbersGoOnWhereMessagesWereLeftOut) {
  TraceBuilder builder(2, 1000);
  const auto left_out = [](std::uint8_t what, std::int32_t peer, std::uint64_t count) {
    return message_action(ActionKind::left_out, peer, 5, count, 0, what);
  };
  builder.call(0, "MPI_Send", 10, 11,
               {left_out(action_left_out_sends, 1, 2), message_action(ActionKind::send, 1, 5, 300)});
  builder.call(0, "MPI_Send", 12, 13,
               {left_out(action_left_out_sends, 1, 1), message_action(ActionKind::send, 1, 5, 500)});
  builder.call(1, "MPI_Recv", 0, 12,
               {left_out(action_left_out_receives, 0, 1), message_action(ActionKind::recv, 0, 5, 200)});
  builder.call(1, "MPI_Recv", 14, 15, {message_action(ActionKind::recv, 0, 5, 300)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].bytes, 300u);
  EXPECT_EQ(trace.messages[0].recv_done_call, 1u);
  EXPECT_FALSE(trace.diagnostics.has("message-size-mismatch"));
  EXPECT_EQ(trace.half_left_out, 1u);    // receive number 2
  EXPECT_EQ(trace.unmatched_sends, 1u);  // number 5: the receiver says nothing of it
  EXPECT_EQ(trace.unmatched_receives, 0u);
}

TEST(Match, CollectivesGoOnWhereTheyWereLeftOut) {
  TraceBuilder builder(2, 1000);
  Action gap;
  gap.kind = ActionKind::left_out;
  gap.bytes = 1;
  gap.flags = action_left_out_collectives;
  builder.call(0, "MPI_Barrier", 0, 1, {collective_action(0, 0)});
  builder.call(0, "MPI_Allreduce", 2, 3, {collective_action(8, 8)});
  builder.call(1, "MPI_Allreduce", 2, 3, {gap, collective_action(8, 8)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.collectives.size(), 2u);
  EXPECT_EQ(trace.collectives[1].members.size(), 2u);
  EXPECT_EQ(trace.collectives[1].op, CollectiveOp::allreduce);
  EXPECT_FALSE(trace.diagnostics.has("collective-mismatch"));
  EXPECT_FALSE(trace.diagnostics.has("incomplete-collective"));
  EXPECT_TRUE(trace.diagnostics.has("collective-half-left-out"));
}

TEST(Match, CountsWhatHasNoOtherSide) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 10, 11, {message_action(ActionKind::send, 1, 5, 1)});
  builder.call(0, "MPI_Send", 12, 13, {message_action(ActionKind::send, 1, 7, 1)});
  builder.call(1, "MPI_Recv", 0, 12, {message_action(ActionKind::recv, 0, 5, 1)});
  builder.call(1, "MPI_Recv", 14, 15, {message_action(ActionKind::recv, 0, 6, 1)});
  builder.call(1, "MPI_Irecv", 16, 17,
               {message_action(ActionKind::irecv, -1, 6, 1, 1, action_wildcard_source)});
  const Trace trace = builder.matched();
  EXPECT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.unmatched_sends, 1u);
  EXPECT_EQ(trace.unmatched_receives, 2u);  // tag 6, and the one from anyone that never completed
  EXPECT_TRUE(trace.diagnostics.has("unmatched-send"));
  EXPECT_TRUE(trace.diagnostics.has("unmatched-receive"));
  EXPECT_EQ(trace.ranks[1].match[1], none);
}

TEST(Match, AnOpenReceiveKeepsItsPlace) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 10, 11, {message_action(ActionKind::send, 1, 5, 100)});
  builder.call(0, "MPI_Send", 12, 13, {message_action(ActionKind::send, 1, 5, 200)});
  builder.call(1, "MPI_Irecv", 0, 1, {message_action(ActionKind::irecv, 0, 5, 999, 1)});
  builder.call(1, "MPI_Recv", 2, 20, {message_action(ActionKind::recv, 0, 5, 200)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].bytes, 200u);
  EXPECT_EQ(trace.unmatched_sends, 1u);
}

TEST(Match, CancelledReceivesTakeNothing) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 10, 11, {message_action(ActionKind::send, 1, 5, 1)});
  builder.call(1, "MPI_Irecv", 0, 1, {message_action(ActionKind::irecv, 0, 5, 1, 1)});
  builder.call(1, "MPI_Wait", 2, 3, {message_action(ActionKind::cancelled, 0, 0, 0, 1)});
  builder.call(1, "MPI_Recv", 4, 12, {message_action(ActionKind::recv, 0, 5, 1)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].recv_post_call, 2u);
  EXPECT_EQ(trace.unmatched_receives, 0u);
}

TEST(Match, MessagesToOneself) {
  TraceBuilder builder(1, 1000);
  builder.call(0, "MPI_Sendrecv", 10, 20,
               {message_action(ActionKind::send, 0, 5, 1), message_action(ActionKind::recv, 0, 5, 1)});
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].source, 0);
  EXPECT_EQ(trace.messages[0].destination, 0);
}

TEST(Match, OtherCommunicatorsAreOtherChannels) {
  TraceBuilder builder(2, 1000);
  builder.trace().comms.push_back({"dup", {0, 1}, 0});
  Action send = message_action(ActionKind::send, 1, 5, 1);
  send.comm = 1;
  builder.call(0, "MPI_Send", 10, 11, {send});
  builder.call(1, "MPI_Recv", 0, 12, {message_action(ActionKind::recv, 0, 5, 1)});
  const Trace trace = builder.matched();
  EXPECT_EQ(trace.messages.size(), 0u);
}

TEST(Match, CollectivesByTheirOrderOnTheCommunicator) {
  TraceBuilder builder(3, 1000);
  for (std::size_t r = 0; r < 3; ++r) {
    builder.call(r, "MPI_Bcast", 10, 20, {collective_action(8, 8, 2)});
    if (r != 1) builder.call(r, "MPI_Barrier", 30, 40, {collective_action(0, 0)});  // rank 1 ended early
  }
  const Trace trace = builder.matched();
  ASSERT_EQ(trace.collectives.size(), 2u);
  EXPECT_EQ(trace.collectives[0].op, CollectiveOp::bcast);
  EXPECT_EQ(trace.collectives[0].root, 2);
  EXPECT_EQ(trace.collectives[0].members.size(), 3u);
  EXPECT_EQ(trace.collectives[1].members.size(), 2u);
  EXPECT_TRUE(trace.diagnostics.has("incomplete-collective"));
  EXPECT_FALSE(trace.diagnostics.has("collective-mismatch"));
}

TEST(CollectiveNames, BlockingAndNot) {
  EXPECT_EQ(collective_op("MPI_Allreduce"), CollectiveOp::allreduce);
  EXPECT_EQ(collective_op("MPI_Iallreduce"), CollectiveOp::allreduce);
  EXPECT_EQ(collective_op("MPI_Ireduce_scatter_block"), CollectiveOp::reduce_scatter_block);
  EXPECT_EQ(collective_op("MPI_Comm_dup"), CollectiveOp::communicator);
  EXPECT_EQ(collective_op("MPI_Isend"), CollectiveOp::other);
}

}  // namespace
}  // namespace ww
