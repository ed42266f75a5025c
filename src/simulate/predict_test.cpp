// Predictions on hand-built traces; expected values are closed forms on the linear machine of the fixture.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "simulate/calibrate.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

// Rounds of a ping-pong with computation, recorded as a machine would that needs T(bytes) + extra for each
// message: the receiver is in its call before the sender begins. Rank 1's clock is `clock_error_s` ahead; the messages of every
// fourth round take late_s more.
TraceBuilder recorded_ping_pong(const LinearMachine& machine, int rounds, std::uint64_t bytes, double extra_s,
                                double clock_error_s = 0, double late_s = 0) {
  auto builder = TraceBuilder::spread(2);
  const auto ns = [](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * 1e9)); };
  const std::int64_t compute_ns = 500000, call_ns = 1000;
  Trace& trace = builder.trace();
  const auto enter_at = [&](int rank, std::int64_t at_ns) {
    trace.ranks[static_cast<std::size_t>(rank)].end_ns = at_ns + (rank == 1 ? ns(clock_error_s) : 0);
  };
  std::int64_t now_ns = 0;
  builder.begin(1, clock_error_s);
  for (int round = 0; round < rounds; ++round)
    for (int sender = 0; sender < 2; ++sender) {
      const std::int64_t message_ns =
          ns(machine.one_way_s(static_cast<double>(bytes)) + extra_s + (round % 4 == 0 ? late_s : 0));
      // the other one computes for half the time and then waits
      enter_at(1 - sender, now_ns + compute_ns / 2);
      builder.call_ns = compute_ns / 2 + message_ns;
      builder.recv(1 - sender, sender, bytes);
      enter_at(sender, now_ns + compute_ns);
      builder.call_ns = call_ns;
      builder.send(sender, 1 - sender, bytes);
      now_ns += compute_ns + message_ns;
    }
  return builder;
}

TEST(Predict, SelfCheckGivesTheRecordedTime) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x1"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  // 40 messages and 40 computations of 0.5 ms; the sender's microsecond in its call overlaps the message
  EXPECT_NEAR(prediction->recorded_s, 40 * (0.5e-3 + machine.one_way_s(400)), 1e-9);
  EXPECT_NEAR(prediction->replayed_s / prediction->recorded_s, 1, 0.005);
  EXPECT_EQ(prediction->predicted_s, prediction->replayed_s);
}

// Two ranks of Open MPI make a communicator for 700 us, recorded where a small message takes 101 us: six of these, and 94 us that stay. Where
// one takes 2 us it takes 106; MPI_Comm_free, which sends none, what it took.
TEST(Predict, MessagesOfMakingACommunicatorChangeWithTheNetwork) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.trace().run.mpi = "openmpi";
  for (const std::int64_t took_ns : {700000, 50000}) {
    builder.call_ns = took_ns;
    builder.collective(CollectiveOp::communicator, 0);
  }
  const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("latency=x0.01"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->replayed_s, 750e-6, 1e-9);
  EXPECT_NEAR(prediction->predicted_s, 700e-6 - 6 * 99e-6 + 50e-6, 1e-9);
}

// Four ranks on four hosts begin as a broadcast left them, recorded where a small message takes 104 us: 1 and 2 one message after 0,
// 3 (its way is by 2) two, and compute 1 ms. Where one takes 5 us they begin that much nearer together; a rank that
// began 5 ms late did so for another reason.
TEST(Predict, RanksBeginAsFarApartAsTheMessagesThatStartThem) {
  const LinearMachine machine;
  for (const double late_s : {0.0, 5e-3}) {
    auto builder = TraceBuilder::spread(4);
    const double small_s = machine.one_way_s(4),
                 begins_s[] = {0, small_s, 1.04 * small_s, 2 * small_s + late_s};
    for (int rank = 0; rank < 4; ++rank) {
      builder.begin(rank, begins_s[rank]);
      builder.compute(rank, 1e-3);
    }
    const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("latency=1us"));
    ASSERT_TRUE(prediction) << to_string(prediction.error());
    EXPECT_NEAR(prediction->replayed_s, 1e-3 + begins_s[3], 1e-9);
    EXPECT_NEAR(prediction->predicted_s, late_s > 0 ? 1e-3 + begins_s[3] : 1e-3 + 2 * 5e-6, 1e-9);
    EXPECT_NEAR(prediction->simulated.ranks[2].begin_s, 5e-6 + 0.04 * small_s, 1e-9);
  }
}

