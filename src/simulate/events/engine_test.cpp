// Expected times are closed forms, derived in the comments from the rules in engine.hpp and ports.hpp.
#include "simulate/events/engine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "simulate/observer.hpp"
#include "simulate/replay_fixture.hpp"

namespace ww::simulate {
namespace {

// The closed loop: whatever the model says about software and protocol, a round trip is two one-way times.
TEST(Engine, PingPongGivesTheModelBack) {
  for (const std::uint64_t bytes : {0u, 1u, 1000u, 65536u, 1000000u})
    for (const double software_s : {0.0, 20e-6, 10.0})
      for (const double threshold : {1e9, 500.0}) {
        LinearMachine machine;
        machine.send_s = software_s;
        machine.unformat_s = software_s / 2;
        machine.eager_threshold_bytes = threshold;
        machine.two_way_efficiency = 0.7;
        auto builder = TraceBuilder::spread(2);
        builder.send(0, 1, bytes);
        builder.recv(1, 0, bytes);
        builder.send(1, 0, bytes);
        builder.recv(0, 1, bytes);
        const Simulated simulated = run(builder, machine.model());
        EXPECT_NEAR(simulated.elapsed_s, 2 * machine.one_way_s(static_cast<double>(bytes)), ps)
            << bytes << " bytes, software " << software_s << ", threshold " << threshold;
      }
}

// Around a ring of P, one hop after the other: P one-way times.
TEST(Engine, RingIsTheSumOfItsHops) {
  const int ranks = 5;
  auto builder = TraceBuilder::spread(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank > 0) builder.recv(rank, rank - 1, 700);
    builder.send(rank, (rank + 1) % ranks, 700);
  }
  builder.recv(0, ranks - 1, 700);
  const LinearMachine machine;
  EXPECT_NEAR(run(builder, machine.model()).elapsed_s, ranks * machine.one_way_s(700), ps);
}

// k messages that leave k hosts together arrive at one port together, which serves them one after the other:
// the last has arrived after the latency and k times its serialisation.
TEST(Engine, IncastIsSerialisedByTheReceivingPort) {
  const int senders = 8;
  auto builder = TraceBuilder::spread(senders + 1);
  for (int rank = 1; rank <= senders; ++rank) {
    builder.send(rank, 0, 1000);
    builder.recv(0, rank, 1000);
  }
  const LinearMachine machine;
  EXPECT_NEAR(run(builder, machine.model()).elapsed_s,
              machine.latency_s + senders * 1000 * machine.per_byte_s, ps);
}

// Two messages of one host follow each other through its sending port, whatever their destinations.
TEST(Engine, SendingPortServesOneMessageAtATime) {
  auto builder = TraceBuilder::spread(3);
  builder.send(0, 1, 1000);
  builder.send(0, 2, 500);
  builder.recv(1, 0, 1000);
  builder.recv(2, 0, 500);
  const LinearMachine machine;
  const Simulated simulated = run(builder, machine.model());
  EXPECT_NEAR(end_s(simulated, 0), 0, ps) << "eager: the sender does not wait";
  EXPECT_NEAR(end_s(simulated, 1), machine.one_way_s(1000), ps);
  EXPECT_NEAR(end_s(simulated, 2), 1000 * machine.per_byte_s + machine.one_way_s(500), ps);
}

// Frames of 1000 bytes and 100 beside, 1 us a byte: 1600 bytes alone take 1800 us of a port. Of five that one rank sends to another
// at once the first two go as they are, their frames being with the card (3300 us) or the only one in the queue; the other
// 4800 bytes are one stream in 5 frames. To two ranks in turn each first message goes as it is, two frames of its own, and the
// 3200 bytes behind it in 4.
TEST(Engine, MessagesThatWaitForTheWireShareFrames) {
  const MachineModel model = framed();
  auto at_once = TraceBuilder::spread(2);
  for (int k = 0; k < 5; ++k) at_once.send(0, 1, 1600);
  for (int k = 0; k < 5; ++k) at_once.recv(1, 0, 1600);
  EXPECT_NEAR(run(at_once, model).elapsed_s, 8000e-6 + 9 * 100e-6 + lag_s(2), ps);
  auto to_two = TraceBuilder::spread(3);
  for (int k = 0; k < 6; ++k) to_two.send(0, 1 + k % 2, 1600);
  for (int k = 0; k < 6; ++k) to_two.recv(1 + k % 2, 0, 1600);
  EXPECT_NEAR(run(to_two, model).elapsed_s, 9600e-6 + 12 * 100e-6 + lag_s(2), ps);
}

// Twelve of 300 bytes, 400 us each alone: eight are with the card, the ninth waits in the queue, and the others end in one frame
// behind it, of 900 bytes: they arrive together, 1000 us after the ninth.
TEST(Engine, MessagesThatEndInOneFrameArriveTogether) {
  for (const int taken : {9, 10, 11, 12}) {
    auto builder = TraceBuilder::spread(2);
    for (int k = 0; k < 12; ++k) builder.send(0, 1, 300);
    for (int k = 0; k < taken; ++k) builder.recv(1, 0, 300);
    builder.compute(1, 1);
    for (int k = taken; k < 12; ++k) builder.recv(1, 0, 300);
    EXPECT_NEAR(end_s(run(builder, framed()), 1), 1 + 9 * 400e-6 + (taken > 9 ? 1000e-6 : 0) + lag_s(1), ps)
        << taken;
  }
}

// Seven frames to each of two ranks, written at once: three of the first connection are with the card, three in the host's
// queue, and behind these three of the second. One frame of each in the queue gives turns; with room for all they go as written.
TEST(Engine, ConnectionsShareAHostsQueueFrameByFrame) {
  auto builder = TraceBuilder::spread(3);
  builder.send(0, 1, 7000);
  builder.send(0, 2, 7000);
  builder.recv(1, 0, 7000);
  builder.recv(2, 0, 7000);
  SimulateOptions options;
  const auto ends_in_frames = [&] {
    const Simulated simulated = run(builder, framed(), options);
    return std::pair{(end_s(simulated, 1) - lag_s(7)) / 1100e-6, (end_s(simulated, 2) - lag_s(7)) / 1100e-6};
  };
  // 1 1 1 | 1 1 1 2 2 2: the first's seventh frame comes when its fourth goes to the card, behind these.
  EXPECT_NEAR(ends_in_frames().first, 10, 1e-6);
  EXPECT_NEAR(ends_in_frames().second, 14, 1e-6);
  options.arbitration = Arbitration::as_written;
  EXPECT_NEAR(ends_in_frames().first, 7, 1e-6);
  EXPECT_NEAR(ends_in_frames().second, 14, 1e-6);
  // 1 1 1 | 1 2 1 2 ...
  options.arbitration = Arbitration::turns;
  EXPECT_NEAR(ends_in_frames().first, 10, 1e-6);
  EXPECT_NEAR(ends_in_frames().second, 14, 1e-6);
}

// Eight full frames come to rank 1 while it sends twenty to rank 2: it acknowledges every second, with a frame of 100 us without data each.
// Where it sends to the rank that they are from, those data carry it.
TEST(Engine, AcknowledgementsTakeAPortWhereNoDataGoTheirWay) {
  for (const bool back : {false, true}) {
    auto builder = TraceBuilder::spread(3);
    builder.send(0, 1, 8000);
    builder.send(1, back ? 0 : 2, 20000);
    builder.recv(1, 0, 8000);
    builder.recv(back ? 0 : 2, 1, 20000);
    const double acknowledged_s = back ? 0 : 4 * 100e-6;
    EXPECT_NEAR(end_s(run(builder, framed()), back ? 0 : 2), 20 * 1100e-6 + acknowledged_s + lag_s(20), ps);
  }
}

// Who has read two small messages of another, and has sent it nothing since the first, acknowledges both at once: what it sends then, to whomever,
// goes behind a frame of 100 us without data. After one message, and where it said something between, what it sends acknowledges.
TEST(Engine, TheSecondSmallMessageThatIsReadIsAcknowledgedAtOnce) {
  const auto ends_s = [](int messages, bool answers_between, int then_to) {
    auto builder = TraceBuilder::spread(3);
    for (int k = 0; k < messages; ++k) {
      builder.send(0, 1, 100);
      builder.recv(1, 0, 100);
      if (answers_between && k == 0) {
        builder.send(1, 0, 100);
        builder.recv(0, 1, 100);
      }
    }
    builder.send(1, then_to, 100);
    builder.recv(then_to, 1, 100);
    return end_s(run(builder, framed()), then_to);
  };
  const double frame_s = 200e-6, lone_s = 100e-6, one_way_s = frame_s + lag_s(1);
  EXPECT_NEAR(ends_s(1, false, 0), 2 * one_way_s, ps);
  EXPECT_NEAR(ends_s(2, false, 0), frame_s + one_way_s + lone_s + one_way_s, ps);
  EXPECT_NEAR(ends_s(2, false, 2), frame_s + one_way_s + lone_s + one_way_s, ps);
  EXPECT_NEAR(ends_s(2, true, 0), 4 * one_way_s, ps);
}

// Four hosts on two cores, each pair of which is on different ones: 20 us to send, 5 of a latency of 100 and 10 to receive are software, and those of
// hosts that share a core are done one after another. Two hosts on as many cores take what they take without.
TEST(Engine, SoftwareOfHostsThatShareACoreIsDoneOneAfterAnother) {
  LinearMachine machine;
  machine.send_s = 20e-6;
  machine.unformat_s = 10e-6;
  SimulateOptions options;
  options.shared_cores = {.cores = 2, .of_latency_s = 5e-6};
  for (const int hosts : {2, 4}) {
    auto builder = TraceBuilder::spread(hosts);
    for (int to = 1; to < hosts; to += 2) {
      builder.send(to - 1, to, 1000);
      builder.recv(to, to - 1, 1000);
    }
    const Simulated simulated = run(builder, machine.model(), options);
    EXPECT_NEAR(end_s(simulated, 1), machine.one_way_s(1000), ps);
    // The other sender waits for the first's 20 us, and its receiver, 20 us behind the first, finds the core free again.
    if (hosts < 4) continue;
    EXPECT_NEAR(end_s(simulated, 3), 20e-6 + machine.one_way_s(1000), ps);
  }
}

// ... and the lab's switch works for each message on either host's core while it is under way (here 1070 us), as far as that is idle. Of 50 us nothing is
// seen. Of 800 the first message has room for all and the second, whose core has done the first's 800 and 10 us of reading, for 260.
TEST(Engine, TheSwitchTakesCoresThatHostsShare) {
  LinearMachine machine;
  machine.send_s = 20e-6;
  machine.unformat_s = 10e-6;
  SimulateOptions options;
  for (const auto& [on_a_core_s, behind_s] : {std::pair{0.0, 0.0}, {50e-6, 0.0}, {800e-6, 540e-6}}) {
    options.shared_cores = {.cores = 2, .lab_s_of_piece = 2 * on_a_core_s};
    auto builder = TraceBuilder::spread(4);
    for (int to = 1; to < 4; to += 2) {
      builder.send(to - 1, to, 1000);
      builder.recv(to, to - 1, 1000);
    }
    const Simulated simulated = run(builder, machine.model(), options);
    EXPECT_NEAR(end_s(simulated, 1), machine.one_way_s(1000), ps);
    EXPECT_NEAR(end_s(simulated, 3), 20e-6 + machine.one_way_s(1000) + behind_s, ps);
  }
}

// It reads when it waits, not while it computes: both messages are there, and what acknowledges them goes when it asks for the first. What it
// sends before that needs no frame beside.
TEST(Engine, WhatIsNotReadIsNotAcknowledged) {
  for (const bool reads_first : {true, false}) {
    auto builder = TraceBuilder::spread(2);
    for (int k = 0; k < 2; ++k) builder.send(0, 1, 100);
    builder.compute(1, 10e-3);
    if (!reads_first) builder.send(1, 0, 100);
    for (int k = 0; k < 2; ++k) builder.recv(1, 0, 100);
    if (reads_first) builder.send(1, 0, 100);
    builder.recv(0, 1, 100);
    EXPECT_NEAR(end_s(run(builder, framed()), 0), 10e-3 + (reads_first ? 100e-6 : 0) + 200e-6 + lag_s(1), ps)
        << reads_first;
  }
}

// By this model 100000 bytes begin to come at once (their slope is less than the wire's), 10 bytes before them after 5 ms: these
// are still first.
TEST(Engine, ALargeMessageDoesNotOvertakeASmallOne) {
  MachineModel model = framed();
  model.links[0].one_way.segments = {{0, 1000, 5e-3, 1e-6, {}, {}}, {1000, 1e9, 5e-3, 0.9e-6, {}, {}}};
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 10);
  builder.send(0, 1, 100000);
  builder.recv(1, 0, 10);
  builder.compute(1, 1);
  builder.recv(1, 0, 100000);
  EXPECT_NEAR(end_s(run(builder, model), 1), 1 + 5e-3 + 10e-6, ps);
}

