// Times of runs in which the program set D. Expected values are worked out by hand from the times of each case: S3's T / D (NISTIR
// 4331, 3.3) for each part by the D in force there.
#include "dilate/normalise.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "dilate/dilation_plan.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

void set(Trace& trace, std::size_t rank, std::int64_t at_ns, double factor) {
  if (trace.user.values.empty()) trace.user.values = {{"dilation factor D", "", false}};
  trace.ranks[rank].user.values.push_back({at_ns, 0, 0, std::bit_cast<std::uint64_t>(factor)});
}

// Two ranks at -D 4 for 1200 ns. Rank 1 waits twice for rank 0: from 100 to 300, and from 700 to 1100 of which 300 until the
// send begins. Nothing has software.
Trace two_waits() {
  TraceBuilder builder(2, 1200);
  builder.call(0, "MPI_Send", 300, 300, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(0, "MPI_Send", 1000, 1000, {message_action(ActionKind::send, 1, 0, 8)});
  builder.call(1, "MPI_Recv", 100, 300, {message_action(ActionKind::recv, 0, 0, 8)});
  builder.call(1, "MPI_Recv", 700, 1100, {message_action(ActionKind::recv, 0, 0, 8)});
  Trace trace = builder.matched();
  trace.dilation = 4;
  return trace;
}
MachineModel no_software() {
  MachineModel machine;
  const Curve nothing{{Segment{0, 1e9, 0, 0, {}, {}}}};
  machine.costs.F = machine.costs.A = machine.costs.U = nothing;
  return machine;
}
NormalisedRun normalised(const Trace& trace) {
  return normalise(trace, [&](double) {
    static const MachineModel machine = no_software();
    return break_down(trace, &machine);
  });
}

TEST(Normalise, ByOneDIsADivision) {
  const Trace trace = two_waits();
  const NormalisedRun run = normalised(trace);
  EXPECT_NEAR(run.elapsed_s, 300 * ns, 1e-15);
  EXPECT_NEAR(run.ranks[1].components.receive_wait_s, 600 * ns / 4, 1e-15);
  EXPECT_TRUE(run.set_by_program.empty());
  EXPECT_EQ(run.apart_s, 0);
}

// -D 4 until 400, then 1 until 600, then 2.
TEST(Normalise, EachPartByTheDInForce) {
  Trace trace = two_waits();
  for (const std::size_t rank : {0u, 1u}) set(trace, rank, 400, 1), set(trace, rank, 600, 2);
  const NormalisedRun run = normalised(trace);
  EXPECT_NEAR(run.elapsed_s, (100 + 200 + 300) * ns, 1e-15);
  ASSERT_EQ(run.ranks.size(), 2u);
  for (const RankComponents& rank : run.ranks) {
    EXPECT_NEAR(rank.elapsed_s, 600 * ns, 1e-15);
    EXPECT_NEAR(rank.components.elapsed_s(), rank.elapsed_s, 1e-15);
  }
  const Components& waiting = run.ranks[1].components;
  EXPECT_NEAR(waiting.receive_wait_s, (200.0 / 4 + 400.0 / 2) * ns, 1e-15);
  EXPECT_NEAR(waiting.algorithmic_s, (200.0 / 4 + 300.0 / 2) * ns, 1e-15);
  EXPECT_NEAR(waiting.user_s, (200.0 / 4 + 200 + 200.0 / 2) * ns, 1e-15);
  EXPECT_NEAR(run.ranks[0].components.user_s, 600 * ns, 1e-15);
  ASSERT_EQ(run.set_by_program.size(), 3u);
  EXPECT_EQ(run.set_by_program[0].factor, 1);
  EXPECT_NEAR(run.set_by_program[0].elapsed_s, 200 * ns, 1e-15);
  EXPECT_NEAR(run.set_by_program[2].elapsed_s, 400 * ns, 1e-15);
  EXPECT_EQ(run.apart_s, 0);
}

// What no network takes away of the second wait, 300 ns for a rank that computed, was spent at D = 2.
TEST(Normalise, WaitsOfTheAlgorithmAreDividedToo) {
  Trace trace = two_waits();
  for (const std::size_t rank : {0u, 1u}) set(trace, rank, 400, 1), set(trace, rank, 600, 2);
  const Components whole = components_of(trace, break_down(trace, nullptr), 1)[1].components;
  const Components parts = normalised(trace).ranks[1].components;
  EXPECT_NEAR(whole.by_algorithm_s, (200 + 300) * ns, 1e-15);
  EXPECT_NEAR(parts.by_algorithm_s, (200.0 / 4 + 300.0 / 2) * ns, 1e-15);
}

TEST(Normalise, TheRunEndsWithTheRankThatIsLastOfAll) {
  Trace trace = two_waits();
  set(trace, 1, 600, 1);  // of rank 1 alone
  trace.ranks[1].begin_ns = 40;
  const NormalisedRun run = normalised(trace);
  EXPECT_NEAR(run.ranks[0].elapsed_s, 300 * ns, 1e-15);
  EXPECT_NEAR(run.ranks[1].elapsed_s, (140 + 600) * ns, 1e-15);
  EXPECT_NEAR(run.elapsed_s, (10 + 140 + 600) * ns, 1e-15);
  EXPECT_NEAR(run.apart_s, 600 * 0.75 * ns, 1e-15) << "from 600 on one divides by 4 and one does not";
}

TEST(Normalise, WhatTheProgramSetIsSaid) {
  NormalisedRun run;
  run.elapsed_s = 1;
  run.set_by_program = {{1, 0.5}, {4, 1.5}};
  Diagnostics said;
  say_set_by_program(run, 4, {}, said);
  ASSERT_EQ(said.all().size(), 1u);
  EXPECT_NE(said.all()[0].remedy.find("25.0% of it at D = 1, 75.0% of it at D = 4"), std::string::npos)
      << said.all()[0].remedy;
  run.apart_s = 0.02;
  say_set_by_program(run, 4, {}, said);
  EXPECT_TRUE(said.has("dilated-apart"));
  Diagnostics nothing;
  say_set_by_program({}, 4, {}, nothing);
  EXPECT_TRUE(nothing.all().empty());
}

// Bandwidth times ten cannot be had at D = 1.
TEST(Normalise, ADThatIsTooSmallForTheWhatIfIsSaid) {
  MachineModel machine;
  Link link;
  link.one_way.segments = {{0, 1e9, 100e-6, 1e-6, {}, {}}};
  machine.links = {link};
  DilateOptions options;
  options.machine = &machine;
  options.what_if = *parse_what_if("bandwidth=x10");
  NormalisedRun run;
  run.elapsed_s = 1;
  run.set_by_program = {{1, 0.5}, {10, 1.5}};
  Diagnostics said;
  say_set_by_program(run, 10, options, said);
  ASSERT_TRUE(said.has("dilated-too-little"));
  for (const Diagnostic& one : said.all())
    if (one.name == "dilated-too-little") {
      EXPECT_NE(one.remedy.find("25.0% of the run"), std::string::npos) << one.remedy;
    }
}

}  // namespace
}  // namespace ww