// What is kept of software that explains a part of what a replay misses of a recorded time: it counts as far as that stands out of the 0.4%
// by which runs differ anyhow.
double kept(double software_s, double missed_s, double recorded_s, double explained) {
  const double missed = missed_s / recorded_s;
  return software_s * explained * explained * missed * missed / (missed * missed + 0.004 * 0.004);
}

// What software takes more, or less, than the model says is found whatever the clocks: their error is in one
// direction what it lacks in the other. Half of it stays when the wire becomes faster: 40 (compute + latency + extra / 2
// + 400 bytes at a tenth), and all of it where computation does.
TEST(Predict, SoftwareInsideTheApplicationIsCalibrated) {
  const LinearMachine machine;
  for (const double extra_s : {60e-6, -30e-6})
    for (const double clock_error_s : {0.0, 30e-6, -30e-6}) {
      auto builder = recorded_ping_pong(machine, 20, 400, extra_s, clock_error_s);
      const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
      ASSERT_TRUE(prediction) << to_string(prediction.error());
      const double of_each_s = 0.5e-3 + machine.one_way_s(400) + extra_s;
      EXPECT_NEAR(prediction->calibrated_software_s, kept(extra_s, extra_s, of_each_s, 1), 0.1e-6);
      EXPECT_NEAR(prediction->predicted_s / (40 * (0.5e-3 + 100e-6 + extra_s / 2 + 40e-6)), 1, 0.005);
      const auto computed = predict(builder.trace(), machine.model(), *parse_what_if("compute=x2"));
      ASSERT_TRUE(computed) << to_string(computed.error());
      EXPECT_NEAR(computed->predicted_s / (40 * (0.25e-3 + machine.one_way_s(400) + extra_s)), 1, 0.005);
      EXPECT_EQ(prediction->uncalibrated_s<prediction->replayed_s, extra_s> 0);
      EXPECT_FALSE(prediction->diagnostics.has("calibration-large"));
    }
}

// 40 messages take 60 us more than the model says, and 10 of them late_s besides: of what a replay misses, 2.4 ms + 10 late_s,
// slower software of 60 us explains 2.4 ms. The square of that share is kept of it on another wire.
TEST(Predict, OfSoftwareThatExplainsLatenessInPartLessIsKept) {
  const LinearMachine machine;
  for (const double late_s : {0.1e-3, 0.4e-3}) {
    auto builder = recorded_ping_pong(machine, 20, 400, 60e-6, 0, late_s);
    const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
    ASSERT_TRUE(prediction) << to_string(prediction.error());
    const double missed_s = 2.4e-3 + 10 * late_s;
    EXPECT_NEAR(prediction->calibrated_software_s,
                kept(60e-6, missed_s, prediction->recorded_s, 2.4e-3 / missed_s), 0.1e-6)
        << late_s;
    EXPECT_GT(prediction->replayed_s, prediction->uncalibrated_s);
    EXPECT_GT(prediction->predicted_high_s, prediction->predicted_s + 40 * 30e-6)
        << "half of it is in doubt either way";
  }
}

// 30 of 40 messages take 60 us more than the model says, the median does so too, but 60 us of all of them would be a third too much: of
// slower software so much is kept as gives the recorded time.
TEST(Predict, OfSlowerSoftwareSoMuchIsKeptAsGivesTheRecordedTime) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 60e-6, 0, -60e-6);
  const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->calibrated_software_s, 45e-6, 2e-6);
  EXPECT_NEAR(prediction->replayed_s / prediction->recorded_s, 1, 1e-3);
}

