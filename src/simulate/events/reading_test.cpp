// When requests of large messages are read, and when sends are done: closed forms, derived in the comments from the rules in reading.hpp,
// sent_ahead.hpp and ports.hpp.
#include "simulate/events/reading.hpp"

#include <gtest/gtest.h>

#include "machine/latency.hpp"
#include "simulate/replay_fixture.hpp"

namespace ww::simulate {
namespace {

// A message's bytes are there 100 us after they left, less two crossings for a request and its reply.
MachineModel with_crossings_of_25_us() {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.latency_s = 100e-6;
  MachineModel model = machine.model();
  model.links[0].latency_s = 25e-6;
  return model;
}

// Two ranks exchange messages of 1000 bytes that need a reply, a crossing takes 50 us. Rank 1 waits for rank 2 until 310 us and reads rank
// 0's request meanwhile: its reply goes in front of its own request, is there at 360 us, and rank 0 hands its data over before it
// reads on; its reply to rank 1 goes behind them, at 1360 us, and rank 1's data are there at 2410 us.
TEST(Reading, RepliesQueueBehindDataOfTheSameDirection) {
  auto builder = TraceBuilder::spread(3);
  builder.compute(2, 0.2e-3);
  builder.send(2, 1, 10);
  builder.recv(1, 2, 10);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const Simulated simulated = run(builder, machine.model());
  EXPECT_NEAR(end_s(simulated, 0), 2410e-6, ps);
  EXPECT_NEAR(end_s(simulated, 1), 2410e-6, ps);

  // in step both requests cross, both answers cross, and both data move at once: 50 + 50 + 1000 us
  auto in_step = TraceBuilder::spread(2);
  in_step.sendrecv(0, 1, 1000, 1, 1000);
  in_step.sendrecv(1, 0, 1000, 0, 1000);
  EXPECT_NEAR(run(in_step, machine.model()).elapsed_s, 1100e-6, ps);
}

// Rank 1 computes until 100 us, and nobody reads the request that comes at 50 us before it has sent its own: request and reply of
// rank 1 are there at 150 us in this order, both replies go in front of data, and the later data are there at 1200 us.
TEST(Reading, WhatComesWhileARankComputesIsReadAfterItHasSent) {
  auto builder = TraceBuilder::spread(2);
  builder.compute(1, 0.1e-3);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  EXPECT_NEAR(run(builder, machine.model()).elapsed_s, 1200e-6, ps);
}

// Rank 0 sends a small message and asks, rank 1 computes until 200 us. If it then receives the small one, it reads the request with it, as
// Open MPI and MPICH do (docs/design/simulation.md), and replies before it asks: the reply is there at 250 us, rank 0's data until 1250 us, its
// own reply behind them at 1300 us, and rank 1's data at 2300 us. If it receives that after the exchange, nothing was read before it asked.
TEST(Reading, WhoReceivesWhatCameMeanwhileReadsAllThatCame) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const auto elapsed_s = [&](bool before) {
    auto builder = TraceBuilder::spread(2);
    builder.send(0, 1, 10);
    builder.sendrecv(0, 1, 1000, 1, 1000);
    const auto small = builder.irecv(1, 0, 10);
    builder.compute(1, 200e-6);
    if (before) builder.wait(1, {}, {small});
    builder.sendrecv(1, 0, 1000, 0, 1000);
    if (!before) builder.wait(1, {}, {small});
    return run(builder, machine.model()).elapsed_s;
  };
  EXPECT_NEAR(elapsed_s(true), 2300e-6, ps);
  EXPECT_LT(elapsed_s(false), 1400e-6);
}

// The same with a message to itself, whose three calls were recorded as 1 us each: by MPICH's UCX one of 8 KiB reads, and not one of 4; by
// Open MPI's ob1 none does.
TEST(Reading, OwnMessagesOfMpichReadWhatCame) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const auto elapsed_s = [&](const char* mpi, std::uint64_t own_bytes) {
    auto builder = TraceBuilder::spread(2);
    builder.sendrecv(0, 1, 1000, 1, 1000);
    builder.compute(1, 200e-6);
    const auto own = builder.irecv(1, 1, own_bytes);
    builder.send(1, 1, own_bytes);
    builder.wait(1, {}, {own});
    builder.sendrecv(1, 0, 1000, 0, 1000);
    builder.trace().run.mpi = mpi;
    return run(builder, machine.model()).elapsed_s;
  };
  EXPECT_NEAR(elapsed_s("mpich", 8192), 2303e-6, ps);
  EXPECT_NEAR(elapsed_s("mpich", 4096), 1303e-6, ps);
  EXPECT_NEAR(elapsed_s("openmpi", 8192), 1303e-6, ps);
}

// A message's bytes are there 50 us after they left, a request or a reply after 25 us; but a reply that follows data is there with them. Rank 1,
// which reads rank 0's request with the small message at 200 us, replies first: that is there at 225 us, rank 0's data have left at 1225 and are
// there at 1275 us, with rank 0's reply, and rank 1's data 1050 us later.
TEST(Reading, RepliesDoNotOvertakeData) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 10);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.compute(1, 200e-6);
  builder.recv(1, 0, 10);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  MachineModel model = with_crossings_of_25_us();
  EXPECT_NEAR(run(builder, model).elapsed_s, 2325e-6, ps);
}

