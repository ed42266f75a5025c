#include "view/index.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analyze/random_trace_fixture.hpp"
#include "view/index_fixture.hpp"

namespace ww::view {
namespace {

std::uint64_t sum_of(const Index& index, const Cells& cells, const std::string& name, TimePart part) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < cells.key.size(); ++i) {
    const OccupancyKey key = index.keys()[cells.key[i]];
    if (key.name >= 0 && index.names()[static_cast<std::size_t>(key.name)] == name && key.part == part)
      sum += cells.ns[i];
  }
  return sum;
}

// Rank 0 receives from 100 to 600, rank 1 sends from 400 to 450: 300 ns of the receive are algorithmic.
Trace late_sender() {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Recv", 100, 600, {message_action(ActionKind::recv, 1, 7, 8)});
  builder.call(1, "MPI_Send", 400, 450, {message_action(ActionKind::send, 0, 7, 8)});
  return builder.matched();
}

TEST(ViewIndex, HasTheOccupancyOfCallsByHand) {
  const auto index = index_of(late_sender());
  EXPECT_EQ(index->from_ns(), 0);
  EXPECT_EQ(index->to_ns(), 1000);
  EXPECT_EQ(index->top_level(), 2u);  // 256 bins of 4 ns
  EXPECT_EQ(index->top_group(), 1u);
  const Cells cells = index->cells({2, 0, 0, 0}).value();
  EXPECT_EQ(cells.rows, 2u);
  EXPECT_EQ(sum_of(*index, cells, "MPI_Recv", TimePart::algorithmic), 300u);
  EXPECT_EQ(sum_of(*index, cells, "MPI_Recv", TimePart::service), 200u);  // nothing tells its software
  EXPECT_EQ(sum_of(*index, cells, "MPI_Send", TimePart::library), 50u);
  // Bin 25 is 100 to 104: all of it is algorithmic. Bin 112 is 448 to 452: half of it rank 1 sends.
  EXPECT_EQ(cells.first[25 + 1] - cells.first[25], 1u);
  EXPECT_EQ(cells.ns[cells.first[25]], 4u);
  EXPECT_EQ(cells.first[256 + 112 + 1] - cells.first[256 + 112], 1u);
  EXPECT_EQ(cells.ns[cells.first[256 + 112]], 2u);
  // Bin 250 is 1000 to 1004, after the program.
  EXPECT_EQ(cells.key[cells.first[250]], outside_key);
  const Cells both = index->cells({2, 1, 0, 0}).value();
  EXPECT_EQ(both.rows, 1u);
  EXPECT_EQ(index->ranks_of_row(1, 0, 0), 2u);
  EXPECT_EQ(both.first[112 + 1] - both.first[112],
            2u);  // bin 448 to 452 of both ranks: receiving and sending
}

TEST(ViewIndex, ACallOfANanosecondIsInEveryLevelAndGroup) {
  TraceBuilder builder(9, 1'000'000'000);
  builder.call(4, "MPI_Wtime", 123'456'789, 123'456'790);
  builder.call(8, "MPI_Barrier", 999'999'999, 999'999'999);  // none at all: it has no time
  const auto index = index_of(builder.matched());
  for (std::uint32_t group = 0; group <= index->top_group(); ++group)
    for (std::uint32_t level = 0; level <= index->top_level(); ++level) {
      const TileAt at{level, group, 0, std::uint64_t{123'456'789} / tile_bins >> level};
      EXPECT_EQ(sum_of(*index, index->cells(at).value(), "MPI_Wtime", TimePart::library), 1u);
    }
}

// By key, over all tiles of a level and group.
std::map<std::uint16_t, std::uint64_t> totals(const Index& index, std::uint32_t level, std::uint32_t group) {
  std::map<std::uint16_t, std::uint64_t> sums;
  for (std::uint32_t block = 0; index.rows(group, block) > 0; ++block)
    for (std::uint64_t tile = 0; tile < std::uint64_t{1} << (index.top_level() - level); ++tile) {
      const Cells cells = index.cells({level, group, block, tile}).value();
      for (std::size_t i = 0; i < cells.key.size(); ++i) sums[cells.key[i]] += cells.ns[i];
    }
  return sums;
}

TEST(ViewIndex, TotalsAreThoseOfTheBreakdownAtEveryLevelAndGroup) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Trace trace = random_trace(seed);
    const Breakdown breakdown = break_down(trace, nullptr);
    std::map<TimePart, std::uint64_t> expected;
    for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
      const RankTrace& rank = trace.ranks[r];
      for (std::size_t call = 0; call < rank.calls(); ++call) {
        const auto clipped =
            static_cast<std::uint64_t>(Part(trace).clipped(rank, rank.enter_ns[call], rank.leave_ns[call]));
        const auto algorithmic = static_cast<std::uint64_t>(breakdown.splits[r].algorithmic_ns[call]),
                   service = static_cast<std::uint64_t>(breakdown.splits[r].service_ns[call]);
        expected[TimePart::algorithmic] += algorithmic;
        expected[TimePart::service] += service;
        expected[TimePart::library] += clipped - algorithmic - service;
      }
    }
    const auto index = index_of(trace, 16);  // that many tiles are stored
    EXPECT_GT(index->stored_tiles(), 0u);
    for (std::uint32_t group = 0; group <= index->top_group(); ++group)
      for (std::uint32_t level = 0; level <= index->top_level(); level += 3) {
        std::map<TimePart, std::uint64_t> sums;
        for (const auto& [key, ns] : totals(*index, level, group))
          if (key >= first_call_key) sums[index->keys()[key].part] += ns;
        for (const TimePart part : {TimePart::library, TimePart::algorithmic, TimePart::service})
          EXPECT_EQ(sums[part], expected[part]) << seed << " " << level << " " << group;
      }
  }
}