// A message that waits behind data which its own rank sent before, while they are under way, is late by
// traffic and not by software: 400 bytes sent 100 us after 20000, which take 1 us each, wait for nearly 20
// ms.
TEST(Predict, MessagesBehindOwnDataDoNotCalibrate) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  const std::uint64_t large = 20000, small = 400;
  const std::int64_t large_ns = 20100000,
                     small_ns = 400000;  // the small one arrives so much after the large one
  for (int round = 0; round < 20; ++round)
    for (int sender = 0; sender < 2; ++sender) {
      const int receiver = 1 - sender;
      builder.call_ns = 50000 + large_ns;
      builder.recv(receiver, sender, large);
      builder.call_ns = small_ns;
      builder.recv(receiver, sender, small);
      builder.compute(sender, 50e-6);
      builder.call_ns = 100000;
      builder.send(sender, receiver, large);
      builder.call_ns = large_ns + small_ns - 100000;
      builder.send(sender, receiver, small);
    }
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  const Calibration found = calibrate(*program, machine.model());
  EXPECT_EQ(found.messages, 40u) << "the large ones, which nothing was under way before";
  EXPECT_NEAR(found.extra_software_s, 0, 1e-9);
}

// Messages that took less than the model's wire alone: the wire is not made faster, and the model is called
// wrong.
TEST(Predict, ACalibrationNeverTakesFromTheWire) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 10000, -(machine.one_way_s(10000) - 100e-6));
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_GE(prediction->replayed_s, 40 * (0.5e-3 + machine.one_way_s(10000) - machine.latency_s));
  EXPECT_TRUE(prediction->diagnostics.has("calibration-large"));
}

// All ranks on one host: the network is its memory. 40 (compute + latency + 400 bytes at a tenth), and what
// the model says of the wire between hosts does not matter.
TEST(Predict, OnOneHostTheNetworkIsItsMemory) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  for (RankTrace& rank : builder.trace().ranks) rank.host = "only";
  MachineModel model = machine.model();
  model.links[0].between = Place::intra;
  model.links[0].wire.reset();
  LinearMachine wire;
  wire.latency_s = 1;
  model.links.push_back(wire.model().links[0]);
  const auto prediction = predict(builder.trace(), model, *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->predicted_s / (40 * (0.5e-3 + 100e-6 + 40e-6)), 1, 0.005);
  EXPECT_NEAR(prediction->latency_s_per_s, 40, 0.1);
  EXPECT_NE(to_json(*prediction)["assumptions"].dump().find("all ranks share one host"), std::string::npos);
}

// Recorded on one host, whose memory takes 100 us and 1 us a byte, and played on two, whose wire takes 300 us and 2 us
// a byte: 40 (compute + latency + 400 bytes). Two ranks a host are where they were recorded.
TEST(Predict, RanksAreOnOtherHostsThanRecorded) {
  const LinearMachine memory;
  LinearMachine wire;
  wire.latency_s = 300e-6;
  wire.per_byte_s = 2e-6;
  auto builder = recorded_ping_pong(memory, 20, 400, 0);
  for (RankTrace& rank : builder.trace().ranks) rank.host = "only";
  MachineModel model = memory.model();
  model.links[0].between = Place::intra;
  model.links[0].wire.reset();
  model.links.push_back(wire.model().links[0]);
  const auto predicted =
      predict_all(builder.trace(), model,
                  {*parse_what_if("ranks-per-host=1"), *parse_what_if("ranks-per-host=1,bandwidth=x10"),
                   *parse_what_if("ranks-per-host=2")});
  ASSERT_TRUE(predicted) << to_string(predicted.error());
  EXPECT_NEAR((*predicted)[0].predicted_s / (40 * (0.5e-3 + 300e-6 + 800e-6)), 1, 0.005);
  EXPECT_NEAR((*predicted)[1].predicted_s / (40 * (0.5e-3 + 300e-6 + 80e-6)), 1, 0.005);
  EXPECT_DOUBLE_EQ((*predicted)[2].predicted_s, (*predicted)[2].replayed_s);
  EXPECT_NEAR((*predicted)[0].replayed_s / (40 * (0.5e-3 + 100e-6 + 400e-6)), 1, 0.005);
  EXPECT_NE(to_json((*predicted)[0])["assumptions"].dump().find("each rank has a host of its own"),
            std::string::npos);
}

// A machine that knows no messages within a host has one rank on each, whatever was recorded.
TEST(Predict, AMachineOfSingleProcessorsHasOneRankANode) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  for (RankTrace& rank : builder.trace().ranks) rank.host = "only";
  const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->predicted_s / (40 * (0.5e-3 + 100e-6 + 40e-6)), 1, 0.005);
  EXPECT_NE(to_json(*prediction)["assumptions"].dump().find("each rank has a host of its own"),
            std::string::npos);
}