// Both directions of n bytes at once, latency 0: each takes n * per_byte / efficiency.
TEST(Engine, TwoWayTrafficRunsAtItsEfficiency) {
  auto builder = TraceBuilder::spread(2);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  LinearMachine machine;
  machine.latency_s = 0;
  machine.two_way_efficiency = 0.8;
  EXPECT_NEAR(run(builder, machine.model()).elapsed_s, 1000 * machine.per_byte_s / 0.8, ps);
}

// Eager messages of both directions at their own efficiency, 1000 bytes at 0.5 beside bulk's 0.8; an eager
// one and one with a handshake count as eager.
TEST(Engine, EagerTwoWayTrafficHasItsOwnEfficiency) {
  auto builder = TraceBuilder::spread(2);
  builder.sendrecv(0, 1, 1000, 1, 1000);
  builder.sendrecv(1, 0, 1000, 0, 1000);
  LinearMachine machine;
  machine.latency_s = 0;
  machine.two_way_efficiency = 0.8;
  machine.eager_threshold_bytes = 1000;
  MachineModel model = machine.model();
  model.links[0].wire->two_way_efficiency_eager = 0.5;
  EXPECT_NEAR(run(builder, model).elapsed_s, 1000 * machine.per_byte_s / 0.5, ps);
}