// Rank 1 comes 20 us after rank 0, so its data follow rank 0's by 20 us. What acknowledges rank 0's, which have landed at 1050 us, waits until
// rank 1's have left at 1070 us, and is there at 1095 us, as what acknowledges those: both are told at 1120 us that all is there.
TEST(Reading, AcknowledgementsWaitBehindData) {
  auto builder = TraceBuilder::spread(2);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.compute(1, 20e-6);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  MachineModel model = with_crossings_of_25_us();
  model.links[0].handshake_crossings = 4;
  const Simulated simulated = run(builder, model);
  EXPECT_NEAR(end_s(simulated, 0), 1120e-6, ps);
  EXPECT_NEAR(end_s(simulated, 1), 1120e-6, ps);
}

// On a wire whose frames are known (10 bytes beside their data, 12 a handshake's, 1 us a byte) the acknowledgement is behind five frames without
// data and two handshakes' more, 54 us less four times a small message's software, after the data of its direction have landed. So rank 0's is
// there so long after rank 1's data have, and rank 1's after rank 0's; either is told a crossing later. Nothing holds back what one alone sends.
TEST(Reading, AcknowledgementsWaitBehindThoseOfTcp) {
  MachineModel model = with_crossings_of_25_us();
  model.links[0].handshake_crossings = 4;
  model.links[0].one_way.segments = {{0, 1e9, 200e-6, 1e-6, {}, {}}};
  model.links[0].wire->frame_payload_bytes = 1000;
  model.links[0].wire->frame_overhead_bytes = 10;
  model.links[0].wire->handshake_frame_bytes = 12;
  auto one = TraceBuilder::spread(2);
  one.send(0, 1, 1000);
  one.recv(1, 0, 1000);
  const double landed_s = end_s(run(one, model), 0) - 25e-6;
  auto builder = TraceBuilder::spread(2);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.compute(1, 20e-6);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  const Simulated simulated = run(builder, model);
  const double late_s = 54e-6 - 4 * latency_of(model.costs, model.links[0]).software_s;
  EXPECT_NEAR(end_s(simulated, 0), landed_s + late_s + 25e-6, ps);
  EXPECT_NEAR(end_s(simulated, 1), landed_s + 20e-6 + late_s + 25e-6, ps);
}

// A sender whose data are acknowledged before their receiver is told (four crossings of 25 us besides the data) goes on a crossing before
// the receiver, at 1075 us of 1100; one whose request is all that crosses goes on when its data have left.
TEST(Reading, AcknowledgedDataKeepTheirSender) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  MachineModel model = with_crossings_of_25_us();
  model.links[0].handshake_crossings = 4;
  const Simulated acknowledged = run(builder, model);
  EXPECT_NEAR(end_s(acknowledged, 1), 1100e-6, ps);
  EXPECT_NEAR(end_s(acknowledged, 0), 1075e-6, ps);
  // on a network that knows nothing of it as well
  for (const char* network : {"bus:rate=10Mbit", "torus:dims=2", "hypercube:dims=1"}) {
    SimulateOptions options;
    options.network = *parse_network_spec(network);
    EXPECT_GT(run(builder, model, options).elapsed_s, 1000e-6) << network;
  }
  model.links[0].handshake_crossings = 2;
  EXPECT_NEAR(end_s(run(builder, model), 0), 1050e-6, ps);
}

// Rank 0's part of an exchange of large messages begins so long after it has sent rank 1 a small one, which rank 1 waits for before its own.
TraceBuilder exchange_behind_a_message(double after_s) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 8);
  builder.recv(1, 0, 8);
  builder.compute(0, after_s);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  return builder;
}

// Rank 1 waits for a small message of rank 0, there at 118 us, which rank 0's request for a large one follows by 2 us: less than five times
// the software of a small message, 50 us, so it is read in that wait, its reply goes in front of rank 1's own request, and the exchange is one
// after the other. By the rule that reads less with what comes before it is so as well, but not for a request 20 us behind. Where a frame takes longer than that on the wire rank 1 has gone on, and both go at once.
TEST(Reading, WhatFollowsAtOnceIsReadTogether) {
  auto at_once = exchange_behind_a_message(50e-6), later = exchange_behind_a_message(68e-6);
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.send_s = 10e-6;
  MachineModel model = machine.model();
  model.links[0].latency_s = 50e-6;
  SimulateOptions apart;
  apart.rules.reads_apart = true;
  const double together_s = run(at_once, model).elapsed_s;
  EXPECT_GT(together_s, 2000e-6);
  EXPECT_NEAR(run(at_once, model, apart).elapsed_s, together_s, ps);
  EXPECT_GT(run(later, model).elapsed_s, 2000e-6);
  EXPECT_LT(run(later, model, apart).elapsed_s, 1300e-6);
  model.links[0].wire->handshake_frame_bytes = 51;  // 51 us on this wire
  EXPECT_LT(run(at_once, model).elapsed_s, 1300e-6);
}