// Two pairs of hosts on the two cores of a lab's machine, each sending with 50 us of software where the other does: the second pair is as much later,
// and so it is said and held. On a machine with a core for each it is not asked.
TEST(Predict, CoresThatALabsHostsShareAreInTheInterval) {
  LinearMachine machine;
  machine.send_s = 50e-6;
  machine.latency_s = 100e-6;
  const auto predicted = [&](int cores, double work_s = 0) {
    auto builder = TraceBuilder::spread(4);
    for (const int from : {0, 2}) {
      builder.send(from, from + 1, 400);
      builder.recv(from + 1, from, 400);
    }
    RunRecord& run = builder.trace().run;
    run.in_lab = true;
    run.machine.usable_processors = cores;
    run.ranks.resize(4);
    for (RunRecord::Rank& rank : run.ranks) {
      rank.cpu_s = work_s / 4;
      rank.elapsed_s = 1;
    }
    const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
    EXPECT_TRUE(prediction) << (prediction ? "" : to_string(prediction.error()));
    return prediction ? *prediction : Prediction{};
  };
  const Prediction shared = predicted(2);
  EXPECT_NEAR(shared.on_shared_cores_s, shared.predicted_s + 50e-6, 1e-9);
  EXPECT_GE(shared.predicted_high_s, shared.on_shared_cores_s);
  EXPECT_NE(to_json(shared)["assumptions"].dump().find("the 4 hosts shared 2 when it was recorded"),
            std::string::npos);
  EXPECT_EQ(predicted(4).on_shared_cores_s, 0);

  // What ranks had of the cores when it was recorded is a third more than the two have of it in that time, and less.
  const Prediction enough = predicted(2, 2.6 * shared.predicted_s),
                   short_of = predicted(2, 2.7 * shared.predicted_s);
  EXPECT_EQ(enough.predicted_s, shared.predicted_s);
  EXPECT_EQ(short_of.predicted_s, shared.on_shared_cores_s);
  EXPECT_EQ(short_of.on_shared_cores_s, short_of.predicted_s);
  EXPECT_LE(short_of.predicted_low_s, shared.predicted_s);
  EXPECT_NE(
      to_json(short_of)["assumptions"].dump().find("the 4 hosts share 2 cores, as when it was recorded"),
      std::string::npos);
}

// `measure --lab` leaves in the model's environment what wire the lab had and how late it was.
TEST(Predict, WhatALabsWirePutIntoTheModelIsSaid) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  const auto said = [&](const LabWire& lab, const char* what_if) {
    MachineModel model = machine.model();
    model.lab = lab;
    const auto prediction = predict(builder.trace(), model, *parse_what_if(what_if));
    EXPECT_TRUE(prediction) << to_string(prediction.error());
    return prediction ? to_json(*prediction)["assumptions"].dump() : "";
  };
  const std::string of_switch = said({false, 0, 0, 3, 40}, "bandwidth=x1");
  EXPECT_NE(of_switch.find("delivered frames 3.00 us late in the median and 40.0 us"), std::string::npos)
      << of_switch;
  EXPECT_EQ(of_switch.find("shared bus"), std::string::npos);
  EXPECT_NE(said({true, 0, 0, 3, 40}, "bandwidth=x1").find("measured on a shared bus"), std::string::npos);
  const LabWire bus{true, 1.25e6};
  EXPECT_NE(said(bus, "network=bus").find("with network=bus:rate=10Mbit there are only these"),
            std::string::npos);
  EXPECT_EQ(said(bus, "network=bus:rate=10Mbit").find("measured on a shared bus"), std::string::npos);
  EXPECT_EQ(said({}, "bandwidth=x1").find("lab's wire"), std::string::npos);
}

