// Machines side by side. Expectations: explain() of maxplus.hpp, one machine at a time, to the last tick.
#include "simulate/schedule/batch.hpp"

#include <gtest/gtest.h>

#include <random>

#include "machine/presets.hpp"
#include "simulate/schedule/goal.hpp"
#include "simulate/schedule/maxplus.hpp"

namespace ww::schedule {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

// Ranks that compute, exchange messages of many sizes and wait for some of them: sends stand before the
// receives of a round, so no order waits for itself, large messages or not.
Schedule random_schedule(std::uint64_t seed, std::uint32_t ranks, std::uint32_t rounds, std::uint8_t cpus,
                         std::uint8_t nics) {
  Dice dice(seed);
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> to(rounds * ranks);
  for (auto& list : to)
    for (std::uint64_t n = dice.below(3); n > 0; --n)
      list.push_back({static_cast<std::uint32_t>(dice.below(ranks)), 1 + dice.below(6) * 700});
  Builder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    builder.begin_rank();
    std::vector<std::uint32_t> before;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const auto cpu = static_cast<std::uint8_t>(dice.below(cpus));
      const auto nic = static_cast<std::uint8_t>(dice.below(nics));
      std::vector<std::uint32_t> now{builder.compute(dice.below(4) == 0 ? 0 : dice.below(100000), 0, cpu)};
      for (const std::uint32_t op : before) builder.require(now[0], op);
      const std::uint32_t computed = now[0];
      for (const auto& [peer, bytes] : to[round * ranks + rank]) {
        if (peer == rank) continue;
        now.push_back(builder.send(peer, bytes, round, 0, cpu, nic));
        builder.require(now.back(), computed, dice.below(3) == 0);
      }
      for (std::uint32_t peer = 0; peer < ranks; ++peer)
        for (const auto& [destination, bytes] : to[round * ranks + peer]) {
          if (destination != rank || peer == rank) continue;
          now.push_back(builder.receive(peer, bytes, round, 0, cpu, nic));
          builder.require(now.back(), computed, dice.below(2) == 0);
        }
      before = now;
    }
  }
  auto made = builder.finish();
  EXPECT_TRUE(made) << to_string(made.error());
  return *made;
}

LogGopsTicks random_machine(Dice& dice) {
  LogGopsTicks out;
  out.L = static_cast<Ticks>(dice.below(5) == 0 ? 0 : dice.below(5'000'000'000));
  out.o = static_cast<Ticks>(dice.below(5) == 0 ? 0 : dice.below(3'000'000'000));
  out.g = static_cast<Ticks>(dice.below(2'000'000'000));
  out.G = static_cast<Ticks>(dice.below(3'000'000));
  out.O = static_cast<Ticks>(dice.below(2) * dice.below(3'000'000));
  out.S_bytes = dice.below(3) == 0 ? ~std::uint64_t{0} : dice.below(4000);
  out.compute_factor = dice.below(2) == 0 ? 1 : 0.3 + 0.1 * static_cast<double>(dice.below(40));
  return out;
}

void expect_same(const Schedule& schedule, const std::vector<LogGopsTicks>& machines,
                 const BatchOptions& options) {
  const auto batch = evaluate_batch(schedule, machines, options);
  ASSERT_TRUE(batch) << to_string(batch.error());
  ASSERT_EQ(batch->size(), machines.size());
  for (std::size_t i = 0; i < machines.size(); ++i) {
    const auto one = explain(schedule, machines[i]);
    ASSERT_TRUE(one) << to_string(one.error());
    ASSERT_EQ((*batch)[i].finish, one->evaluated.finish) << "machine " << i;
    if (!options.slopes) continue;
    EXPECT_EQ((*batch)[i].slopes.latency, one->chain.L) << "machine " << i;
    EXPECT_EQ((*batch)[i].slopes.per_byte, one->chain.G) << "machine " << i;
    EXPECT_EQ((*batch)[i].slopes.overhead, one->chain.o) << "machine " << i;
  }
}

// Any number of lanes in use, S above and below the sizes, one and several processors and cards, computation
// as fast and not, by every set of instructions that is here.
TEST(Batch, IsEveryMachineByItself) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Dice dice(seed * 7919);
    const auto cpus = static_cast<std::uint8_t>(1 + seed % 3 / 2);
    const auto nics = static_cast<std::uint8_t>(1 + seed % 4 / 3);
    const Schedule schedule =
        random_schedule(seed, static_cast<std::uint32_t>(2 + dice.below(6)), 8, cpus, nics);
    std::vector<LogGopsTicks> machines;
    for (std::uint64_t n = 1 + dice.below(3 * lanes); n > 0; --n) machines.push_back(random_machine(dice));
    if (seed % 2 == 0)
      for (LogGopsTicks& machine : machines) machine.S_bytes = machines[0].S_bytes;
    for (const Instructions by : instructions_here())
      for (const bool slopes : {false, true}) {
        SCOPED_TRACE(std::string("seed ") + std::to_string(seed) + " by " + to_string(by));
        expect_same(schedule, machines,
                    {.slopes = slopes, .threads = 1 + static_cast<unsigned>(seed % 2), .instructions = by});
        if (HasFatalFailure()) return;
      }
  }
}

TEST(Batch, OfNoMachineIsNothing) {
  const auto none = evaluate_batch(random_schedule(1, 2, 2, 1, 1), {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
}

// Rank 1 waits for the message of rank 0, which is sent after 3 us.
TEST(Batch, TellsHowLongRanksAreBlocked) {
  const auto schedule = parse_goal(
      "num_ranks 2\nrank 0 {\nl1: calc 3000\nl2: send 1b to 1 tag 1\nl2 requires l1\n}\n"
      "rank 1 {\nl1: calc 500\nl2: recv 1b from 0 tag 1\nl2 requires l1\n}\n",
      "test");
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  const std::vector<LogGopsTicks> machines{*in_ticks({1e-6, 100e-9, 0, 0, 0, 1e9})};
  const auto runs = evaluate_batch(*schedule, machines);
  ASSERT_TRUE(runs);
  // 3000 ns + o + L until it is there, of which 500 are computed; the mean of two ranks.
  EXPECT_NEAR((*runs)[0].blocked_s, (3000e-9 + 100e-9 + 1000e-9 - 500e-9) / 2, 1e-15);
}

TEST(Batch, FailsAsOneMachineDoes) {
  // Each rank receives before it sends.
  const auto schedule = parse_goal(
      "num_ranks 2\nrank 0 {\nl1: recv 1b from 1 tag 1\nl2: send 1b to 1 tag 1\nl2 requires l1\n}\n"
      "rank 1 {\nl1: recv 1b from 0 tag 1\nl2: send 1b to 0 tag 1\nl2 requires l1\n}\n",
      "test");
  ASSERT_TRUE(schedule) << to_string(schedule.error());
  const std::vector<LogGopsTicks> machines{*in_ticks(*find_preset("loggops-default")->loggops)};
  const auto batch = evaluate_batch(*schedule, machines);
  const auto one = explain(*schedule, machines[0]);
  ASSERT_FALSE(batch);
  ASSERT_FALSE(one);
  EXPECT_EQ(to_string(batch.error()), to_string(one.error()));
}

}  // namespace
}  // namespace ww::schedule
