#include "simulate/hypercube/node_programs.hpp"

#include <gtest/gtest.h>

#include "simulate/hypercube/ecube.hpp"

namespace ww::simulate::hypercube {
namespace {

constexpr double us = 1e-6;

Curve line(double base_us, double slope_us) {
  return {{{0, 1e6, base_us * us, slope_us * us, {}, {}}}};
}

// Round numbers, so that every expectation can be worked out by hand from the definitions in the headers.
Machine by_hand() {
  Machine machine;
  machine.dimensions = 3;
  machine.costs = {.F = line(100, 1),
                   .S = line(40, 0),
                   .R = line(50, 0),
                   .A = line(30, 0),
                   .U = line(60, 2),
                   .E = line(200, 10)};
  return machine;
}

double us_between(const Run& run, int node, std::size_t first, std::size_t second) {
  const auto& clock = run.nodes.at(node).clock_s;
  return (clock.at(second) - clock.at(first)) / us;
}

TEST(Ecube, TheLowestDimensionComesFirst) {
  // S1, appendix A: what node 1 sends to 2, 4 to 8 and 16 to 32 passes through node 0; the answers do not
  EXPECT_EQ(next_node(1, 2), 0);
  EXPECT_EQ(next_node(4, 8), 0);
  EXPECT_EQ(next_node(16, 32), 0);
  EXPECT_EQ(next_node(2, 1), 3);
  EXPECT_EQ(distance(0, 31), 5);
}

TEST(Hypercube, AMessageToOneThatWaitsTakesFEU) {
  NodeProgram sender, receiver;
  sender.read_clock().send(1, 10).receive(1, 10).read_clock();
  receiver.receive(0, 10).compute(500 * us).send(0, 10);
  const auto run_ = run(by_hand(), {{0, sender}, {1, receiver}}, 0);
  ASSERT_TRUE(run_) << to_string(run_.error());
  EXPECT_NEAR(us_between(*run_, 0, 0, 1), 2 * (110 + 300 + 80) + 500, 1e-6);
}

TEST(Hypercube, EveryHopAddsEAndNothingElse) {
  double before = 0;
  for (const int far : {1, 3, 7}) {
    NodeProgram sender, receiver;
    sender.read_clock().send(far, 10).receive(far, 10).read_clock();
    receiver.receive(0, 10).send(0, 10);
    const auto run_ = run(by_hand(), {{0, sender}, {far, receiver}}, 0);
    ASSERT_TRUE(run_) << to_string(run_.error());
    const double echo = us_between(*run_, 0, 0, 1);
    if (far > 1) {
      EXPECT_NEAR(echo - before, 2 * 300, 1e-6);
    }
    before = echo;
  }
}

TEST(Hypercube, ComputationIsStretchedBySAndRAndForwardingByBoth) {
  NodeProgram sender, receiver, between;
  sender.send(3, 10).read_clock().compute(5000 * us).read_clock();  // 0 -> 1 -> 3
  between.read_clock().compute(5000 * us).read_clock();
  receiver.read_clock().compute(5000 * us).read_clock().receive(0, 10).read_clock();
  const auto run_ = run(by_hand(), {{0, sender}, {1, between}, {3, receiver}}, 3);
  ASSERT_TRUE(run_) << to_string(run_.error());
  EXPECT_NEAR(us_between(*run_, 0, 0, 1), 5000 + 40, 1e-6);
  EXPECT_NEAR(us_between(*run_, 1, 0, 1), 5000 + 90, 1e-6);
  EXPECT_NEAR(us_between(*run_, 3, 0, 1), 5000 + 50, 1e-6);
  EXPECT_NEAR(us_between(*run_, 3, 1, 2), 30 + 80, 1e-6);  // it is there: A + U
  EXPECT_EQ(run_->nodes.at(1).forwarded, 1u);
  EXPECT_NEAR(run_->nodes.at(1).interrupts_s / us, 90, 1e-6);
}

TEST(Hypercube, AChannelCarriesOneMessageAtATime) {
  NodeProgram sender, receiver;
  sender.send(1, 10).send(1, 10).send(1, 10).send(1, 10);
  receiver.receive(0, 10).read_clock().receive(0, 10).read_clock().receive(0, 10).read_clock();
  const auto run_ = run(by_hand(), {{0, sender}, {1, receiver}}, 1);
  ASSERT_TRUE(run_) << to_string(run_.error());
  // F (110) and what S takes of the sends behind it are less than E (300): the channel sets the pace
  EXPECT_NEAR(us_between(*run_, 1, 0, 1), 300, 1e-6);
  EXPECT_NEAR(us_between(*run_, 1, 1, 2), 300, 1e-6);
}

TEST(Hypercube, AnExchangeWaitsForInterruptsThatAreServed) {
  // Nodes 1 and 2 send to 0 at one instant. 0 receives one after the other: the second exchange is 50 late.
  Machine machine = by_hand();
  NodeProgram one, two, receiver;
  one.send(0, 10);
  two.send(0, 10);
  receiver.read_clock().receive(1, 10).receive(2, 10).read_clock();
  const auto run_ = run(machine, {{0, receiver}, {1, one}, {2, two}}, 0);
  ASSERT_TRUE(run_) << to_string(run_.error());
  // F + E + U of the first; A + U of the second, which came 50 after the first
  EXPECT_NEAR(us_between(*run_, 0, 0, 1), 110 + 300 + 80 + 30 + 80, 1e-6);
}

TEST(Hypercube, TheClockReadsTicksAndCosts) {
  Machine machine = by_hand();
  machine.clock_tick_s = 100 * us;
  machine.clock_call_s = 30 * us;
  NodeProgram program;
  program.compute(150 * us).read_clock().read_clock().compute(30 * us).read_clock();
  const auto run_ = run(machine, {{0, program}}, 0);
  ASSERT_TRUE(run_);
  EXPECT_NEAR(us_between(*run_, 0, 0, 1), 0, 1e-6);    // 150 and 180
  EXPECT_NEAR(us_between(*run_, 0, 0, 2), 100, 1e-6);  // 240
  NodeProgram waits;
  waits.compute(150 * us).await_tick().compute(10 * us);
  const auto awaited = run(machine, {{0, waits}}, 0);
  ASSERT_TRUE(awaited);
  EXPECT_NEAR(awaited->end_s / us, 210, 1e-6);
}

TEST(Memory, OneChannelAloneTakesItsShare) {
  const Memory memory{7, 0.04, 0.01};
  EXPECT_NEAR(memory.processor_speed(1, 0), 0.96, 1e-12);
  EXPECT_NEAR(memory.processor_speed(0, 1), 0.99, 1e-12);
  EXPECT_EQ(memory.processor_speed(0, 0), 1);
  EXPECT_EQ(Memory{}.processor_speed(3, 3), 1);
  // by hand: (3 * 1/24 + 3 * 1/99) (6/7) / (1/7)
  EXPECT_NEAR(1 / memory.processor_speed(3, 3) - 1, (0.125 + 3.0 / 99) * 6, 1e-12);
  EXPECT_EQ(memory.sending_speed(1), 1);
  EXPECT_NEAR(1 / memory.sending_speed(6) - 1, 0.01 * (6 - 1), 1e-12);
  EXPECT_FALSE(memory.full(6));
  EXPECT_TRUE(memory.full(7));
}

// What R and S grow with size is the memory's then, and is still paid in full by a channel alone.
TEST(Hypercube, ContentionKeepsRAndSOfOneChannel) {
  Machine machine = by_hand();
  machine.costs.R = line(50, 0.4);
  machine.costs.S = line(40, 0.1);
  machine.memory = {7, 0.04, 0.01};
  NodeProgram sender, receiver;
  sender.send(1, 100).read_clock().compute(5000 * us).read_clock();
  receiver.read_clock().compute(5000 * us).read_clock();
  const auto run_ = run(machine, {{0, sender}, {1, receiver}}, 0);
  ASSERT_TRUE(run_) << to_string(run_.error());
  EXPECT_NEAR(us_between(*run_, 0, 0, 1), 5000 + 50, 1e-6);
}

TEST(Hypercube, ProgramsThatCannotGoOnAreNamed) {
  NodeProgram waits;
  waits.receive(1, 10);
  const auto stuck = run(by_hand(), {{0, waits}, {1, NodeProgram{}}}, 0);
  ASSERT_FALSE(stuck);
  EXPECT_NE(stuck.error().what.find("node 0 for one from 1"), std::string::npos) << stuck.error().what;
  NodeProgram oneself, outside;
  oneself.send(0, 10);
  outside.send(8, 10);
  EXPECT_FALSE(run(by_hand(), {{0, oneself}}, 0));
  EXPECT_FALSE(run(by_hand(), {{0, outside}}, 0));
  EXPECT_FALSE(run(by_hand(), {{8, NodeProgram{}}}, 8));
  EXPECT_FALSE(run(by_hand(), {{0, NodeProgram{}}}, 1));
}

TEST(Hypercube, AModelNeedsAllSixTerms) {
  MachineModel model;
  model.costs = by_hand().costs;
  EXPECT_TRUE(machine_of(model));
  model.costs.A = {};
  const auto machine = machine_of(model);
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().what.find("no A"), std::string::npos);
}

}  // namespace
}  // namespace ww::simulate::hypercube