// Which library's algorithms were taken is said.
TEST(Predict, SaysTheAlgorithmsOfTheTracesLibrary) {
  for (const auto& [mpi, said] : {std::pair{"openmpi", "MPI_Barrier replayed by recursive doubling: 1 times"},
                                  {"mpich", "MPI_Barrier replayed by MPICH's dissemination: 1 times"}}) {
    const LinearMachine machine;
    auto builder = recorded_ping_pong(machine, 20, 400, 0);
    builder.collective(CollectiveOp::barrier, 0);
    builder.trace().run.mpi = mpi;
    const auto prediction = predict(builder.trace(), machine.model(), *parse_what_if("bandwidth=x10"));
    ASSERT_TRUE(prediction) << to_string(prediction.error());
    const std::string assumptions = to_json(*prediction)["assumptions"].dump();
    EXPECT_NE(assumptions.find(said), std::string::npos) << assumptions;
  }
}

TEST(Predict, ACalibrationThatHidesAWrongModelIsSaid) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 2e-3);
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction);
  EXPECT_TRUE(prediction->diagnostics.has("calibration-large"));
}

// Ten exchanges recorded at full rate in both directions, each 100 us + 5000 us; the model claims that each
// direction then runs at half its rate. The recorded run contradicts it, and that is said.
TEST(Predict, RulesOfTrafficAreThoseThatGiveTheRecordedTimeBack) {
  LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 5100000;
  for (int round = 0; round < 10; ++round)
    for (int rank = 0; rank < 2; ++rank) builder.sendrecv(rank, 1 - rank, 5000, 1 - rank, 5000);
  const auto agreeing = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(agreeing);
  EXPECT_TRUE(agreeing->rules.two_way_slows) << "the usual rules stay unless others are clearly better";
  machine.two_way_efficiency = 0.5;
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction);
  EXPECT_FALSE(prediction->rules.two_way_slows);
  EXPECT_NEAR(prediction->replayed_s, 10 * 5.1e-3, 1e-9);
  EXPECT_GT(prediction->uncalibrated_s, 1.5 * prediction->recorded_s);
}

void keep_from_core(Trace& trace, double share) {
  trace.run.machine = {.name = "host0", .usable_processors = 2, .use = {}};
  RunRecord::Rank rank;
  rank.host = "host0";
  rank.elapsed_s = 1;
  rank.cpu_s = 1 - share;
  rank.waited_s = share;
  trace.run.ranks = {rank};
}

// A rank that was kept from its core for 30% of its time: another run may have nothing of that, or lose as much, 0.3 / 0.7 of what it
// takes undisturbed; of 5% little is left in the root of the squares, and nothing is said of 0.5%.
TEST(Predict, IntervalsHoldWhatADisturbedRunLacked) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  Trace& trace = builder.trace();
  const MachineModel model = machine.model();
  const auto kept = [&](double share) {
    keep_from_core(trace, share);
    return predict(trace, model, {});
  };
  const auto calm = kept(0.05), disturbed = kept(0.3);
  ASSERT_TRUE(calm && disturbed);
  EXPECT_EQ(calm->predicted_s, disturbed->predicted_s);
  EXPECT_LE(disturbed->predicted_low_s, 0.7 * disturbed->predicted_s * 1.0001);
  EXPECT_GE(disturbed->predicted_high_s, disturbed->predicted_s / 0.7 * 0.9999);
  EXPECT_GT(calm->predicted_low_s, 0.9 * calm->predicted_s);
  EXPECT_LE(calm->predicted_low_s, 0.95 * calm->predicted_s * 1.0001);
  const auto says = [](const Prediction& of) {
    return std::any_of(of.assumptions.begin(), of.assumptions.end(),
                       [](const std::string& line) { return line.find("kept from its core") != line.npos; });
  };
  const auto least = kept(0.005);
  ASSERT_TRUE(least);
  EXPECT_TRUE(says(*calm) && says(*disturbed));
  EXPECT_FALSE(says(*least));
}