// Latency 0, efficiency 1/2, 1000 bytes one way from t = 0, 200 bytes back from 0.4 ms, 1 us a byte: until
// 0.4 ms the first moves 400 bytes; then both run at half rate, the second needs 0.4 ms for its 200, until
// 0.8 ms, in which the first moves 200 more; its last 400 take 0.4 ms: 1.2 ms.
TEST(Engine, TwoWayTrafficIsFluid) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(0, 1, 200);
  builder.compute(1, 0.4e-3);
  builder.send(1, 0, 200);
  builder.recv(1, 0, 1000);
  LinearMachine machine;
  machine.latency_s = 0;
  machine.two_way_efficiency = 0.5;
  const Simulated simulated = run(builder, machine.model());
  EXPECT_NEAR(end_s(simulated, 0), 0.8e-3, ps);
  EXPECT_NEAR(end_s(simulated, 1), 1.2e-3, ps);
}

// Rendezvous to a receiver that comes 10 ms late: the request waits; reply (latency 100 us) and data follow.
// One-way 1100 us = request 100 + reply 100 + 900 of data path, of which 1000 bytes * 1 us cannot be: the
// port's 1000 us leave 100 us for the handshake, 50 us each way. From the post: reply 50 us, data 1000 us.
TEST(Engine, RendezvousWaitsForALateReceiver) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.compute(1, 10e-3);
  builder.recv(1, 0, 1000);
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  const Simulated simulated = run(builder, machine.model());
  EXPECT_NEAR(end_s(simulated, 1), 10e-3 + 50e-6 + 1000e-6, ps);
  EXPECT_NEAR(end_s(simulated, 0), 10e-3 + 50e-6 + 1000e-6, ps) << "the send ends when its data has left";
  // blocked until the receive was begun by the algorithm, the rest is service
  EXPECT_NEAR(simulated.ranks[0].blocked_algorithmic_s, 10e-3, ps);
  EXPECT_NEAR(simulated.ranks[0].blocked_service_s, 1050e-6, ps);
}

