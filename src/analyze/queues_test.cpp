// Expected values are closed forms of the times of each trace; Little's law for random ones.
#include "analyze/queues.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

// Rank 1 is sent 10 bytes at 100 and 20 at 200, which it receives from 300 to 400 and from 500 to 700; 5
// bytes sent at 800 it never receives.
Trace three_messages() {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 100, 110, {message_action(ActionKind::send, 1, 0, 10)});
  builder.call(0, "MPI_Send", 200, 210, {message_action(ActionKind::send, 1, 0, 20)});
  builder.call(0, "MPI_Send", 800, 810, {message_action(ActionKind::send, 1, 1, 5)});
  builder.call(1, "MPI_Recv", 300, 400, {message_action(ActionKind::recv, 0, 0, 10)});
  builder.call(1, "MPI_Recv", 500, 700, {message_action(ActionKind::recv, 0, 0, 20)});
  return builder.matched();
}

TEST(Queues, MeanMaximumAndUnexpected) {
  const RankQueue queue = find_queues(three_messages(), std::nullopt).ranks[1];
  EXPECT_EQ(queue.messages, 3u);
  EXPECT_EQ(queue.never_received, 1u);
  EXPECT_DOUBLE_EQ(queue.waiting.mean, 1.0);         // (300 + 500 + 200) / 1000
  EXPECT_DOUBLE_EQ(queue.waiting.mean_bytes, 14.0);  // (300 10 + 500 20 + 200 5) / 1000
  EXPECT_EQ(queue.waiting.maximum, 2u);
  EXPECT_EQ(queue.waiting.maximum_bytes, 30u);
  EXPECT_NEAR(queue.waiting.maximum_at_s, 200 * ns, 1e-15);
  EXPECT_NEAR(queue.mean_wait_s, 400 * ns, 1e-15);
  EXPECT_EQ(queue.unexpected_messages, 2u);
  EXPECT_DOUBLE_EQ(queue.unexpected.mean, 0.5);  // 100 to 300 and 200 to 500
  EXPECT_EQ(queue.unexpected.maximum, 2u);
}

// All three are rank 0's own for as long as they wait at rank 1; asked for rank 0 alone they still are, and nothing waits there.
TEST(Queues, WhatIsUnderWayIsItsSendersToo) {
  const Trace trace = three_messages();
  const auto of_sender = [](const RankQueue& queue) {
    EXPECT_DOUBLE_EQ(queue.outgoing.mean, 1.0);
    EXPECT_EQ(queue.outgoing.maximum, 2u);
    EXPECT_EQ(queue.outgoing.maximum_bytes, 30u);
    EXPECT_EQ(queue.waiting.maximum, 0u);
  };
  const Queues all = find_queues(trace, std::nullopt);
  of_sender(all.ranks[0]);
  EXPECT_EQ(all.ranks[1].outgoing.maximum, 0u);
  const TraceIndex index(trace);
  Selection selection;
  selection.ranks = parse_numbers("0").value();
  const auto part = Part::of(trace, index, selection);
  ASSERT_TRUE(part);
  const Queues some = find_queues(*part, std::nullopt);
  ASSERT_EQ(some.ranks.size(), 1u);
  of_sender(some.ranks[0]);
}

TEST(Queues, OverTime) {
  const Queues found = find_queues(three_messages(), std::nullopt);
  const RankQueue& queue = found.ranks[1];
  EXPECT_NEAR(found.bin_s, 20 * ns, 1e-15);
  ASSERT_EQ(queue.mean_over_time.size(), 50u);
  const auto expected = [](std::size_t bin) -> std::uint64_t {
    const std::size_t at = bin * 20;
    return (at >= 100 && at < 400) + (at >= 200 && at < 700) + (at >= 800);
  };
  for (std::size_t bin = 0; bin < 50; ++bin) {
    EXPECT_DOUBLE_EQ(queue.mean_over_time[bin], static_cast<double>(expected(bin))) << bin;
    EXPECT_EQ(queue.maximum_over_time[bin], expected(bin)) << bin;
  }
}

TEST(Queues, MessagesWaitingAtAnInstant) {
  EXPECT_EQ(find_queues(three_messages(), 250 * ns).at.size(), 2u);
  EXPECT_EQ(find_queues(three_messages(), 399 * ns).at.size(), 2u);
  EXPECT_EQ(find_queues(three_messages(), 400 * ns).at.size(), 1u);
  EXPECT_EQ(find_queues(three_messages(), 750 * ns).at.size(), 0u);
  const auto late = find_queues(three_messages(), 900 * ns).at;
  ASSERT_EQ(late.size(), 1u);
  EXPECT_FALSE(late[0].received_s);
  EXPECT_EQ(late[0].bytes, 5u);
}

// One that was sent to nobody known counts by its sender, which is the peer of whoever would have it.
TEST(Queues, WhatIsSentToNobodyIsOfItsSender) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 100, 120, {message_action(ActionKind::send, -1, 7, 8)});
  const Trace trace = builder.matched();
  const TraceIndex index(trace);
  for (const char* peer : {"0", "1"}) {
    Selection selection;
    selection.peers = parse_numbers(peer).value();
    const auto part = Part::of(trace, index, selection);
    ASSERT_TRUE(part);
    EXPECT_EQ(find_queues(*part, 500e-9).at.size(), std::string(peer) == "0" ? 1u : 0u);
  }
}

TEST(Queues, AReceivePostedEarlyMakesNothingUnexpected) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 100, 110, {message_action(ActionKind::send, 1, 0, 10)});
  builder.call(1, "MPI_Irecv", 50, 60, {message_action(ActionKind::irecv, 0, 0, 10, 1)});
  builder.call(1, "MPI_Wait", 300, 400, {message_action(ActionKind::irecv_done, 0, 0, 10, 1)});
  const RankQueue queue = find_queues(builder.matched(), std::nullopt).ranks[1];
  EXPECT_EQ(queue.unexpected_messages, 0u);
  EXPECT_DOUBLE_EQ(queue.waiting.mean, 0.3);
}

// Little's law: the mean number in a queue times the time of the run is the sum of all stays.
TEST(Queues, LittlesLaw) {
  std::mt19937 random(7);
  TraceBuilder builder(2, 1'000'000);
  std::int64_t sent = 0, received = 500;
  double stays = 0;
  for (int i = 0; i < 500; ++i) {
    sent += 1 + static_cast<std::int64_t>(random() % 1000);
    received = std::max(sent, received) + 1 + static_cast<std::int64_t>(random() % 1200);
    builder.call(0, "MPI_Send", sent, sent, {message_action(ActionKind::send, 1, 0, 8)});
    builder.call(1, "MPI_Recv", received - 1, received, {message_action(ActionKind::recv, 0, 0, 8)});
    stays += static_cast<double>(received - sent);
  }
  ASSERT_LT(received, 1'000'000);
  const RankQueue queue = find_queues(builder.matched(), std::nullopt).ranks[1];
  EXPECT_NEAR(queue.waiting.mean * 1e6, stays, 1e-3);
  const double over_time =
      std::accumulate(queue.mean_over_time.begin(), queue.mean_over_time.end(), 0.0) * 1e6 / 50;
  EXPECT_NEAR(over_time, stays, 1e-3);
  EXPECT_EQ(*std::max_element(queue.maximum_over_time.begin(), queue.maximum_over_time.end()),
            queue.waiting.maximum);
}

}  // namespace
}  // namespace ww