// Ten exchanges in step of 1000 bytes by rendezvous (50 us of handshake each way, 1000 us of data): 1.1 ms each
// where both directions go at once, as recorded, and 2.15 ms where they take turns, as they may in another run
// (Engine.LargeMessagesThatMeetMayTakeTurns).
TEST(Predict, IntervalsHoldBothModesOfLargeExchanges) {
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.send_s = 5e-6;
  const auto exchanges = [](std::int64_t call_ns) {
    auto builder = TraceBuilder::spread(2);
    builder.call_ns = call_ns;
    for (int round = 0; round < 10; ++round)
      for (int rank = 0; rank < 2; ++rank) builder.sendrecv(rank, 1 - rank, 1000, 1 - rank, 1000);
    return builder.trace();
  };
  const auto at_once = predict(exchanges(1'100'000), machine.model(), {});
  ASSERT_TRUE(at_once);
  EXPECT_NEAR(at_once->predicted_s, 11e-3, 1e-9);
  EXPECT_FALSE(at_once->rules.in_turn);
  EXPECT_NEAR(at_once->predicted_high_s, 21.5e-3, 1e-3);
  EXPECT_TRUE(at_once->diagnostics.has("exchanges-in-two-modes"));
  // either mode is as doubtful by itself: of a run that lacked its core for 30% the other takes 1 / 0.7 as well
  Trace disturbed = exchanges(1'100'000);
  keep_from_core(disturbed, 0.3);
  const auto doubted = predict(disturbed, machine.model(), {});
  ASSERT_TRUE(doubted);
  ASSERT_FALSE(at_once->also_possible.empty());
  EXPECT_GE(doubted->predicted_high_s, at_once->also_possible.front().predicted_s / 0.7 * 0.999);
  const auto in_turn = predict(exchanges(2'150'000), machine.model(), {});
  ASSERT_TRUE(in_turn);
  EXPECT_TRUE(in_turn->rules.in_turn) << "the recorded run shows it";
  EXPECT_NEAR(in_turn->predicted_s, 21.5e-3, 1e-3);
  EXPECT_LE(in_turn->predicted_low_s, 11.1e-3);
  EXPECT_TRUE(in_turn->diagnostics.has("exchanges-in-two-modes"));
  // below the threshold there is nothing to take turns for
  machine.eager_threshold_bytes = 1000;
  const auto eager = predict(exchanges(1'100'000), machine.model(), {});
  ASSERT_TRUE(eager);
  EXPECT_LT(eager->predicted_high_s, 12e-3);
  EXPECT_FALSE(eager->diagnostics.has("exchanges-in-two-modes"));
}

// Along a ping-pong of k messages of n bytes: dT/dL = k, dT/do = k, dT/d(seconds per byte) = k n; the
// computation does not depend on the machine.
TEST(Predict, SensitivitiesOfAPingPong) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 10, 400, 0);
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction);
  EXPECT_NEAR(prediction->latency_s_per_s, 20, 1e-3);
  EXPECT_NEAR(prediction->overhead_s_per_s, 20, 1e-3);
  EXPECT_NEAR(prediction->seconds_per_byte_s_per_s, 20 * 400, 1);
}

// The interval holds the error of the self-check, relative, on both sides, and what the intervals of the
// model say.
TEST(Predict, IntervalIsNeverNarrowerThanTheSelfCheck) {
  LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 20, 400, 0);
  machine.latency_s =
      80e-6;  // a model that is 20 us off; nothing in the trace is slower than it by as much as ...
  MachineModel model = machine.model();
  const auto prediction = predict(builder.trace(), model, {});
  ASSERT_TRUE(prediction);
  const double error = std::fabs(prediction->replayed_s / prediction->recorded_s - 1);
  EXPECT_LE(prediction->predicted_low_s, prediction->predicted_s * (1 - error));
  EXPECT_GE(prediction->predicted_high_s, prediction->predicted_s * (1 + error));

  model.links[0].one_way.segments[0].base_ci_s = {70e-6, 95e-6};
  const auto wider = predict(builder.trace(), model, {});
  ASSERT_TRUE(wider);
  // 40 messages 10 us quicker or 15 us slower
  EXPECT_LE(wider->predicted_low_s, wider->predicted_s - 40 * 10e-6 * 0.999);
  EXPECT_GE(wider->predicted_high_s, wider->predicted_s + 40 * 15e-6 * 0.999);

  // What it is made of: as wide as its sources in squares (no exchange has another mode), and those are the ones.
  double below_s = 0;
  for (const SourceOfDoubt& doubt : wider->doubts) {
    below_s = std::hypot(below_s, doubt.below_s);
    if (doubt.source == "what the self-check is off by") {
      EXPECT_NEAR(doubt.above_s, std::fabs(wider->replayed_s / wider->recorded_s - 1) * wider->predicted_s,
                  1e-9);
    }
    if (doubt.source == "the model's times of messages") {
      EXPECT_NEAR(doubt.above_s, 40 * 15e-6, 1e-7);
    }
  }
  EXPECT_NEAR(below_s, wider->predicted_s - wider->predicted_low_s, 1e-12);
  EXPECT_GE(wider->doubts.size(), 3);
}

