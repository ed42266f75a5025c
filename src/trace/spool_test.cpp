// Expected values are those written by the fixture.
#include "trace/spool.hpp"

#include <gtest/gtest.h>

#include "trace/from_spool.hpp"
#include "trace/spool_clock.hpp"
#include "trace/spool_fixture.hpp"

namespace ww::spool {
namespace {

TEST(SpoolRecords, EndAtTheFirstBlankRecord) {
  const TestDir dir;
  SpoolWriter writer;
  writer.add("MPI_Init", 10, 20);
  writer.add("MPI_Send", 30, 40, Kind::send, 1, 7, 100);
  const auto file = dir.path() / "rank-0.thread-0.spool";
  write_bytes(file, writer.spool_bytes(0, 1000));
  Diagnostics diagnostics;
  const auto opened = Records::open(file, diagnostics);
  ASSERT_TRUE(opened && *opened);
  const Records* records = &**opened;
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ((*records)[1].bytes, 100u);
  EXPECT_TRUE(diagnostics.all().empty());
}

TEST(SpoolRecords, SayWhenPagesInTheMiddleAreLost) {
  const TestDir dir;
  SpoolWriter writer;
  for (int i = 0; i < 100; ++i) writer.add("MPI_Send", 30, 40);
  std::string bytes = writer.spool_bytes(0);
  bytes.replace(header_bytes + 10 * sizeof(Record), 20 * sizeof(Record), 20 * sizeof(Record), '\0');
  write_bytes(dir.path() / "s", bytes);
  Diagnostics diagnostics;
  const auto opened = Records::open(dir.path() / "s", diagnostics);
  ASSERT_TRUE(opened && *opened);
  const Records* records = &**opened;
  EXPECT_EQ(records->size(), 10u);
  EXPECT_TRUE(diagnostics.has("spool-gap"));
}

TEST(SpoolRecords, RefuseWhatIsNoSpool) {
  const TestDir dir;
  Diagnostics diagnostics;
  EXPECT_FALSE(Records::open(dir.path() / "missing", diagnostics));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{100}, std::size_t{header_bytes}, std::size_t{9000}}) {
    write_bytes(dir.path() / "s", std::string(size, '\1'));
    const auto opened = Records::open(dir.path() / "s", diagnostics);
    EXPECT_TRUE(opened && !*opened) << size;
  }
  EXPECT_EQ(diagnostics.all().at(0).count, 4u);
}

TEST(SpoolDefinitions, TakeGoodLinesAndCountBadOnes) {
  SpoolWriter writer;
  writer.standard(0, 2);
  const std::string good = writer.definition_bytes();
  Diagnostics diagnostics;
  const auto definitions = parse_definitions(
      good + "not json\n{\"def\":\"comm\",\"id\":\"x\"}\n[1]\n{\"def\":\"comm\",\"id\":5", diagnostics);
  ASSERT_TRUE(definitions.process);
  EXPECT_EQ(definitions.process->host, "alpha");
  EXPECT_EQ(definitions.comms.size(), 2u);
  EXPECT_EQ(definitions.calls.size(), test_calls.size());
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].count, 3u);  // the cut last line is no damage
}

SpoolClockPair exchange(std::int64_t at_ticks, std::int64_t offset, double uncertainty, bool same = false) {
  SpoolClockPair pair;
  pair.ticks = pair.at_ticks = at_ticks;
  pair.root_ticks_offset = offset;
  pair.uncertainty_ticks = uncertainty;
  pair.same_clock = same;
  return pair;
}

TEST(SpoolClock, OffsetsAreLinearBetweenTheExchanges) {
  Diagnostics diagnostics;
  const TickMap map({exchange(1000, 500, 2), exchange(101000, 600, 3)}, 1e6, 1e6, 101000,
                    diagnostics);  // 100 ticks of drift in 100000
  EXPECT_EQ(map.root_ticks(1000), 1500.0L);
  EXPECT_NEAR(static_cast<double>(map.root_ticks(51000)), 51550, 1e-6);
  EXPECT_NEAR(static_cast<double>(map.root_ticks(201000)), 201700, 1e-6);  // and on after the last one
  EXPECT_NEAR(static_cast<double>(map.root_ticks(0)), 499, 1e-6);          // and before the first
  EXPECT_EQ(map.uncertainty_ticks(), 3);
}

