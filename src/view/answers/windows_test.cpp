// Calls, messages, instants and series of small traces: by hand, and beside all of a random one looked at one by one.
#include <gtest/gtest.h>

#include <cmath>

#include "analyze/queues.hpp"
#include "analyze/random_trace_fixture.hpp"
#include "view/answers/calls_window.hpp"
#include "view/answers/instant.hpp"
#include "view/answers/series.hpp"
#include "view/answers/skew.hpp"
#include "view/index_fixture.hpp"

namespace ww::view {
namespace {

struct Viewed {
  explicit Viewed(Trace given) : trace(std::move(given)), parts(trace), index(index_of(trace)) {}
  Part part(const Selection& selection = {}) const { return Part::of(trace, parts, selection).value(); }

  Trace trace;
  TraceIndex parts;
  std::shared_ptr<const Index> index;
};

// Rank 1 sends from 400 to 450 what rank 0 receives from 100 to 600; both are in a barrier, rank 0 from 700, rank 1 from
// 900, until 950. A second message, sent from 500 to 510, is never received.
Viewed small() {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Recv", 100, 600, {message_action(ActionKind::recv, 1, 7, 64)});
  builder.call(0, "MPI_Barrier", 700, 950, {collective_action(0, 0)});
  builder.call(1, "MPI_Send", 400, 450, {message_action(ActionKind::send, 0, 7, 64)});
  builder.call(1, "MPI_Send", 500, 510, {message_action(ActionKind::send, 0, 8, 32)});
  builder.call(1, "MPI_Barrier", 900, 950, {collective_action(0, 0)});
  return Viewed(builder.matched());
}

TEST(ViewCalls, AreThoseOfTheWindowAndOfTooManyTheLongest) {
  const Viewed viewed = small();
  const std::vector<std::uint32_t> both{0, 1};
  const CallsWindow window = calls_in_window(*viewed.index, both, 450, 700, 10).value();
  ASSERT_EQ(
      window.all,
      2u);  // the receive until 600 and the second send; the first ends at 450, the barrier begins at 700
  EXPECT_EQ(window.calls[0].rank, 0u);
  EXPECT_EQ(window.calls[0].interval.algorithmic_ns, 300);
  EXPECT_EQ(window.calls[1].call, 1u);
  const CallsWindow longest = calls_in_window(*viewed.index, both, 0, 1000, 2).value();
  EXPECT_EQ(longest.all, 5u);
  ASSERT_EQ(longest.calls.size(), 2u);
  EXPECT_EQ(longest.calls[0].interval.enter_ns, 100);
  EXPECT_EQ(longest.calls[1].interval.enter_ns, 700);
  EXPECT_EQ(calls_in_window(*viewed.index, both, 0, 1000, 0).value().all, 5u);
  EXPECT_EQ(ranks_of({{1, 1}}, 2).value(), std::vector<std::uint32_t>{1});
  EXPECT_TRUE(ranks_of({{1, 2}}, 2).error().usage);
}

TEST(ViewCalls, AreTheTracesWhereverTheWindowIs) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Viewed viewed(random_trace(seed));
    const std::int64_t begin_ns = viewed.trace.begin_ns();
    std::vector<std::uint32_t> ranks = ranks_of({}, viewed.trace.ranks.size()).value();
    for (std::int64_t from_ns = viewed.index->from_ns() - 10; from_ns < viewed.index->to_ns() + 10;
         from_ns += 311) {
      const std::int64_t to_ns = from_ns + 500;
      std::vector<std::pair<std::uint32_t, std::uint64_t>> expected, got;
      for (std::size_t r = 0; r < viewed.trace.ranks.size(); ++r) {
        const RankTrace& rank = viewed.trace.ranks[r];
        for (std::size_t call = 0; call < rank.calls(); ++call) {
          const std::int64_t enter = rank.enter_ns[call] - begin_ns, leave = rank.leave_ns[call] - begin_ns;
          if (enter < to_ns && (leave > from_ns || enter >= from_ns))
            expected.emplace_back(static_cast<std::uint32_t>(r), call);
        }
      }
      const CallsWindow window = calls_in_window(*viewed.index, ranks, from_ns, to_ns, 10'000).value();
      for (const FoundCall& call : window.calls) got.emplace_back(call.rank, call.call);
      EXPECT_EQ(got, expected) << seed << " " << from_ns;
    }
  }
}

TEST(ViewMessages, AreThoseUnderWay) {
  const Viewed viewed = small();
  const MessagesWindow window = messages_in_window(viewed.part(), 450, 500, 10);
  ASSERT_EQ(window.all, 1u);
  EXPECT_EQ(window.messages[0].sent_ns, 400);
  EXPECT_EQ(window.messages[0].received_ns, 600);
  EXPECT_EQ(window.messages[0].number, 0u);
  const MessagesWindow both = messages_in_window(viewed.part(), 450, 501, 10);
  ASSERT_EQ(both.all, 2u);
  EXPECT_FALSE(both.messages[1].is_received);
  EXPECT_EQ(messages_in_window(viewed.part(), 510, 1000, 10).all, 1u);  // it was sent before
  EXPECT_EQ(messages_in_window(viewed.part(), 600, 1000, 10).all, 0u);
  EXPECT_EQ(messages_bytes(both).size(), 16u + 2 * (3 * 8 + 4 * 4));
}

TEST(ViewMessages, OfTooManyEveryNthIsListed) {
  TraceBuilder builder(2, 100'000);
  for (int i = 0; i < 100; ++i) {
    builder.call(0, "MPI_Send", 100 * i, 100 * i + 1, {message_action(ActionKind::send, 1, 0, 8)});
    builder.call(1, "MPI_Recv", 100 * i + 10, 100 * i + 20, {message_action(ActionKind::recv, 0, 0, 8)});
  }
  const Viewed viewed(builder.matched());
  const MessagesWindow window = messages_in_window(viewed.part(), 0, 100'000, 30);
  EXPECT_EQ(window.all, 100u);
  ASSERT_EQ(window.messages.size(), 25u);  // every fourth
  for (std::size_t i = 0; i < window.messages.size(); ++i) EXPECT_EQ(window.messages[i].number, 4 * i);
}

TEST(ViewInstant, SaysWhatEveryRankIsIn) {
  const Viewed viewed = small();
  const auto at = [&](std::int64_t ns) { return states_at(*viewed.index, viewed.part(), ns).value(); };
  const auto part = [&](const RankInstant& state) {
    return std::string(part_name(state.key, viewed.index->keys()[state.key]));
  };
  const auto states = at(200);
  EXPECT_EQ(part(states[0]), "algorithmic");
  EXPECT_EQ(states[0].since_ns, 100);
  EXPECT_EQ(states[0].until_ns, 400);
  EXPECT_EQ(states[0].with.peer, 1);
  EXPECT_EQ(states[0].with.tag, 7);
  EXPECT_EQ(states[0].with.bytes, 64u);
  EXPECT_EQ(part(states[1]), "compute");
  EXPECT_EQ(states[1].since_ns, 0);
  EXPECT_EQ(states[1].until_ns, 400);
  const auto later = at(505);
  EXPECT_EQ(part(later[0]), "service");
  EXPECT_EQ(later[0].queued_messages, 2u);
  EXPECT_EQ(later[0].queued_bytes, 96u);
  EXPECT_EQ(later[1].outgoing_messages, 2u);
  EXPECT_EQ(later[1].outgoing_bytes, 96u);
  const auto between = at(650);
  EXPECT_EQ(part(between[0]), "compute");
  EXPECT_EQ(between[0].since_ns, 600);
  EXPECT_EQ(between[0].until_ns, 700);
  EXPECT_EQ(between[0].queued_messages, 1u);  // the one that is never received
  EXPECT_EQ(part(at(2000)[0]), "outside");
}

TEST(ViewInstant, QueuesAreThoseOfTheAnalysis) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Viewed viewed(random_trace(seed));
    for (std::int64_t at_ns = 0; at_ns < viewed.index->to_ns(); at_ns += 997) {
      std::vector<std::uint64_t> expected(viewed.trace.ranks.size()), got;
      const Queues queues = find_queues(Part(viewed.trace), seconds_of(at_ns));
      for (const WaitingMessage& message : queues.at)
        ++expected[static_cast<std::size_t>(message.destination)];
      const auto states = states_at(*viewed.index, viewed.part(), at_ns).value();
      for (const RankInstant& state : states) got.push_back(state.queued_messages);
      EXPECT_EQ(got, expected) << seed << " " << at_ns;
    }
  }
}

TEST(ViewInstant, IsWhatTheCellOfThatNanosecondHas) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Viewed viewed(random_trace(seed));
    for (std::int64_t at_ns = viewed.index->from_ns(); at_ns < viewed.index->to_ns(); at_ns += 37) {
      const auto states = states_at(*viewed.index, viewed.part(), at_ns).value();
      for (std::size_t rank = 0; rank < states.size(); ++rank) {
        const Cells cell = viewed.index->cells_of_rank(rank, at_ns, 0, 1).value();
        const std::uint16_t key = cell.key.empty() ? compute_key : cell.key.front();
        EXPECT_EQ(states[rank].key, key) << seed << " " << at_ns << " " << rank;
        EXPECT_LE(states[rank].since_ns, at_ns);
        EXPECT_GT(states[rank].until_ns, at_ns);
      }
    }
  }
}

