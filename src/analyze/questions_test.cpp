// Expected values are closed forms of the times of each hand-built trace, after the definitions in the
// headers.
#include <gtest/gtest.h>

#include <cmath>

#include "analyze/balance.hpp"
#include "analyze/follow.hpp"
#include "analyze/messages.hpp"
#include "analyze/pop.hpp"
#include "analyze/ratio.hpp"
#include "analyze/unmatched.hpp"
#include "analyze/utilisation.hpp"
#include "analyze/waiting.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

Utilisation utilisation_of(const Trace& trace) {
  return find_utilisation(trace, find_waits(trace, nullptr));
}

// A receive from 100 to 700 whose send begins at 600: idle for 500 of 1000.
Trace late_sender() {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 600, 620, {message_action(ActionKind::send, 1, 7, 8)});
  builder.call(1, "MPI_Recv", 100, 700, {message_action(ActionKind::recv, 0, 7, 8)});
  return builder.matched();
}

TEST(Utilisation, IdleUntilTheSendBegins) {
  const Utilisation found = utilisation_of(late_sender());
  EXPECT_NEAR(found.ranks[1].idle_s, 500 * ns, 1e-15);
  EXPECT_DOUBLE_EQ(found.ranks[1].utilisation, 0.5);
  EXPECT_DOUBLE_EQ(found.ranks[0].utilisation, 1);
  EXPECT_DOUBLE_EQ(found.utilisation, 0.75);
  ASSERT_EQ(found.over_time.size(), 50u);  // of 20 ns: idle in those from 100 to 600
  for (std::size_t bin = 0; bin < 50; ++bin)
    EXPECT_NEAR(found.over_time[bin], bin >= 5 && bin < 30 ? 0.5 : 1, 1e-12);
}

TEST(Utilisation, OfSeveralReceivesTheFirstSendEndsIdling) {
  TraceBuilder builder(3, 10000);
  builder.call(0, "MPI_Send", 300, 310, {message_action(ActionKind::send, 2, 0, 8)});
  builder.call(1, "MPI_Send", 900, 910, {message_action(ActionKind::send, 2, 0, 8)});
  builder.call(2, "MPI_Irecv", 0, 1, {message_action(ActionKind::irecv, 0, 0, 8, 1)});
  builder.call(2, "MPI_Irecv", 1, 2, {message_action(ActionKind::irecv, 1, 0, 8, 2)});
  builder.call(2, "MPI_Waitall", 100, 1000,
               {message_action(ActionKind::irecv_done, 0, 0, 8, 1),
                message_action(ActionKind::irecv_done, 1, 0, 8, 2)});
  EXPECT_NEAR(utilisation_of(builder.matched()).ranks[2].idle_s, 200 * ns, 1e-15);
}

TEST(Utilisation, SendersAndUnmatchedReceivesAreNotIdleMembersOfCollectivesAre) {
  TraceBuilder builder(2, 10000);
  builder.call(0, "MPI_Send", 0, 500,
               {message_action(ActionKind::send, 1, 0, 1 << 20)});  // waits for the receive
  builder.call(1, "MPI_Recv", 400, 520, {message_action(ActionKind::recv, 0, 0, 1 << 20)});
  builder.call(1, "MPI_Recv", 600, 900, {message_action(ActionKind::recv, 0, 9, 8)});
  builder.call(0, "MPI_Barrier", 1000, 1500, {collective_action(0, 0)});
  builder.call(1, "MPI_Barrier", 1300, 1500, {collective_action(0, 0)});
  const Utilisation found = utilisation_of(builder.matched());
  EXPECT_NEAR(found.ranks[0].idle_s, 300 * ns, 1e-15);
  EXPECT_EQ(found.ranks[1].idle_s, 0);
}

TEST(Utilisation, PollingIsShownBesideIt) {
  TraceBuilder builder(1, 1000);
  builder.call(0, "MPI_Iprobe", 100, 350, {message_action(ActionKind::test_failed, -1, 0, 0)});
  const Utilisation found = utilisation_of(builder.matched());
  EXPECT_NEAR(found.ranks[0].polling_s, 250 * ns, 1e-15);
  EXPECT_EQ(found.ranks[0].utilisation, 1);
}

