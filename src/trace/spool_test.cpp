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
  const auto records = Records::open(file, diagnostics);
  ASSERT_TRUE(records);
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
  const auto records = Records::open(dir.path() / "s", diagnostics);
  ASSERT_TRUE(records);
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
    EXPECT_FALSE(Records::open(dir.path() / "s", diagnostics)) << size;
  }
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

TEST(SpoolClock, OffsetsAreLinearBetweenTheExchanges) {
  RankDefinitions definitions;
  definitions.process = Process{};
  definitions.process->ticks_per_s = 1e6;
  definitions.clocks = {{1000, 500, 2, false, 0},
                        {101000, 600, 3, false, 0}};  // 100 ticks of drift in 100000
  Diagnostics diagnostics;
  const TickMap map(definitions, 1e6, diagnostics);
  EXPECT_EQ(map.root_ticks(1000), 1500.0L);
  EXPECT_NEAR(static_cast<double>(map.root_ticks(51000)), 51550, 1e-6);
  EXPECT_NEAR(static_cast<double>(map.root_ticks(201000)), 201700, 1e-6);  // and on after the last one
  EXPECT_NEAR(static_cast<double>(map.root_ticks(0)), 499, 1e-6);          // and before the first
  EXPECT_EQ(map.uncertainty_ticks(), 3);
}

TEST(SpoolClock, TheSameClockNeedsNoCorrection) {
  RankDefinitions definitions;
  definitions.clocks = {{1000, 0, 0, true, 0}, {2000, 0, 0, true, 0}};
  Diagnostics diagnostics;
  const TickMap map(definitions, 1e6, diagnostics);
  EXPECT_EQ(map.root_ticks(123456789), 123456789.0L);
  EXPECT_TRUE(map.same_clock());
}

TEST(SpoolClock, RejectsAnExchangeThatWouldTurnTimeBack) {
  RankDefinitions definitions;
  definitions.clocks = {{1000, 0, 1, false, 0}, {2000, -5000, 1, false, 0}};
  Diagnostics diagnostics;
  const TickMap map(definitions, 1e6, diagnostics);
  EXPECT_LT(map.root_ticks(1500), map.root_ticks(1600));
  EXPECT_TRUE(diagnostics.has("clock-exchange-rejected"));
}

TEST(SpoolClock, RateComesFromPairsThatSpanLongEnough) {
  RankDefinitions definitions;
  definitions.process = Process{};
  definitions.process->ticks_per_s = 1.001e9;
  definitions.process->ticks = 0;
  EXPECT_EQ(ticks_per_s(definitions), 1.001e9);
  definitions.end = End{"finalize", 2000000000, 2000000000};  // 2e9 ticks in 2 s
  EXPECT_EQ(ticks_per_s(definitions), 1e9);
}

}  // namespace
}  // namespace ww::spool
