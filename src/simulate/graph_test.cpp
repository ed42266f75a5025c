// Programs that are graphs. Expectations: the closed forms of engine.hpp and of LogGOPS, and the same program
// written as a stream of calls.
#include "simulate/graph.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "machine/presets.hpp"
#include "simulate/events/engine.hpp"
#include "simulate/machine_fixture.hpp"
#include "simulate/schedule/goal.hpp"
#include "simulate/schedule/maxplus.hpp"
#include "simulate/schedule/windows.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {
namespace {

constexpr double ps = 1e-12;

schedule::Schedule goal(const std::string& text) {
  auto parsed = schedule::parse_goal(text, "test");
  EXPECT_TRUE(parsed) << to_string(parsed.error());
  return *parsed;
}

Result<Simulated> play(const Program& program, const MachineModel& model,
                       const SimulateOptions& options = {}) {
  WW_TRY(const ReplayCosts costs, ReplayCosts::make(program, model, 0));
  return play(program, costs, options);
}

Simulated run(schedule::Schedule schedule, const MachineModel& model, const SimulateOptions& options = {}) {
  auto played = play(program_of(std::move(schedule), "test"), model, options);
  EXPECT_TRUE(played) << to_string(played.error());
  return played ? *played : Simulated{};
}

const char* const ping_pong =
    "num_ranks 2\n"
    "rank 0 {\nl1: send 700b to 1 tag 1\nl2: recv 700b from 1 tag 2\nl2 requires l1\n}\n"
    "rank 1 {\nl1: recv 700b from 0 tag 1\nl2: send 700b to 0 tag 2\nl2 requires l1\n}\n";

// The closed loop of costs.hpp, whatever the software and the protocol.
TEST(Graph, PingPongTakesTwoOneWayTimes) {
  for (const double software_s : {0.0, 20e-6})
    for (const double threshold : {1e9, 500.0}) {
      LinearMachine machine;
      machine.send_s = software_s;
      machine.unformat_s = software_s / 2;
      machine.eager_threshold_bytes = threshold;
      EXPECT_NEAR(run(goal(ping_pong), machine.model()).elapsed_s, 2 * machine.one_way_s(700), ps);
    }
}

// What depends on nothing is done while a message is under way, and what needs the message after both: 3 ms
// of computation beside a message of 800 us.
TEST(Graph, ComputationThatWaitsForNothingHidesTheMessage) {
  const std::string text =
      "num_ranks 2\n"
      "rank 0 {\nl1: send 700b to 1 tag 1\n}\n"
      "rank 1 {\nl1: recv 700b from 0 tag 1\nl2: calc 3000000\nl3: calc 1000000\nl3 requires l1\n}\n";
  EXPECT_NEAR(run(goal(text), LinearMachine().model()).elapsed_s, 4e-3, ps);
}

// A large message waits for a processor that computes: the request comes after 150 us, the answer goes after
// 3 ms, comes 150 us later, and then the data take what is left of the one-way time.
TEST(Graph, ALargeMessageWaitsForTheComputationOfItsReceiver) {
  const std::string text =
      "num_ranks 2\n"
      "rank 0 {\nl1: send 700b to 1 tag 1\n}\n"
      "rank 1 {\nl1: recv 700b from 0 tag 1\nl2: calc 3000000\n}\n";
  LinearMachine machine;
  machine.eager_threshold_bytes = 100;
  machine.latency_s = 300e-6;  // of which the model takes a request and a reply of 150 us each
  const double all_s = machine.one_way_s(700);
  EXPECT_NEAR(run(goal(text), machine.model()).elapsed_s, 3e-3 + all_s - 150e-6, ps);
}

// k messages of 1000 bytes to one port: 100 us and k times 1 ms.
TEST(Graph, MessagesToOneHostQueueAtItsPort) {
  schedule::Builder builder(5);
  for (std::uint32_t rank = 0; rank < 5; ++rank) {
    builder.begin_rank();
    if (rank > 0)
      builder.send(0, 1000, 0);
    else
      for (std::uint32_t from = 1; from < 5; ++from) builder.receive(from, 1000, 0);
  }
  EXPECT_NEAR(run(*builder.finish(), LinearMachine().model()).elapsed_s, 100e-6 + 4 * 1e-3, ps);
}

// On a ring of eight a message from 0 to 3 passes two switches more than one to a neighbour; two that share a
// link take half its rate each: 0 to 2 and 1 to 2 meet on the last link, 2 ms both.
TEST(Graph, ATorusHasHopsAndSharedLinks) {
  SimulateOptions on_torus;
  on_torus.network = *parse_network_spec("torus:dims=8:hop=10us");
  const auto message = [](int from, int to) {
    schedule::Builder builder(8);
    for (int rank = 0; rank < 8; ++rank) {
      builder.begin_rank();
      if (rank == from) builder.send(static_cast<std::uint32_t>(to), 1000, 0);
      if (rank == to) builder.receive(static_cast<std::uint32_t>(from), 1000, 0);
    }
    return *builder.finish();
  };
  const MachineModel model = LinearMachine().model();
  EXPECT_NEAR(run(message(0, 3), model, on_torus).elapsed_s,
              run(message(0, 1), model, on_torus).elapsed_s + 20e-6, ps);
  const std::string meet =
      "num_ranks 8\nrank 0 {\nl1: send 1000b to 2 tag 0\n}\nrank 1 {\nl1: send 1000b to 2 tag 1\n}\n"
      "rank 2 {\nl1: recv 1000b from 0 tag 0\nl2: recv 1000b from 1 tag 1\n}\n";
  SimulateOptions no_hop;
  no_hop.network = *parse_network_spec("torus:dims=8");
  EXPECT_NEAR(run(goal(meet), model, no_hop).elapsed_s, 100e-6 + 2e-3, ps);
}

// A program of calls, and the same as a graph, take the same time rank by rank, on ports and on a torus:
// computation, messages that are begun and waited for, small and large.
TEST(Graph, IsTheProgramThatTheCallsAre) {
  std::mt19937 random(7);
  const auto up_to = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int trial = 0; trial < 40; ++trial) {
    constexpr int ranks = 6;
    auto builder = TraceBuilder::spread(ranks);
    for (int round = 0; round < 5; ++round) {
      const int distance = 1 + up_to(ranks - 2);
      const auto bytes = static_cast<std::uint64_t>(up_to(3000));
      for (int rank = 0; rank < ranks; ++rank) {
        builder.compute(rank, 1e-6 * up_to(2000));
        const auto received = builder.irecv(rank, (rank + ranks - distance) % ranks, bytes);
        const auto sent = builder.isend(rank, (rank + distance) % ranks, bytes);
        if (up_to(1) == 1) builder.compute(rank, 1e-6 * up_to(3000));
        builder.wait(rank, {sent}, {received});
      }
    }
    LinearMachine machine;
    machine.send_s = trial % 2 == 0 ? 0 : 30e-6;
    machine.eager_threshold_bytes = 1500;
    const auto program = compile(builder.trace());
    ASSERT_TRUE(program);
    const auto lowered = schedule_of(*program);
    ASSERT_TRUE(lowered) << to_string(lowered.error());
    for (const char* network : {"ports", "torus:dims=3x2", "ideal"}) {
      SimulateOptions options;
      options.network = *parse_network_spec(network);
      const auto calls = play(*program, machine.model(), options);
      ASSERT_TRUE(calls);
      const Simulated graph = run(lowered->schedule, machine.model(), options);
      for (std::size_t rank = 0; rank < ranks; ++rank)
        EXPECT_NEAR(graph.ranks[rank].elapsed_s, calls->ranks[rank].elapsed_s, ps)
            << "trial " << trial << ", " << network << ", rank " << rank;
    }
  }
}

