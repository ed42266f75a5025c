// A predicted run's calls as its replay noted them: those of the trace that simulate::predicted_view makes of it, with what
// split_calls tells of their waiting, to the last nanosecond.
#include "view/noted_source.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "analyze/breakdown.hpp"
#include "machine/presets.hpp"
#include "simulate/replayed_times.hpp"
#include "trace/trace_fixture.hpp"
#include "view/facts.hpp"
#include "view/trace_source.hpp"

namespace ww::view {
namespace {

// Ranks on their own hosts that send, receive and meet; calls before and after the program, also some that reach into it.
Trace random_run(unsigned seed) {
  std::mt19937 random(seed);
  const int ranks = 3;
  const std::int64_t begin_ns = 5'000, rounds = 40, round_ns = 100'000, end_ns = begin_ns + rounds * round_ns;
  TraceBuilder builder(ranks, end_ns + 1'000);
  for (int r = 0; r < ranks; ++r) {
    RankTrace& rank = builder.trace().ranks[static_cast<std::size_t>(r)];
    rank.host = "host" + std::to_string(r);
    rank.begin_ns = begin_ns + 100 * r;
    rank.end_ns = end_ns;
    builder.call(r, "MPI_Initialized", 100, 200);
    builder.call(r, "MPI_Init", 1'000, begin_ns + 100 * r + static_cast<std::int64_t>(seed % 3) * 40);
  }
  for (std::int64_t i = 0; i < rounds; ++i) {
    const std::uint64_t bytes = random() % 3 == 0 ? 100'000 : 500;
    for (int r = 0; r < ranks; ++r) {
      const std::int64_t at = begin_ns + 300 + i * round_ns,
                         later = at + static_cast<std::int64_t>(random() % 20'000);
      builder.call(r, "MPI_Send", later, later + 1'000,
                   {message_action(ActionKind::send, (r + 1) % ranks, 7, 500)});
      builder.call(r, "MPI_Recv", later + 2'000, later + 40'000,
                   {message_action(ActionKind::recv, (r + ranks - 1) % ranks, 7, 500)});
      if (i % 4 == 0)
        builder.call(r, "MPI_Allreduce", at + 80'000, at + 90'000, {collective_action(0, bytes)});
    }
  }
  for (int r = 0; r < ranks; ++r) {
    builder.call(r, "MPI_Finalize", end_ns, end_ns + 500);
    builder.call(r, "MPI_Finalized", end_ns + 700, end_ns + 800);
  }
  return builder.matched();
}

std::vector<CallInterval> all_of(const CallSource& source, std::size_t rank) {
  std::vector<CallInterval> calls;
  EXPECT_TRUE(source.read(rank, [&](std::span<const CallInterval> piece) {
    calls.insert(calls.end(), piece.begin(), piece.end());
  }));
  return calls;
}

TEST(NotedSource, HasTheCallsOfThePredictedTrace) {
  for (unsigned seed = 0; seed < 6; ++seed)
    for (const char* what_if : {"latency=x1", "latency=x50", "bandwidth=x0.1,compute=x3"}) {
      const auto recorded = std::make_shared<const Trace>(random_run(seed));
      const auto noted = std::make_shared<NotedRun>(recorded, recorded->messages.size());
      NotedRun& run = *noted;
      const auto predicted = predict_all(*recorded, *find_preset("comet"), {*parse_what_if(what_if)},
                                         {.interval = false, .observer = &run.notes});
      ASSERT_TRUE(predicted) << to_string(predicted.error());
      run.simulated = predicted->front().simulated;
      const Trace trace = simulate::predicted_view(*recorded, run.notes, run.simulated);
      const auto splits = split_calls(trace, nullptr);
      const TraceSource expected(trace, splits);
      const NotedSource source(noted);
      std::int64_t waited_ns = 0;
      for (std::size_t r = 0; r < recorded->ranks.size(); ++r) {
        const std::vector<CallInterval> calls = all_of(source, r);
        EXPECT_EQ(calls, all_of(expected, r)) << what_if << " rank " << r << " seed " << seed;
        EXPECT_EQ(source.ranks()[r].begin_ns, expected.ranks()[r].begin_ns);
        EXPECT_EQ(source.ranks()[r].end_ns, expected.ranks()[r].end_ns);
        for (const CallInterval& call : calls) waited_ns += call.algorithmic_ns + call.service_ns;
      }
      EXPECT_GT(waited_ns, 0);  // else nothing was compared
      EXPECT_EQ(facts_of(simulate::predicted_frame(*recorded, run.simulated)), facts_of(trace));
    }
}

TEST(NotedSource, RoundsAsLlroundDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double seconds =
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 80) *
        (random() % 8 == 0 ? -1 : 1);
    EXPECT_EQ(simulate::whole_ns(seconds), std::llround(seconds * 1e9)) << seconds;
  }
  for (const double half_ns : {0.5, 1.5, 2.5, 4503599627370495.5, 0.49999999999999994})
    EXPECT_EQ(simulate::whole_ns(half_ns * 1e-9), std::llround(half_ns * 1e-9 * 1e9));
}

}  // namespace
}  // namespace ww::view
