#include "interpose/core/entries.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace ww::interpose {
namespace {

constexpr uint64_t world = 77, other = 78;

struct Entries : testing::Test {
  alignas(64) std::vector<char> memory = std::vector<char>(entries_memory(2) + 64);
  Entries() { be(0); }
  ~Entries() override { stop_entries(); }
  void be(int rank) {
    const auto at = reinterpret_cast<uintptr_t>(memory.data());
    start_entries(reinterpret_cast<void*>((at + 63) / 64 * 64), rank);
  }
};

TEST_F(Entries, AreThoseOfTheRankTheCommunicatorAndTheCall) {
  put_entry(world, 5, {100, 8, 16});
  be(1);
  put_entry(world, 5, {200, 1, 2});
  EntryOfRank entry{};
  ASSERT_TRUE(read_entry(0, world, 5, entry));
  EXPECT_EQ(entry.when, 100u);
  EXPECT_EQ(entry.given, 8u);
  EXPECT_EQ(entry.got, 16u);
  ASSERT_TRUE(read_entry(1, world, 5, entry));
  EXPECT_EQ(entry.when, 200u);
  EXPECT_FALSE(read_entry(0, world, 6, entry)) << "it has not entered that";
  EXPECT_FALSE(read_entry(0, other, 5, entry));
}

// A rank that nobody waits for (the leaf of a reduction) runs ahead: what it entered long ago is gone, and not
// mistaken for what it entered since.
TEST_F(Entries, OldOnesMakeRoom) {
  for (uint64_t number = 0; number < 10'000; ++number) put_entry(world, number, {number, 0, 0});
  EntryOfRank entry{};
  EXPECT_FALSE(read_entry(0, world, 3, entry));
  ASSERT_TRUE(read_entry(0, world, 9'999, entry));
  EXPECT_EQ(entry.when, 9'999u);
}

TEST_F(Entries, AreWholeOrNotThere) {
  constexpr uint64_t rounds = 200'000;
  std::thread writer([] {
    for (uint64_t i = 1; i <= rounds; ++i) put_entry(world, i, {i, 2 * i, 3 * i});
  });
  uint64_t seen = 0;
  for (uint64_t i = 1; i <= rounds; ++i) {
    EntryOfRank entry{};
    if (!read_entry(0, world, i, entry)) continue;
    ++seen;
    ASSERT_EQ(entry.when, i);
    ASSERT_EQ(entry.given, 2 * i);
    ASSERT_EQ(entry.got, 3 * i);
  }
  writer.join();
  EntryOfRank last{};
  EXPECT_TRUE(read_entry(0, world, rounds, last)) << seen << " were seen on the way";
}

}  // namespace
}  // namespace ww::interpose