Series series(const Viewed& viewed, const std::string& measure, std::uint32_t bins,
              const Selection& selection = {}) {
  return series_of(*viewed.index, viewed.part(selection), measure_of(measure).value(), bins).value();
}

TEST(ViewSeries, HasTheMeasuresByHand) {
  const Viewed viewed = small();
  const auto row = [&](const std::string& measure, std::size_t rank) {
    const Series of = series(viewed, measure, 10);
    EXPECT_EQ(of.bin_ns, 100);
    return std::vector<float>(of.values.begin() + static_cast<std::ptrdiff_t>(10 * rank),
                              of.values.begin() + static_cast<std::ptrdiff_t>(10 * rank + 10));
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(row("compute", 0), (Floats{1, 0, 0, 0, 0, 0, 1, 0, 0, 0.5}));
  // The receive from 100 to 400; of the barrier what rank 0 waits for rank 1.
  EXPECT_EQ(row("algorithmic", 0), (Floats{0, 1, 1, 1, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(row("service", 0), (Floats{0, 0, 0, 0, 1, 1, 0, 0, 0, 0.5}));
  EXPECT_EQ(row("blocked", 0), (Floats{0, 1, 1, 1, 1, 1, 0, 1, 1, 0.5}));
  EXPECT_EQ(row("library", 1), (Floats{0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0}));
  // Nothing tells the software of a send that is never received, nor of the barrier.
  EXPECT_EQ(row("service", 1), (Floats{0, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0.5}));
  EXPECT_EQ(row("bytes_sent", 1), (Floats{0, 0, 0, 0, 64, 32, 0, 0, 0, 0}));
  EXPECT_EQ(row("messages_received", 0), (Floats{0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(row("queue_messages", 0), (Floats{0, 0, 0, 0, 1, 2, 1, 1, 1, 1}));
  EXPECT_EQ(row("queue_bytes", 0), (Floats{0, 0, 0, 0, 64, 96, 32, 32, 32, 32}));
  EXPECT_EQ(row("outgoing_messages", 1), row("queue_messages", 0)) << "all are from the one to the other";
  EXPECT_EQ(row("outgoing_bytes", 1), row("queue_bytes", 0));
  EXPECT_EQ(row("outgoing_messages", 0), row("queue_messages", 1));
  EXPECT_EQ(row("calls", 1), (Floats{0, 0, 0, 0, 1, 1, 0, 0, 0, 1}));
  EXPECT_TRUE(measure_of("speed").error().usage);
}

TEST(ViewSeries, CountsRegionsWhereTheyBegin) {
  TraceBuilder builder(1, 1000);
  builder.call(0, "MPI_Send", 400, 450);
  Trace trace = builder.matched();
  trace.user.regions = {"solve"};
  for (const std::int64_t at_ns : {250, 260, 700})
    trace.ranks[0].user.regions.push_back({trace.begin_ns() + at_ns, trace.begin_ns() + at_ns + 200, 0, 0});
  const Viewed viewed(std::move(trace));
  EXPECT_EQ(series(viewed, "regions", 4).values, (std::vector<float>{0, 2, 1, 0}));
}

TEST(ViewSeries, AddsUpToTheReportOfASelection) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Viewed viewed(random_trace(seed));
    const Breakdown whole = break_down(viewed.trace, nullptr);
    const Waits waits = find_waits(viewed.trace, nullptr);
    Selection selection;
    selection.from_s = 0.3 * viewed.trace.elapsed_s();
    selection.to_s = 0.7 * viewed.trace.elapsed_s();
    selection.calls = {"MPI_Recv", "MPI_Waitall", "MPI_Send"};
    if (!Part::of(viewed.trace, viewed.parts, selection)) continue;  // it has no such call
    const Breakdown expected = break_down(viewed.part(selection), whole, waits);
    const auto sum = [&](const std::string& measure, std::size_t rank) {
      const Series of = series(viewed, measure, 7, selection);
      double total = 0;
      for (std::size_t bin = 0; bin < of.bins; ++bin)
        total += of.values[rank * of.bins + bin] * of.bin_ns * 1e-9;
      return total;
    };
    for (std::size_t rank = 0; rank < expected.ranks.size(); ++rank) {
      const RankBreakdown& of = expected.ranks[rank];
      const double about = 1e-6 * viewed.trace.elapsed_s();  // shares are of 24 bits
      EXPECT_NEAR(sum("compute", rank), of.compute_s, about);
      EXPECT_NEAR(sum("library", rank), of.library_s, about);
      EXPECT_NEAR(sum("algorithmic", rank), of.blocked_algorithmic_s, about);
      EXPECT_NEAR(sum("service", rank), of.blocked_service_s, about);
    }
  }
}

TEST(ViewSeries, QueuesHaveTheMeansOfTheAnalysis) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Viewed viewed(random_trace(seed));
    const Queues queues = find_queues(Part(viewed.trace), std::nullopt);
    const Series messages = series(viewed, "queue_messages", 9);
    for (std::size_t rank = 0; rank < queues.ranks.size(); ++rank) {
      double mean = 0;
      for (std::size_t bin = 0; bin < messages.bins; ++bin)
        mean += static_cast<double>(messages.values[rank * messages.bins + bin]) / messages.bins;
      EXPECT_NEAR(mean, queues.ranks[rank].waiting.mean, 1e-5 * (1 + mean)) << seed;
    }
  }
}

TEST(ViewSkew, IsFromTheFirstEntryToTheLast) {
  const Viewed viewed = small();
  const Skew skew = skew_of(viewed.part(), 10);
  ASSERT_EQ(skew.collectives.size(), 1u);
  EXPECT_EQ(skew.collectives[0].skew_ns(), 200);
  EXPECT_EQ(skew.collectives[0].transfer_ns(), 50);
  EXPECT_EQ(skew.collectives[0].last_rank, 1);
  ASSERT_EQ(skew.by_op.size(), 1u);
  EXPECT_DOUBLE_EQ(skew.by_op[0].skew_s, 200e-9);
  Selection before;
  before.to_s = 700e-9;
  EXPECT_EQ(skew_of(viewed.part(before), 10).all, 0u);
  Selection sends;
  sends.calls = {"MPI_Send"};
  EXPECT_EQ(skew_of(viewed.part(sends), 10).all, 0u);
}

}  // namespace
}  // namespace ww::view