TEST(Messages, AreCountedBySizeCallTypeAndPair) {
  TraceBuilder builder(3, 10000);
  builder.call(0, "MPI_Send", 0, 1, {message_action(ActionKind::send, 1, 5, 0)});
  builder.call(0, "MPI_Send", 1, 2, {message_action(ActionKind::send, 1, 5, 8)});
  builder.call(0, "MPI_Isend", 2, 3, {message_action(ActionKind::isend, 2, 6, 15, 1)});
  builder.call(1, "MPI_Send", 0, 1, {message_action(ActionKind::send, 2, 5, 100)});
  for (std::size_t r = 0; r < 3; ++r) builder.call(r, "MPI_Allreduce", 100, 200, {collective_action(16, 24)});
  const MessageSizes found = find_messages(builder.matched());
  ASSERT_EQ(found.all.histogram.bins().size(), 3u);  // 0; 8 to 15; 64 to 127
  EXPECT_EQ(found.all.histogram.bins().at(0).count, 1u);
  EXPECT_EQ(found.all.histogram.bins().at(4).count, 2u);
  EXPECT_EQ(found.all.histogram.bins().at(4).sum, 23u);
  EXPECT_EQ(Histogram::first_of(4), 8u);
  EXPECT_EQ(Histogram::last_of(4), 15u);
  EXPECT_EQ(found.all.histogram.bins().at(7).sum, 100u);
  EXPECT_EQ(found.by_call.at("MPI_Send").messages, 3u);
  EXPECT_EQ(found.by_call.at("MPI_Isend").messages, 1u);
  EXPECT_EQ(found.by_type.at({0, 5}).messages, 3u);
  EXPECT_EQ(found.by_pair.at({0, 1}).messages, 2u);
  EXPECT_EQ(found.by_pair.at({1, 2}).histogram.bins().begin()->second.sum, 100u);
  EXPECT_EQ(found.collectives.at({"MPI_Allreduce", 0}).bytes_sent, 48u);
  EXPECT_EQ(found.collectives.at({"MPI_Allreduce", 0}).bytes_received, 72u);
}

TEST(Waiting, ByCallAndForWhom) {
  const Trace trace = late_sender();
  const Breakdown breakdown = break_down(trace, nullptr);
  const Waiting found = find_waiting(trace, breakdown, find_waits(trace, nullptr));
  const CallWaiting& receive = found.calls.at("MPI_Recv");
  EXPECT_EQ(receive.calls, 1u);
  EXPECT_EQ(receive.waited, 1u);
  EXPECT_NEAR(receive.algorithmic_s, 500 * ns, 1e-15);
  EXPECT_NEAR(receive.service_s, 100 * ns, 1e-15);
  EXPECT_NEAR(receive.time_s.most, 600 * ns, 1e-15);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].rank, 1);
  EXPECT_EQ(found.pairs[0].waited_for, 0);
  EXPECT_NEAR(found.pairs[0].algorithmic_s, 500 * ns, 1e-15);
}

Breakdown computing(const std::vector<double>& compute_s, double elapsed_s) {
  Breakdown breakdown;
  breakdown.elapsed_s = elapsed_s;
  for (const double s : compute_s) {
    RankBreakdown rank;
    rank.rank = static_cast<std::int32_t>(breakdown.ranks.size());
    rank.elapsed_s = elapsed_s;
    rank.compute_s = s;
    rank.library_s = (elapsed_s - s) / 4;
    rank.blocked_s = rank.blocked_service_s = 3 * (elapsed_s - s) / 4;
    rank.messages_sent = 6;
    rank.bytes_sent = 60;
    breakdown.ranks.push_back(rank);
  }
  return breakdown;
}

TEST(Balance, OfOneTwoThree) {
  const Evenness found = find_balance(computing({1, 2, 3}, 4)).compute_s;
  EXPECT_DOUBLE_EQ(found.mean, 2);
  EXPECT_DOUBLE_EQ(found.balance, 2.0 / 3);
  EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(2.0 / 3));
  EXPECT_EQ(found.least_rank, 0);
  EXPECT_EQ(found.most_rank, 2);
  EXPECT_EQ(evenness_of({0, 0}).balance, 1);
}

TEST(Ratio, OfCommunicationToComputation) {
  const Ratio found = find_ratio(computing({1, 2, 0}, 4));
  EXPECT_DOUBLE_EQ(*found.ranks[0].ratio, 3);
  EXPECT_DOUBLE_EQ(*found.ranks[0].service_ratio, 9.0 / 4);
  EXPECT_DOUBLE_EQ(*found.ranks[1].ratio, 1);
  EXPECT_FALSE(found.ranks[2].ratio);
  EXPECT_DOUBLE_EQ(*found.all.ratio, 3);  // (3 + 2 + 4) / 3
  EXPECT_DOUBLE_EQ(*found.all.bytes_per_compute_s, 60);
}

TEST(Pop, EfficienciesMultiply) {
  const Pop pop = find_pop(computing({1, 2, 3}, 5), 4.0);
  EXPECT_DOUBLE_EQ(pop.load_balance, 2.0 / 3);
  EXPECT_DOUBLE_EQ(pop.communication_efficiency, 3.0 / 5);
  EXPECT_DOUBLE_EQ(pop.parallel_efficiency, 2.0 / 5);
  EXPECT_DOUBLE_EQ(*pop.serialisation, 3.0 / 4);
  EXPECT_DOUBLE_EQ(*pop.transfer, 4.0 / 5);
  EXPECT_DOUBLE_EQ(pop.load_balance * *pop.serialisation * *pop.transfer, pop.parallel_efficiency);
  EXPECT_FALSE(find_pop(computing({1}, 5), std::nullopt).transfer);
}

