// Expected values are those written by the fixture.
#include "trace/spool.hpp"

#include <gtest/gtest.h>

#include <random>

#include "trace/from_spool.hpp"
#include "trace/otf2_read.hpp"
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

// Whatever is written over a spool, reading it ends, stays small and gives columns that hold together.
TEST(SpoolFuzz, DamagedSpoolsNeverBreakTheReader) {
  std::mt19937 random(20240607);
  const auto pick = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
  std::size_t survived = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<SpoolWriter> ranks(2);
    std::vector<std::string> records(2), definitions(2);
    for (std::size_t r = 0; r < 2; ++r) {
      const auto peer = static_cast<std::int32_t>(1 - r);
      SpoolWriter& writer = ranks[r];
      writer.standard(static_cast<int>(r), 2);
      writer.clock(0, 10, 1, false);
      writer.add("MPI_Init", 10, 20);
      for (std::uint64_t i = 1; i <= 8; ++i) {
        const std::uint64_t t = i * 100;
        writer.add("MPI_Isend", t, t + 5, Kind::isend, peer, 1, 8, 2 * i);
        writer.add("MPI_Irecv", t + 10, t + 15, Kind::irecv, i % 2 == 0 ? any_peer : peer, 1, 8, 2 * i + 1);
        if (i % 2 == 0) {
          writer.add("MPI_Waitall", t + 20, t + 30, Kind::irecv_done, peer, 1, 8, 2 * i + 1, flag_continued);
          writer.add("MPI_Waitall", t + 20, t + 30, Kind::isend_done, peer, 1, 8, 2 * i);
        } else {
          writer.add("MPI_Waitall", t + 20, t + 30, Kind::done_range, no_peer, 0, 2, 2 * i);
        }
        writer.add("MPI_Allreduce", t + 40, t + 50, Kind::collective, no_peer, 0, 8, 8);
      }
      writer.end(5000);
      records[r] = writer.spool_bytes(static_cast<int>(r), 2);
      definitions[r] = writer.definition_bytes();
    }
    for (std::size_t change = 0; change < 1 + pick(4); ++change) {
      std::string& bytes = pick(3) == 0 ? definitions[pick(2)] : records[pick(2)];
      if (bytes.empty()) continue;
      const std::size_t at = pick(bytes.size()), length = std::min(bytes.size() - at, 1 + pick(100));
      switch (pick(5)) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes.replace(at, length, length, '\0');
          break;
        case 2:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
          break;
        case 3:
          bytes.insert(at, bytes.substr(at, length));
          break;
        default:
          for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
      }
    }
    const TestDir dir;
    for (std::size_t r = 0; r < 2; ++r) {
      write_bytes(dir.path() / ("rank-" + std::to_string(r) + ".thread-0.spool"), records[r]);
      write_bytes(dir.path() / ("rank-" + std::to_string(r) + ".defs"), definitions[r]);
    }
    Diagnostics diagnostics;
    const auto spools = read_spools(dir.path(), diagnostics);
    if (!spools) continue;
    const TestDir made;
    if (!write_archive(*spools, made.path(), {.threads = 1}, diagnostics)) continue;
    const auto read = otf2::read_archive(made.path() / "traces.otf2");
    ASSERT_TRUE(read) << to_string(read.error());
    ++survived;
    const Trace& trace = *read;
    ASSERT_LE(trace.ranks.size(), 1024u);
    for (const RankTrace& rank : trace.ranks) {
      ASSERT_EQ(rank.first_action.size(), rank.calls() + 1);
      for (std::size_t call = 0; call < rank.calls(); ++call) {
        ASSERT_LE(rank.enter_ns[call], rank.leave_ns[call]);
        if (call > 0) {
          ASSERT_LE(rank.leave_ns[call - 1], rank.enter_ns[call]);
        }
      }
      for (std::size_t a = 0; a < rank.actions(); ++a) {
        ASSERT_LT(rank.comm[a], trace.comms.size());
        ASSERT_LT(rank.peer[a], static_cast<std::int32_t>(trace.ranks.size()));
      }
    }
  }
  EXPECT_GT(survived, 300u);  // most damage leaves something to read
}

}  // namespace
}  // namespace ww::spool