// Three messages of five take 3 ms more than the model says, where nobody waits for what their receiver does next; two, there and
// back, are what the run waits for, and take what they should. Found are 1.5 ms a message, the mean of both ways, but all of the recorded time comes out without: no
// software is doubted by more than what runs differ by (0.8%), and not by half of that for each of 40 messages (7%).
TEST(Predict, SoftwareThatExplainsNothingDoesNotWidenTheInterval) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  Trace& trace = builder.trace();
  const std::uint64_t bytes = 400;
  const std::int64_t message_ns = std::llround(machine.one_way_s(bytes) * 1e9);
  const auto message = [&](int from, std::int64_t at_ns, std::int64_t late_ns) {
    trace.ranks[static_cast<std::size_t>(1 - from)].end_ns = at_ns - 100'000;
    builder.call_ns = 100'000 + message_ns + late_ns;
    builder.recv(1 - from, from, bytes);
    trace.ranks[static_cast<std::size_t>(from)].end_ns = at_ns;
    builder.call_ns = 1000;
    builder.send(from, 1 - from, bytes);
  };
  builder.begin(1, 0);
  std::int64_t now_ns = 0;
  for (int round = 0; round < 20; ++round) {
    for (int beside = 1; beside <= 3; ++beside) message(0, now_ns + beside * 5'000'000, 3'000'000);
    message(0, now_ns + 20'000'000, 0);
    now_ns += 20'200'000 + message_ns;
    message(1, now_ns, 0);
    now_ns += message_ns;
  }
  const auto prediction = predict(trace, machine.model(), {});
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->replayed_s, prediction->recorded_s, 0.002 * prediction->recorded_s);
  EXPECT_GT(prediction->predicted_low_s, 0.98 * prediction->predicted_s);
  EXPECT_LT(prediction->predicted_high_s, 1.02 * prediction->predicted_s);
  const auto program = compile(trace);
  ASSERT_TRUE(program);
  EXPECT_NEAR(calibrate(*program, machine.model()).extra_software_s, 1.5e-3, 1e-4);
}

TEST(Predict, JsonHasTheKeysOfTheInterface) {
  const LinearMachine machine;
  auto builder = recorded_ping_pong(machine, 2, 400, 0);
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction);
  const nlohmann::json json = to_json(*prediction);
  for (const char* key : {"recorded_s", "replayed_s", "predicted_s", "predicted_low_s", "predicted_high_s",
                          "events", "evaluate_s", "load_s", "assumptions", "diagnostics"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"rank", "elapsed_s", "blocked_s", "blocked_algorithmic_s", "blocked_service_s"})
    EXPECT_TRUE(json["ranks"][1].contains(key)) << key;
  for (const char* key : {"latency_s_per_s", "seconds_per_byte_s_per_s", "overhead_s_per_s"})
    EXPECT_TRUE(json["sensitivity"].contains(key)) << key;
}

// A trace without ranks cannot come from a program; a cut one replays what it has and says so.
TEST(Predict, CutMessagesKeepTheirRecordedTime) {
  const LinearMachine machine;
  auto builder = TraceBuilder::spread(2);
  builder.call_ns = 250000;
  builder.send(0, 1, 100);  // its receive was not recorded
  builder.compute(0, 1e-3);
  const auto prediction = predict(builder.trace(), machine.model(), {});
  ASSERT_TRUE(prediction) << to_string(prediction.error());
  EXPECT_NEAR(prediction->predicted_s, 1.25e-3, 1e-12);
  EXPECT_TRUE(prediction->diagnostics.has("message-cut"));
  EXPECT_FALSE(predict(Trace{}, machine.model(), {}));
}

}  // namespace
}  // namespace ww::simulate