// UCX, whose receivers acknowledge, reads with it what comes within 3.75 times the software: not a request that is 47 us behind, which its rank
// answers after its own.
TEST(Reading, UcxReadsLessOfWhatFollows) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.send_s = 10e-6;
  MachineModel model = machine.model();
  model.links[0].latency_s = 50e-6;
  const auto elapsed_s = [&](double after_s, double crossings) {
    model.links[0].handshake_crossings = crossings;
    auto builder = exchange_behind_a_message(after_s);
    return run(builder, model).elapsed_s;
  };
  const double near_s = 50e-6, far_s = near_s + 45e-6;
  EXPECT_GT(elapsed_s(near_s, 2), 2000e-6);
  EXPECT_GT(elapsed_s(near_s, 4), 2000e-6);
  EXPECT_GT(elapsed_s(far_s, 2), 2000e-6);
  EXPECT_LT(elapsed_s(far_s, 4), 1400e-6);
}

// The same in step under the rule of turns: both are asked at 50 us; rank 1's answer comes first and arrives at 100 us, rank 0's
// data take until 1100 us, and its own answer, sent then, arrives at 1150 us: rank 1's data are there at 2150 us.
TEST(Reading, LargeMessagesThatMeetMayTakeTurns) {
  auto in_step = TraceBuilder::spread(2);
  in_step.sendrecv(0, 1, 1000, 1, 1000);
  in_step.sendrecv(1, 0, 1000, 0, 1000);
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.send_s = 5e-6;  // so near that microseconds decide: 100 us
  SimulateOptions turns;
  turns.rules.in_turn = true;
  EXPECT_NEAR(run(in_step, machine.model(), turns).elapsed_s, 2150e-6, ps);
  // where a request was there long before its receiver came nobody replies too early
  auto late = TraceBuilder::spread(2);
  late.compute(1, 1e-3);
  late.sendrecv(0, 1, 1000, 1, 1000);
  late.sendrecv(1, 0, 1000, 0, 1000);
  EXPECT_NEAR(run(late, machine.model(), turns).elapsed_s, 2100e-6, ps);
}

// The sender's system takes 1500 bytes ahead of the wire. A sender of 1000 goes on when it has the answer, at 100 us. Of 2000 and 1000
// bytes that follow one another the first is taken when 500 have left, the second, which waits behind, when the first has.
TEST(Reading, LargeSendsAreDoneWhenTheSystemHasThem) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  MachineModel model = machine.model();
  model.links[0].sent_ahead_bytes = 1500;
  auto one = TraceBuilder::spread(2);
  one.send(0, 1, 1000);
  one.recv(1, 0, 1000);
  const Simulated taken = run(one, model);
  EXPECT_NEAR(end_s(taken, 0), 100e-6, ps);
  EXPECT_NEAR(end_s(taken, 1), 1100e-6, ps);
  auto two = TraceBuilder::spread(2);
  const auto first = two.isend(0, 1, 2000), second = two.isend(0, 1, 1000);
  const auto in = two.irecv(1, 0, 2000), after = two.irecv(1, 0, 1000);
  two.wait(0, {first}, {});
  two.compute(0, 0);
  two.wait(0, {second}, {});
  two.wait(1, {}, {in, after});
  const Simulated both = run(two, model);
  EXPECT_NEAR(end_s(both, 0), 100e-6 + 2000e-6, ps);
  EXPECT_NEAR(end_s(both, 1), 100e-6 + 3000e-6, ps);
  model.links[0].handshake_crossings = 4;  // waits for what tells that it is there
  EXPECT_GT(end_s(run(one, model), 0), 1000e-6);
}

// Who goes on early is late for nobody: of exchanges in a row the first goes one after the other, as rank 1 reads the request while it
// waits for a small message. Rank 1, whose data are second, has handed them over when it has what it waited for, and asks for the next
// exchange behind them; rank 0 reads that with its data, and replies before it asks itself. So all go one after the other.
TEST(Reading, ExchangesThatWentInTurnGoOnSo) {
  const auto exchanges_s = [](double ahead_bytes) {
    auto builder = TraceBuilder::spread(2);
    for (int i = 0; i < 4; ++i)
      for (const int rank : {0, 1}) {
        if (i == 0 && rank == 1) builder.recv(1, 0, 1);
        const auto in = builder.irecv(rank, 1 - rank, 10000);
        const auto out = builder.isend(rank, 1 - rank, 10000);
        if (i == 0 && rank == 0) builder.send(0, 1, 1);
        builder.wait(rank, {out}, {in});
      }
    LinearMachine machine;
    machine.eager_threshold_bytes = 100;
    machine.send_s = 20e-6;
    MachineModel model = machine.model();
    if (ahead_bytes > 0) model.links[0].sent_ahead_bytes = ahead_bytes;
    return run(builder, model).elapsed_s;
  };
  EXPECT_NEAR(exchanges_s(1e6), 8 * 10e-3, 2e-3);
  EXPECT_LT(exchanges_s(0), 7 * 10e-3);
}

}  // namespace
}  // namespace ww::simulate