// LogGOPS's costs of small messages are those of its preset's link: rounds of one byte, each o + L + o, after
// which the next may begin.
TEST(Graph, SmallMessagesTakeWhatLogGopsSays) {
  const MachineModel machine = *find_preset("loggops-default");
  for (const std::uint32_t ranks : {2u, 5u, 16u}) {
    schedule::Builder builder(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      builder.begin_rank();
      std::uint32_t received = schedule::no_op;
      if (rank > 0) received = builder.receive(rank - std::bit_floor(rank), 1, 0);
      for (std::uint32_t d = rank == 0 ? 1 : 2 * std::bit_floor(rank); rank + d < ranks; d *= 2) {
        const std::uint32_t send = builder.send(rank + d, 1, 0);
        if (received != schedule::no_op) builder.require(send, received);
      }
    }
    const schedule::Schedule tree = *builder.finish();
    const auto windows = schedule::play_windows(tree, *schedule::in_ticks(*machine.loggops));
    ASSERT_TRUE(windows);
    EXPECT_NEAR(run(tree, machine).elapsed_s, schedule::seconds(windows->finish), ps) << ranks;
  }
}

TEST(Graph, OperationsThatWaitForEachOtherAreNamed) {
  const std::string text =
      "num_ranks 2\n"
      "rank 0 {\nl1: recv 1b from 1 tag 1\nl2: send 1b to 1 tag 2\nl2 requires l1\n}\n"
      "rank 1 {\nl1: recv 1b from 0 tag 2\nl2: send 1b to 0 tag 1\nl2 requires l1\n}\n";
  const auto stuck = play(program_of(goal(text), "test"), LinearMachine().model());
  ASSERT_FALSE(stuck);
  EXPECT_NE(to_string(stuck.error()).find("rank 0 receives from 1"), std::string::npos)
      << to_string(stuck.error());
}