TEST(ViewIndex, StoredTilesAreWhatIsComputed) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto index = index_of(random_trace(seed), 1);
    std::size_t stored = 0;
    for (std::uint32_t group = 0; group <= index->top_group(); ++group)
      for (std::uint32_t level = 0; level <= index->top_level(); ++level)
        for (std::uint64_t tile = 0; tile < std::uint64_t{1} << (index->top_level() - level); ++tile) {
          const TileAt at{level, group, 0, tile};
          if (!index->is_stored(at)) continue;
          ++stored;
          EXPECT_EQ(index->cells(at).value(), index->computed_cells(at).value());
        }
    EXPECT_EQ(stored, index->stored_tiles());
  }
}

// More ranks than a tile has rows, more calls than a block; bursts, and calls that last long.
Trace bursts(std::size_t ranks, std::size_t calls) {
  TraceBuilder builder(ranks, static_cast<std::int64_t>(6000 * calls));
  std::mt19937 random(1);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::int64_t now = 0;
    for (std::size_t i = 0; i < calls; ++i) {
      now += static_cast<std::int64_t>(i % 100 == 0 ? random() % 200'000 : random() % 100);
      const std::int64_t leave =
          now + static_cast<std::int64_t>(i % 50 == 0 ? random() % 90'000 : random() % 300);
      builder.call(r, random() % 2 == 0 ? "MPI_Wtime" : "MPI_Probe", now, leave);
      now = leave;
    }
  }
  return builder.matched();
}

// index_build.hpp: below the number of calls that it is told, down to a third, only where they are small beside the calls:
// of one rank with 10,000 calls a tile of 256 bins is, of 150 ranks with some calls each none.
TEST(ViewIndex, SmallTilesAreStoredWhereTheyTakeLittle) {
  const auto small_ones = [](const Index& index, std::uint64_t calls_a_tile) {
    std::size_t small = 0;
    for (std::uint32_t level = 0; level <= index.top_level(); ++level)
      for (std::uint64_t tile = 0; tile < std::uint64_t{1} << (index.top_level() - level); ++tile) {
        const TileAt at{level, 0, 0, tile};
        const std::int64_t from_ns = index.tile_from_ns(at);
        const std::uint64_t calls = index.calls_about(0, std::min<std::size_t>(index.ranks(), tile_rows),
                                                      from_ns, from_ns + (std::int64_t{tile_bins} << level));
        if (index.is_stored(at)) {
          EXPECT_GT(calls, calls_a_tile / 3);
          if (calls <= calls_a_tile) ++small;
        } else {
          EXPECT_LE(calls, calls_a_tile);
        }
      }
    return small;
  };
  EXPECT_GT(small_ones(*index_of(bursts(1, 60'000), 20'000), 20'000), 0u);
  EXPECT_EQ(small_ones(*index_of(bursts(150, 500), 2000), 2000), 0u);
}

TEST(ViewIndex, StoredTilesOfManyRanksAreWhatIsComputed) {
  const auto index = index_of(bursts(150, 500), 2000, 3);
  EXPECT_EQ(index->top_group(), 4u);
  EXPECT_EQ(index->whole_group(), 1u);          // of 38 rows
  std::map<std::uint32_t, std::size_t> stored;  // by group
  for (std::uint32_t group = 0; group <= index->top_group(); ++group)
    for (std::uint32_t level = 0; level <= index->top_level(); ++level)
      for (std::uint32_t block = 0; index->rows(group, block) > 0; ++block)
        for (std::uint64_t tile = 0; tile < std::uint64_t{1} << (index->top_level() - level); ++tile) {
          const TileAt at{level, group, block, tile};
          if (index->is_stored(at)) ++stored[group];
          if (!index->is_stored(at) && (group <= index->whole_group() || tile % 7 != 0))
            continue;  // of what is computed some
          EXPECT_EQ(index->cells(at).value(), index->computed_cells(at).value());
        }
  for (std::uint32_t group = 0; group <= index->whole_group(); ++group) EXPECT_GT(stored[group], 4u) << group;
}

}  // namespace
}  // namespace ww::view
