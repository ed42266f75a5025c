// What simulation says beside a dilation, from numbers by hand; and simulation against waits followed to
// their causes: a wavefront with random computations, whose recording is made here by its recurrence.
#include "study/witness.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "render/signature_text.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/program.hpp"
#include "study/simulated_signature.hpp"

namespace ww {
namespace {

Signature signature(double factor, double speed_up, double low, double high, const std::string& verdict) {
  Signature out;
  out.speedup = {{1, 1, 1, 1}, {factor, speed_up, low, high, 3, IntervalOf::student}};
  out.verdict.verdict = verdict;
  return out;
}

// A user's "communication-bound, 1.90", where `simulate --signature` of the same said
// computation-bound, 1.03.
TEST(Witness, IsMentionedAndItsDisagreementSaid) {
  Dilation dilation;
  dilation.signature = signature(4, 1.90, 1.8, 2.0, "communication-bound");
  EXPECT_EQ(second_witness(dilation), "");
  dilation.simulated = signature(4, 1.03, 1.03, 1.03, "computation-bound");
  const std::string said = second_witness(dilation);
  EXPECT_NE(said.find("simulation of the run at D = 1: computation-bound, a speed-up of 1.03"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("do not agree"), std::string::npos) << said;
  // with no verdict of its own, which it may have withheld, the numbers are apart still
  dilation.signature.verdict.verdict.clear();
  EXPECT_NE(disagreement(dilation.signature, *dilation.simulated), "");
  dilation.simulated = signature(4, 1.85, 1.85, 1.85, "communication-bound");
  EXPECT_EQ(disagreement(dilation.signature, *dilation.simulated), "");
  withhold(*dilation.simulated, "the self-check is off");
  EXPECT_EQ(disagreement(dilation.signature, *dilation.simulated), "");
  EXPECT_NE(second_witness(dilation).find("the self-check is off"), std::string::npos);
}

using simulate::LinearMachine;

// 5 ranks, 8 lines: each receives the line from the rank before it, computes, and passes it on.
simulate::TraceBuilder wavefront(const LinearMachine& machine, std::uint64_t bytes) {
  constexpr int ranks = 5, lines = 8;
  auto builder = simulate::TraceBuilder::spread(ranks);
  std::uint64_t state = 7;
  std::vector<std::int64_t> sent(lines, 0);
  const auto flight_ns = static_cast<std::int64_t>(machine.one_way_s(static_cast<double>(bytes)) * 1e9);
  for (int rank = 0; rank < ranks; ++rank)
    for (int line = 0; line < lines; ++line) {
      RankTrace& columns = builder.trace().ranks[static_cast<std::size_t>(rank)];
      if (rank > 0) {
        const std::int64_t there_ns = sent[static_cast<std::size_t>(line)] + flight_ns;
        builder.call_ns = std::max<std::int64_t>(0, there_ns - columns.end_ns);
        builder.recv(rank, rank - 1, bytes);
      }
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      builder.compute(rank, 1e-6 * static_cast<double>((state >> 33) % 900));
      sent[static_cast<std::size_t>(line)] = columns.end_ns;
      builder.call_ns = 0;
      if (rank + 1 < ranks) builder.send(rank, rank + 1, bytes);
    }
  return builder;
}

// What remains of waiting on a network without cost is what a simulation of such a network waits.
TEST(FollowedWaits, RemainAsSimulationHasThemOnAnIdealNetwork) {
  LinearMachine machine;
  machine.per_byte_s = 1e-9;
  const Trace trace = wavefront(machine, 400).trace();
  const Breakdown found = break_down(trace, nullptr);
  LinearMachine free;
  free.latency_s = free.per_byte_s = 0;
  MachineModel model = free.model();
  model.links[0].wire.reset();
  const auto ideal = replay(trace, model, {});
  ASSERT_TRUE(ideal) << to_string(ideal.error());
  double by_network_s = 0;
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    // this machine's software takes no time: what the simulation has for software was waiting when recorded
    EXPECT_NEAR(found.ranks[r].blocked_by_algorithm_s, ideal->ranks[r].blocked_s + ideal->ranks[r].library_s,
                1e-9)
        << r;
    by_network_s += found.ranks[r].blocked_by_network_s;
  }
  EXPECT_NEAR(static_cast<double>(found.delays.elapsed_ns) * 1e-9, ideal->elapsed_s, 1e-9);
  // Four flights one after the other are in the end of the last rank.
  EXPECT_GT(by_network_s, 4 * machine.latency_s);
  EXPECT_GT(found.ranks[4].blocked_by_algorithm_s, 0);
}

// A verdict is not said of a simulated machine whose self-check is off.
TEST(SimulatedSignature, IsWithheldWhereTheSelfCheckIsOff) {
  LinearMachine machine;
  machine.per_byte_s = 1e-9;
  const Trace trace = wavefront(machine, 400).trace();
  const auto signature_on = [&](const LinearMachine& recorded_on) {
    const auto program = simulate::compile(trace);
    EXPECT_TRUE(program);
    auto found = simulated_signature(Replayable{*program, &trace}, recorded_on.model(), {}, {1, 4}, {});
    EXPECT_TRUE(found) << to_string(found.error());
    return found->signature;
  };
  const Signature right = signature_on(machine);
  EXPECT_EQ(right.withheld, "");
  EXPECT_NE(right.verdict.verdict, "");
  // on a wire on which a line takes 4 ms the run of 7 ms cannot have been
  LinearMachine other = machine;
  other.per_byte_s = 1e-5;
  const Signature off = signature_on(other);
  EXPECT_NE(off.withheld.find("the replay on the recording machine"), std::string::npos) << off.withheld;
  EXPECT_EQ(off.verdict.verdict, "");
  EXPECT_TRUE(to_json(off)["verdict"].is_null());
  EXPECT_EQ(to_json(off)["verdict_withheld"], off.withheld);
  EXPECT_EQ(conclusions(off).find("speed-up at D = 4: withheld"), 0u) << conclusions(off);
}

}  // namespace
}  // namespace ww