// The sender begins the message and computes for 10 ms before it waits; the receiver is there. Handshake and
// data as above take 1100 us: at once if the receiver fetches them, else after the sender is back in MPI (the
// reply has come meanwhile, so without it: 1000 us on the port).
TEST(Engine, DataOfARendezvousNeedTheirSenderOrNot) {
  for (const bool needs_sender : {true, false}) {
    auto builder = TraceBuilder::spread(2);
    const std::uint32_t sent = builder.isend(0, 1, 1000);
    builder.compute(0, 10e-3);
    builder.wait(0, {sent}, {});
    builder.recv(1, 0, 1000);
    LinearMachine machine;
    machine.eager_threshold_bytes = 100;
    MachineModel model = machine.model();
    model.links[0].rendezvous_needs_sender = needs_sender;
    const Simulated simulated = run(builder, model);
    EXPECT_NEAR(end_s(simulated, 1), needs_sender ? 10e-3 + 1000e-6 : 1100e-6, ps);
    EXPECT_NEAR(end_s(simulated, 0), needs_sender ? 10e-3 + 1000e-6 : 10e-3, ps);
  }
}

// An Irecv posted before 5 ms of computation: the request arrives at 50 us and is answered at 5 ms, inside
// MPI_Wait.
TEST(Engine, RendezvousMakesProgressOnlyInsideCalls) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  const std::uint32_t posted = builder.irecv(1, 0, 1000);
  builder.compute(1, 5e-3);
  builder.wait(1, {}, {posted});
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  EXPECT_NEAR(end_s(run(builder, machine.model()), 1), 5e-3 + 50e-6 + 1000e-6, ps);
  // a library that goes on by itself answers at 50 us, and the data are there before they are waited for
  auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  program->progress = Progress::always;
  const auto always = play(*program, *ReplayCosts::make(*program, machine.model(), 0), {});
  ASSERT_TRUE(always);
  EXPECT_NEAR(end_s(*always, 0), 1100e-6, ps);
  EXPECT_NEAR(end_s(*always, 1), 5e-3, ps);
}