// A recorded ping-pong under LogGOPS: two times o + L + (s - 1) G + o beside the calls' computation; with
// requests and replies of one byte above S. Without contention the same.
TEST(Graph, ARecordedProgramIsPlayedByWindowsAndWithoutContention) {
  const auto machine = *schedule::in_ticks(*find_preset("loggops-default")->loggops);
  for (const std::uint64_t bytes : {1000u, 100000u}) {
    auto builder = TraceBuilder::spread(2);
    builder.compute(0, 5e-3);
    builder.send(0, 1, bytes);
    builder.recv(1, 0, bytes);
    builder.send(1, 0, bytes);
    builder.recv(0, 1, bytes);
    const auto lowered = schedule_of(*compile(builder.trace()));
    ASSERT_TRUE(lowered) << to_string(lowered.error());
    const schedule::Ticks small = 2 * machine.o + machine.L;
    const schedule::Ticks message = small + static_cast<schedule::Ticks>(bytes - 1) * machine.G +
                                    (machine.rendezvous(bytes) ? 2 * small : 0);
    const schedule::Ticks expected = 5'000'000 * schedule::ticks_per_ns + 2 * message;
    EXPECT_EQ(schedule::play_windows(lowered->schedule, machine)->finish, expected);
    EXPECT_EQ(schedule::evaluate(lowered->schedule, machine)->finish, expected);
  }
}

// A ring in which all send and receive at once: each round 2 o + L, whatever evaluates it; the last round's
// calls are blamed by their name.
TEST(Graph, ARecordedRingTakesARoundTimesItsRounds) {
  const auto machine = *schedule::in_ticks(*find_preset("loggops-default")->loggops);
  auto builder = TraceBuilder::spread(5);
  for (int round = 0; round < 7; ++round)
    for (int rank = 0; rank < 5; ++rank) builder.sendrecv(rank, (rank + 1) % 5, 1, (rank + 4) % 5, 1);
  const auto lowered = schedule_of(*compile(builder.trace()));
  ASSERT_TRUE(lowered) << to_string(lowered.error());
  const schedule::Ticks expected = 7 * (2 * machine.o + machine.L);
  const auto windows = schedule::play_windows(lowered->schedule, machine);
  const auto free = schedule::explain(lowered->schedule, machine);
  ASSERT_TRUE(windows) << to_string(windows.error());
  ASSERT_TRUE(free) << to_string(free.error());
  EXPECT_EQ(windows->finish, expected);
  EXPECT_EQ(free->evaluated.finish, expected);
  ASSERT_EQ(lowered->schedule.calls.size(), 2u);
  EXPECT_EQ(lowered->schedule.calls[1], "MPI_Sendrecv");
}

}  // namespace
}  // namespace ww::simulate