Trace with_loose_ends() {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 0, 10, {message_action(ActionKind::send, 1, 1, 8)});
  builder.call(0, "MPI_Send", 20, 30, {message_action(ActionKind::send, 1, 1, 16)});  // never received
  builder.call(0, "MPI_Isend", 40, 41, {message_action(ActionKind::isend, 1, 4, 8, 1)});
  builder.call(0, "MPI_Cancel", 42, 43, {message_action(ActionKind::cancelled, -1, 0, 0, 1)});
  builder.call(1, "MPI_Recv", 50, 60, {message_action(ActionKind::recv, 0, 1, 8)});
  builder.call(1, "MPI_Recv", 70, 80, {message_action(ActionKind::recv, 0, 2, 8)});  // its send is not there
  builder.call(
      1, "MPI_Irecv", 90, 91,
      {message_action(ActionKind::irecv, -1, -1, 99, 1, action_wildcard_source | action_wildcard_tag)});
  return builder.matched();
}

TEST(Unmatched, ListsWhatTheTraceCounts) {
  const Trace trace = with_loose_ends();
  const std::vector<UnmatchedEnd> found = find_unmatched(trace);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found.size(), trace.unmatched_sends + trace.unmatched_receives);
  EXPECT_TRUE(found[0].send);
  EXPECT_EQ(found[0].bytes, 16u);
  EXPECT_NEAR(found[0].at_s, 20 * ns, 1e-15);
  EXPECT_EQ(found[1].tag, 2);
  EXPECT_STREQ(found[1].why, "its send is not in the trace");
  EXPECT_EQ(found[2].peer, -1);
  EXPECT_STREQ(found[2].why, "posted and never completed");
}

TEST(Follow, AMessageFromEndToEnd) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Isend", 100, 110, {message_action(ActionKind::isend, 1, 7, 8, 1)});
  builder.call(0, "MPI_Isend", 120, 130, {message_action(ActionKind::isend, 1, 7, 32, 2)});
  builder.call(0, "MPI_Wait", 300, 310, {message_action(ActionKind::isend_done, 1, 7, 32, 2)});
  builder.call(1, "MPI_Irecv", 10, 20, {message_action(ActionKind::irecv, 0, 7, 8, 1)});
  builder.call(1, "MPI_Irecv", 200, 210, {message_action(ActionKind::irecv, 0, 7, 32, 2)});
  builder.call(1, "MPI_Waitall", 220, 400,
               {message_action(ActionKind::irecv_done, 0, 7, 8, 1),
                message_action(ActionKind::irecv_done, 0, 7, 32, 2)});
  const Trace trace = builder.matched();
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto found = follow(trace, breakdown, "0:1:7:2");
  ASSERT_TRUE(found) << to_string(found.error());
  EXPECT_EQ(found->number, 1u);
  EXPECT_EQ(found->bytes, 32u);
  EXPECT_EQ(found->sequence, 2u);
  EXPECT_NEAR(found->send.enter_s, 120 * ns, 1e-15);
  EXPECT_NEAR(found->send_done->leave_s, 310 * ns, 1e-15);
  EXPECT_NEAR(found->posted->enter_s, 200 * ns, 1e-15);
  EXPECT_NEAR(found->received->leave_s, 400 * ns, 1e-15);
  EXPECT_EQ(found->received->name, "MPI_Waitall");
  EXPECT_NEAR(*found->left_latest_s, 310 * ns, 1e-15);
  EXPECT_NEAR(found->received->blocked_service_s, 180 * ns, 1e-15);
  const auto same = follow(trace, breakdown, "1");
  ASSERT_TRUE(same);
  EXPECT_EQ(same->sequence, 2u);
  EXPECT_EQ(follow(trace, breakdown, "0:1")->sequence, 1u);
  EXPECT_EQ(follow(trace, breakdown, "0:1:any:2")->number, 1u);
}

TEST(Follow, LostMessagesAndWrongNames) {
  const Trace trace = with_loose_ends();
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto lost = follow(trace, breakdown, "0:1:1:2");
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->number, none);
  EXPECT_FALSE(lost->received);
  for (const char* wrong : {"x", "", "0:", "0:1:7:0", "0:1:2:3:4", "-1"}) {
    const auto refused = follow(trace, breakdown, wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_TRUE(refused.error().usage) << wrong;
  }
  for (const char* missing : {"1", "0:1:9", "0:1:1:3", "5:1"}) {
    const auto refused = follow(trace, breakdown, missing);
    ASSERT_FALSE(refused) << missing;
    EXPECT_FALSE(refused.error().usage) << missing;
  }
}

}  // namespace
}  // namespace ww
