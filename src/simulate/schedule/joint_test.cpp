// The map of L and G beside closed forms, and beside evaluations one by one.
#include "simulate/schedule/joint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "machine/presets.hpp"
#include "simulate/schedule/maxplus.hpp"

namespace ww::schedule {
namespace {

LogGopsTicks standard() {
  return *in_ticks(*find_preset("loggops-default")->loggops);
}

Rectangle ten_times(const LogGopsTicks& machine) {
  return {{0, 0}, {10 * machine.L, 10 * machine.G}};
}

// A message to and fro between each of the given pairs, and one rank that computes.
struct Pair {
  std::uint32_t turns;
  std::uint64_t bytes;
};
Schedule side_by_side(const std::vector<Pair>& pairs, std::uint64_t compute_ns) {
  Builder builder(static_cast<std::uint32_t>(2 * pairs.size() + 1));
  for (std::uint32_t pair = 0; pair < pairs.size(); ++pair)
    for (std::uint32_t side = 0; side < 2; ++side) {
      builder.begin_rank();
      std::uint32_t last = no_op;
      for (std::uint32_t turn = 0; turn < pairs[pair].turns; ++turn) {
        const std::uint32_t other = 2 * pair + 1 - side;
        const std::uint32_t op = turn % 2 == side ? builder.send(other, pairs[pair].bytes, 0)
                                                  : builder.receive(other, pairs[pair].bytes, 0);
        if (last != no_op) builder.require(op, last);
        last = op;
      }
    }
  builder.begin_rank();
  builder.compute(compute_ns);
  return *builder.finish();
}

// Every rank computes at random and sends messages of random sizes to random ranks, round by round.
Schedule at_random(std::uint32_t ranks, std::uint32_t rounds, std::uint64_t largest_bytes,
                   std::uint32_t seed) {
  std::mt19937 random(seed);
  struct Message {
    std::uint32_t from, to;
    std::uint64_t bytes;
  };
  std::vector<std::vector<Message>> all(rounds);
  for (auto& round : all)
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      round.push_back({rank, static_cast<std::uint32_t>((rank + 1 + random() % (ranks - 1)) % ranks),
                       1 + random() % largest_bytes});
  Builder builder(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    builder.begin_rank();
    std::vector<std::uint32_t> last;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t computed = builder.compute(random() % 40'000);
      for (const std::uint32_t op : last) builder.require(computed, op);
      last.clear();
      for (const Message& message : all[round]) {
        if (message.from == rank) last.push_back(builder.send(message.to, message.bytes, round));
        if (message.to == rank) last.push_back(builder.receive(message.from, message.bytes, round));
      }
      for (const std::uint32_t op : last) builder.require(op, computed);
    }
  }
  return *builder.finish();
}

JointMap map_of(const Schedule& schedule, const LogGopsTicks& machine, const JointLimits& limits = {}) {
  const auto map = joint_map(growing(schedule, machine), machine.o, ten_times(machine), limits);
  EXPECT_TRUE(map) << to_string(map.error());
  return *map;
}

// A pair with n turns of s bytes takes n (2 o + L + (s - 1) G) (LogGP), so its planes are known.
TEST(JointMap, IsTheClosedFormOfSidesThatDoNotMeet) {
  const LogGopsTicks machine = standard();
  const std::vector<Pair> pairs = {{40, 1}, {20, 1001}, {6, 4001}, {3, 2}};
  const Schedule schedule = side_by_side(pairs, 200'000);
  const JointMap map = map_of(schedule, machine);
  EXPECT_FALSE(map.cut);
  std::vector<Plane> told, expected = {{200'000 * ticks_per_ns, 0, 0}};
  for (const JointMap::Region& region : map.regions) told.push_back(region.plane);
  for (const Pair& pair : pairs)  // the last is below the computation wherever it is in the box
    if (pair.turns > 3)
      expected.push_back(
          {pair.turns * 2 * machine.o, pair.turns, static_cast<std::int64_t>(pair.turns * (pair.bytes - 1))});
  const auto order = [](const Plane& a, const Plane& b) {
    return a.by_x != b.by_x ? a.by_x < b.by_x : a.by_y < b.by_y;
  };
  std::sort(told.begin(), told.end(), order);
  std::sort(expected.begin(), expected.end(), order);
  EXPECT_EQ(told, expected);
}

// The polygons cover the box once: by the shoelace formula their areas add up to its own.
TEST(JointMap, PolygonsCoverTheBox) {
  const LogGopsTicks machine = standard();
  const JointMap map = map_of(at_random(8, 12, 4000, 3), machine);
  double area = 0;
  for (const JointMap::Region& region : map.regions) {
    double twice = 0;
    for (std::size_t i = 0; i < region.corners.size(); ++i) {
      const auto& [x, y] = region.corners[i];
      const auto& [next_x, next_y] = region.corners[(i + 1) % region.corners.size()];
      twice += x * next_y - next_x * y;
    }
    EXPECT_GE(twice, 0);
    area += twice / 2;
  }
  const double whole = 100.0 * static_cast<double>(machine.L) * static_cast<double>(machine.G);
  EXPECT_NEAR(area, whole, 1e-9 * whole);
  EXPECT_GT(map.regions.size(), 10u);
}

TEST(JointMap, IsWhatEvaluationsGiveToTheLastFemtosecond) {
  const LogGopsTicks machine = standard();
  std::mt19937_64 random(11);
  for (const Schedule& schedule :
       {at_random(6, 10, 3000, 1), at_random(16, 40, 2000, 2), at_random(5, 6, 90000, 4)}) {
    const JointMap map = map_of(schedule, machine);
    EXPECT_FALSE(map.cut);
    EXPECT_GT(map.regions.size(), 5u);
    // between whole points: by less than what a femtosecond more of both makes of the longest chain
    std::int64_t steepest = 0;
    for (const JointMap::Region& region : map.regions)
      steepest = std::max(steepest, region.plane.by_x + region.plane.by_y);
    EXPECT_LE(map.off, steepest);
    const auto same_at = [&](const Place2& place) {
      LogGopsTicks there = machine;
      there.L = place.x;
      there.G = place.y;
      EXPECT_EQ(map.at(place), evaluate(schedule, there)->finish) << place.x << " " << place.y;
    };
    for (int i = 0; i < 400; ++i)
      same_at({static_cast<Ticks>(random() % static_cast<std::uint64_t>(10 * machine.L)),
               static_cast<Ticks>(random() % static_cast<std::uint64_t>(10 * machine.G))});
    // and beside the corners, where a plane would be missed first
    for (const JointMap::Region& region : map.regions)
      for (const auto& [x, y] : region.corners)
        for (const Ticks right : {-3, 0, 2})
          for (const Ticks up : {-2, 0, 3})
            same_at({std::clamp<Ticks>(static_cast<Ticks>(x) + right, 0, 10 * machine.L),
                     std::clamp<Ticks>(static_cast<Ticks>(y) + up, 0, 10 * machine.G)});
  }
}

// With fewer planes than there are, what is told still bounds the time from below, and by `off` from above.
TEST(JointMap, SaysHowFarItIsOffWhenCut) {
  const LogGopsTicks machine = standard();
  const Schedule schedule = at_random(16, 40, 2000, 2);
  const std::size_t all = map_of(schedule, machine).regions.size();
  Ticks before = latest;
  for (const std::size_t planes : {4, 8, 16}) {
    ASSERT_LT(planes, all);
    const JointMap map = map_of(schedule, machine, {planes, 20'000});
    EXPECT_TRUE(map.cut);
    EXPECT_GT(map.off, 0);
    EXPECT_LE(map.off, before);
    before = map.off;
    std::mt19937_64 random(5);
    for (int i = 0; i < 300; ++i) {
      LogGopsTicks there = machine;
      there.L = static_cast<Ticks>(random() % static_cast<std::uint64_t>(10 * machine.L));
      there.G = static_cast<Ticks>(random() % static_cast<std::uint64_t>(10 * machine.G));
      const Ticks finish = evaluate(schedule, there)->finish;
      EXPECT_LE(map.at({there.L, there.G}), finish);
      EXPECT_GE(map.at({there.L, there.G}) + map.off, finish);
    }
  }
}

TEST(JointMap, RefusesWhatIsNotConvex) {
  const Growing bent = [](const Parameters& at, bool) -> Result<Grown> {
    if (at.latency < 50) return Grown{1000 + 3 * at.latency, {3, 0, 0}};
    return Grown{1150 + at.latency, {1, 0, 0}};
  };
  EXPECT_FALSE(joint_map(bent, 0, {{0, 0}, {100, 100}}));
}

}  // namespace
}  // namespace ww::schedule