// By hand: drifts of 1e-5, 2e-5, 4e-5 and 5e-5 in intervals of 1e6 ticks, exchanges within 3 each. The
// straight line of the second interval may be off by (4e-5 - 1e-5) 1e6 / 4 = 7.5, that of the first by (2e-5
// - 1e-5) 1e6 = 10.
TEST(SpoolClock, ADriftThatChangesMakesTheOffsetUncertain) {
  Diagnostics diagnostics;
  const TickMap map({exchange(0, 0, 3), exchange(1000000, 10, 3), exchange(2000000, 30, 3),
                     exchange(3000000, 70, 3), exchange(4000000, 120, 3)},
                    1e6, 1e6, 5000000, diagnostics);
  const auto& intervals = map.intervals();
  ASSERT_EQ(intervals.size(), 5u);
  EXPECT_NEAR(intervals[0].uncertainty_ticks, 13, 1e-9);
  EXPECT_NEAR(intervals[1].uncertainty_ticks, 10.5, 1e-9);
  EXPECT_NEAR(intervals[2].uncertainty_ticks, 10.5, 1e-9);
  EXPECT_NEAR(intervals[3].uncertainty_ticks, 13, 1e-9);
  // Beyond: the last drift is 6e-6 uncertain by its exchanges and 1e-5 by its change, over 1e6 ticks.
  EXPECT_TRUE(intervals[4].beyond);
  EXPECT_NEAR(intervals[4].uncertainty_ticks, 3 + 6 + 10, 1e-9);
  EXPECT_NEAR(map.drift(), 3e-5, 1e-12);
}

// Two exchanges within 10 ticks, 2 uncertain each, say nothing of the drift that counts: 100 in a million is
// what crystals are allowed.
TEST(SpoolClock, ExchangesThatAreCloseDoNotSayTheDrift) {
  Diagnostics diagnostics;
  const TickMap map({exchange(1000, 500, 2), exchange(1010, 502, 2)}, 1e6, 1e6, 1001010, diagnostics);
  EXPECT_FALSE(diagnostics.has("clock-exchange-rejected"));
  EXPECT_NEAR(static_cast<double>(map.root_ticks(1001010)), 1001512, 1e-6);
  EXPECT_NEAR(map.uncertainty_ticks(), 2 + 100, 1e-6);
}

TEST(SpoolClock, RanksOfOneCounterShareWhatOneOfThemExchanged) {
  std::vector<RankSpool> spools(3);
  for (int r = 0; r < 3; ++r) {
    spools[static_cast<std::size_t>(r)].rank = r;
    spools[static_cast<std::size_t>(r)].definitions.counter = r == 0 ? "a" : "b";
    spools[static_cast<std::size_t>(r)].definitions.clocks = {exchange(1000, r == 0 ? 0 : 50, 1, r == 0)};
  }
  spools[2].definitions.clocks.push_back(exchange(101000, 60, 1));
  Diagnostics diagnostics;
  const auto maps = tick_maps(spools, {0, 0, 0}, 1e6, diagnostics);
  EXPECT_TRUE(maps[0]->same_clock());
  EXPECT_EQ(maps[1], maps[2]);
  EXPECT_EQ(maps[1]->exchanges().size(), 2u);  // the first is known from both
  EXPECT_EQ(maps[1]->root_ticks(51000), 51055.0L);
}

TEST(SpoolClock, TheSameClockNeedsNoCorrection) {
  Diagnostics diagnostics;
  const TickMap map({exchange(1000, 0, 0, true), exchange(2000, 0, 0, true)}, 1e6, 1e6, 2000, diagnostics);
  EXPECT_EQ(map.root_ticks(123456789), 123456789.0L);
  EXPECT_TRUE(map.same_clock());
}

TEST(SpoolClock, RejectsAnExchangeThatWouldTurnTimeBack) {
  Diagnostics diagnostics;
  const TickMap map({exchange(1000, 0, 1), exchange(2000, -5000, 1)}, 1e6, 1e6, 2000, diagnostics);
  EXPECT_LT(map.root_ticks(1500), map.root_ticks(1600));
  EXPECT_TRUE(diagnostics.has("clock-exchange-rejected"));
}

TEST(SpoolClock, RateComesFromPairsThatSpanLongEnough) {
  RankDefinitions definitions;
  definitions.process = RecordedProcess{};
  definitions.process->ticks_per_s = 1.001e9;
  definitions.process->ticks = 0;
  EXPECT_EQ(ticks_per_s(definitions), 1.001e9);
  definitions.end = ProcessEnd{"finalize", 2000000000, 2000000000};  // 2e9 ticks in 2 s
  EXPECT_EQ(ticks_per_s(definitions), 1e9);
}

}  // namespace
}  // namespace ww::spool