// An eager message that overlaps computation costs the receiver only its software: max(compute, arrival) + U.
TEST(Engine, EagerMessagesOverlapComputation) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  const std::uint32_t posted = builder.irecv(1, 0, 1000);
  builder.compute(1, 5e-3);
  builder.wait(1, {}, {posted});
  LinearMachine machine;
  machine.unformat_s = 30e-6;
  const Simulated simulated = run(builder, machine.model());
  EXPECT_NEAR(end_s(simulated, 1), 5e-3 + 30e-6, ps);
  EXPECT_EQ(simulated.ranks[1].blocked_s, 0);
}

// A synchronous eager send ends when the acknowledgement is back: post + latency.
TEST(Engine, SynchronousSendWaitsForTheReceive) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 8, true);
  builder.compute(1, 3e-3);
  builder.recv(1, 0, 8);
  const LinearMachine machine;
  EXPECT_NEAR(end_s(run(builder, machine.model()), 0), 3e-3 + machine.latency_s, ps);
}

// Messages to oneself cost what they did when recorded (1 us a call in the fixture), at any wire.
TEST(Engine, MessagesToOneselfStayAsRecorded) {
  auto builder = TraceBuilder::spread(1);
  const std::uint32_t sent = builder.isend(0, 0, 1000000);
  builder.recv(0, 0, 1000000);
  builder.wait(0, {sent}, {});
  EXPECT_NEAR(run(builder, LinearMachine{}.model()).elapsed_s, 3e-6, ps);
}

TEST(Engine, AnUnknownLinkIsNamed) {
  TraceBuilder builder({"a", "a"});
  builder.send(0, 1, 8);
  builder.recv(1, 0, 8);
  const auto simulated = replay(builder.trace(), LinearMachine{}.model(), {});
  ASSERT_FALSE(simulated);
  EXPECT_NE(to_string(simulated.error()).find("within a host"), std::string::npos);
  EXPECT_NE(simulated.error().remedy.find("intra"), std::string::npos);
}

TEST(Engine, DeadlockNamesTheCycle) {
  auto builder = TraceBuilder::spread(2);
  builder.recv(0, 1, 8);
  builder.recv(1, 0, 8);
  builder.send(0, 1, 8);
  builder.send(1, 0, 8);
  const auto simulated = replay(builder.trace(), LinearMachine{}.model(), {});
  ASSERT_FALSE(simulated);
  EXPECT_EQ(simulated.error().where,
            "deadlock: rank 0 in MPI_Recv waits for rank 1, rank 1 in MPI_Recv waits for rank 0");
}

// Two rendezvous sends that face each other do the same in MPI, and are found on the model that has the
// threshold.
TEST(Engine, FacingRendezvousSendsDeadlock) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.send(1, 0, 1000);
  builder.recv(0, 1, 1000);
  builder.recv(1, 0, 1000);
  LinearMachine machine;
  EXPECT_TRUE(replay(builder.trace(), machine.model(), {}));
  machine.eager_threshold_bytes = 100;
  const auto simulated = replay(builder.trace(), machine.model(), {});
  ASSERT_FALSE(simulated);
  EXPECT_NE(simulated.error().where.find("rank 0 in MPI_Send waits for rank 1"), std::string::npos);
}

// The late rank's begin and compute factor: begin 2 ms later, 4 ms of computation at twice the speed.
TEST(Engine, BeginSkewIsKeptAndComputationScales) {
  auto builder = TraceBuilder::spread(2);
  builder.begin(1, 2e-3);
  builder.compute(0, 1e-3);
  builder.compute(1, 4e-3);
  const Simulated simulated = run(builder, LinearMachine{}.model(), {.compute_factor = 2});
  EXPECT_NEAR(simulated.elapsed_s, 4e-3, ps);
  EXPECT_NEAR(simulated.ranks[0].compute_s, 0.5e-3, ps);
}

// Half of the extra software is in the sender's call, half in the receiver's; both are on the path of a
// ping-pong.
TEST(Engine, ExtraSoftwareAddsToEveryMessageBetweenHosts) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 10);
  builder.recv(1, 0, 10);
  const LinearMachine machine;
  const Simulated simulated = run(builder, machine.model(), {.extra_software_s = 40e-6});
  EXPECT_NEAR(simulated.elapsed_s, machine.one_way_s(10) + 40e-6, ps);
  EXPECT_NEAR(simulated.ranks[0].library_s, 20e-6, ps);
}

// A seeded random program without deadlock: every round each rank computes, then all exchange with a random
// partner.
TraceBuilder random_program(unsigned seed, int ranks, int rounds) {
  std::mt19937 random(seed);
  auto builder = TraceBuilder::spread(ranks);
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < ranks; ++rank)
      builder.compute(rank, 1e-6 * static_cast<double>(random() % 2000));
    const int shift = 1 + static_cast<int>(random() % static_cast<unsigned>(ranks - 1));
    const std::uint64_t bytes = random() % 3000;
    std::vector<std::uint32_t> posted;
    for (int rank = 0; rank < ranks; ++rank)
      posted.push_back(builder.irecv(rank, (rank + ranks - shift) % ranks, bytes));
    for (int rank = 0; rank < ranks; ++rank) {
      const std::uint32_t sent = builder.isend(rank, (rank + shift) % ranks, bytes);
      builder.wait(rank, {sent}, {posted[static_cast<std::size_t>(rank)]});
    }
  }
  return builder;
}

// By definition: what a rank does is computing, the library, or waiting, and nothing is counted twice.
TEST(Engine, TimeSplitsWithoutRest) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto builder = random_program(seed, 4, 30);
    LinearMachine machine;
    machine.send_s = 10e-6;
    machine.unformat_s = 5e-6;
    machine.two_way_efficiency = 0.7;
    machine.eager_threshold_bytes = 1500;
    for (const SimulatedRank& rank : run(builder, machine.model()).ranks) {
      EXPECT_NEAR(rank.elapsed_s, rank.compute_s + rank.library_s + rank.blocked_s, 1e-9) << "seed " << seed;
      EXPECT_NEAR(rank.blocked_s, rank.blocked_algorithmic_s + rank.blocked_service_s, 1e-9);
      EXPECT_GE(rank.blocked_algorithmic_s, 0);
      EXPECT_GE(rank.blocked_service_s, 0);
    }
  }
}

// Without any cost of messages a bulk-synchronous program takes the longest computation of each round it
// depends on; with one shift of all ranks that is found by hand as max over paths, here by the recurrence
// over rounds.
TEST(Engine, FreeMessagesLeaveTheLongestPathOfComputation) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int ranks = 5, rounds = 20;
    auto builder = random_program(seed, ranks, rounds);
    // the same draws again
    std::mt19937 random(seed);
    std::vector<double> at_s(ranks, 0);
    for (int round = 0; round < rounds; ++round) {
      for (double& time_s : at_s) time_s += 1e-6 * static_cast<double>(random() % 2000);
      const int shift = 1 + static_cast<int>(random() % static_cast<unsigned>(ranks - 1));
      random();
      const std::vector<double> before = at_s;
      for (int rank = 0; rank < ranks; ++rank)
        at_s[static_cast<std::size_t>(rank)] =
            std::max(before[static_cast<std::size_t>(rank)],
                     before[static_cast<std::size_t>((rank + ranks - shift) % ranks)]);
    }
    LinearMachine machine;
    machine.latency_s = machine.per_byte_s = 0;
    EXPECT_NEAR(run(builder, machine.model()).elapsed_s, *std::max_element(at_s.begin(), at_s.end()), 1e-9);
  }
}

TEST(Engine, IsDeterministic) {
  auto builder = random_program(7, 6, 50);
  LinearMachine machine;
  machine.two_way_efficiency = 0.6;
  machine.eager_threshold_bytes = 1000;
  const Simulated first = run(builder, machine.model()), second = run(builder, machine.model());
  EXPECT_EQ(first.events, second.events);
  for (std::size_t rank = 0; rank < first.ranks.size(); ++rank)
    EXPECT_EQ(first.ranks[rank].elapsed_s, second.ranks[rank].elapsed_s);
}

// What an observer is told, in words.
class Told : public Observer {
 public:
  void call_begins(std::int32_t rank, std::uint32_t, double at_s) override { say("call", rank, at_s); }
  void call_ends(std::int32_t rank, double at_s) override { say("return", rank, at_s); }
  void message(MessageEvent what, std::uint32_t message, double at_s) override {
    constexpr const char* names[] = {"sent", "left", "arrived", "received"};
    say(names[static_cast<int>(what)], static_cast<std::int32_t>(message), at_s);
  }
  void blocked(const Blocked& wait) override { waits.push_back(wait); }
  std::map<std::pair<std::string, std::int32_t>, std::vector<double>> at;
  std::vector<Blocked> waits;

 private:
  void say(const std::string& what, std::int32_t of, double at_s) { at[{what, of}].push_back(at_s); }
};

// Rank 0 computes for a second and sends 1000 bytes, for which rank 1 waits from the beginning: F = 10 us in the send, then
// 1 us a byte at the port, at the receiver after the latency's rest, and U = 15 us there.
TEST(Engine, TellsAnObserverOfCallsMessagesAndWaits) {
  LinearMachine machine;
  machine.send_s = 10e-6;
  machine.unformat_s = 15e-6;
  auto builder = TraceBuilder::spread(2);
  builder.compute(0, 1);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  Told told;
  SimulateOptions options;
  options.observer = &told;
  const Simulated simulated = run(builder, machine.model(), options);
  const double there_s = 1 + machine.one_way_s(1000);
  const auto once = [&](const char* what, std::int32_t of, double at_s) {
    const auto& at = told.at[{what, of}];
    ASSERT_EQ(at.size(), 1u) << what;
    EXPECT_NEAR(at[0], at_s, ps) << what;
  };
  once("call", 0, 1);
  once("sent", 0, 1 + 10e-6);
  once("return", 0, 1 + 10e-6);
  once("left", 0, 1 + 10e-6 + 1000e-6);
  once("arrived", 0, there_s - 15e-6);
  once("received", 0, there_s);
  once("call", 1, 0);
  once("return", 1, there_s);
  ASSERT_EQ(told.waits.size(), 1u);
  EXPECT_EQ(told.waits[0].rank, 1);
  EXPECT_EQ(told.waits[0].by, 0);
  EXPECT_EQ(told.waits[0].message, 0u);
  EXPECT_NEAR(told.waits[0].from_s, 0, ps);
  EXPECT_NEAR(told.waits[0].begun_s, 1, ps);
  EXPECT_NEAR(told.waits[0].to_s, there_s - 15e-6, ps);
  EXPECT_EQ(simulated.elapsed_s, run(builder, machine.model()).elapsed_s);
}

// A collective that is played as a sync is over for all when the last has entered: that one is waited for.
TEST(Engine, TellsAnObserverWhoASyncWaitedFor) {
  auto builder = TraceBuilder::spread(3);
  builder.compute(1, 2e-3);
  builder.collective(CollectiveOp::communicator, 0);
  Told told;
  SimulateOptions options;
  options.observer = &told;
  run(builder, LinearMachine{}.model(), options);
  ASSERT_GE(told.waits.size(), 2u);
  for (const Blocked& wait : told.waits) {
    EXPECT_EQ(wait.by, 1);
    EXPECT_EQ(wait.message, Blocked::no_message);
    EXPECT_NEAR(wait.begun_s, 2e-3, ps);
  }
}

}  // namespace
}  // namespace ww::simulate
