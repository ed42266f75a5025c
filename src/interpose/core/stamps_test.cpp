#include "interpose/core/stamps.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <random>
#include <thread>
#include <vector>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

bool concurrent = false;  // as the library has it without MPI_THREAD_MULTIPLE

namespace {

constexpr int ranks = 3;

// One process plays all ranks: `own` is who writes or reads.
class Stamps : public testing::Test {
 protected:
  Stamps() : bytes_(stamp_memory(ranks, 1)) {
    memory_ =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Stamps() override { munmap(memory_, bytes_); }
  void as(int rank) { start_stamps(memory_, ranks, rank, 1); }
  void put(int from, int to, const Stamp& stamp) {
    as(from);
    put_stamp(to, stamp);
  }
  // 0: none
  uint64_t take(int from, int to, uint64_t comm, int tag, uint64_t bytes = any_size) {
    as(to);
    Stamp stamp{comm, bytes, 0, tag};
    return take_stamp(from, stamp) ? stamp.when : 0;
  }

 private:
  size_t bytes_;
  void* memory_;
};

// MPI: messages of one pair, communicator and tag are received in the order in which they were sent.
TEST_F(Stamps, TheOldestOfACommunicatorAndATagComesFirst) {
  put(0, 1, {0, 8, 100, 7});
  put(0, 1, {5, 8, 101, 7});
  put(0, 1, {0, 8, 102, 9});
  put(0, 1, {0, 8, 103, 7});
  put(2, 1, {0, 8, 104, 7});
  EXPECT_EQ(take(0, 1, 0, 9), 102u);
  EXPECT_EQ(take(0, 1, 0, 7), 100u);
  EXPECT_EQ(take(0, 1, 0, 7), 103u);
  EXPECT_EQ(take(0, 1, 0, 7), 0u);
  EXPECT_EQ(take(0, 1, 5, 7), 101u);
  EXPECT_EQ(take(2, 1, 0, 7), 104u);
  EXPECT_EQ(take(1, 0, 0, 7), 0u);
}

TEST_F(Stamps, OneOfAsManyBytesIsPreferred) {
  put(0, 1, {0, 8, 100, 7});
  put(0, 1, {0, 16, 101, 7});
  EXPECT_EQ(take(0, 1, 0, 7, 16), 101u);
  EXPECT_EQ(take(0, 1, 0, 7, 4), 100u);
}

// A ring of 3 ranks has 8192 places.
TEST_F(Stamps, AFullRingGivesNoneRatherThanWrongOnes) {
  for (uint64_t i = 0; i < 8192; ++i) put(0, 1, {0, 8, 1 + i, 7});
  EXPECT_EQ(take(0, 1, 0, 7), 1u);
  put(0, 1, {0, 8, 9000, 7});
  EXPECT_EQ(take(0, 1, 0, 7), 2u);
  for (uint64_t i = 0; i < 3; ++i) put(0, 1, {0, 8, 9001, 7});
  EXPECT_EQ(take(0, 1, 0, 7), 0u);
  put(2, 1, {0, 8, 5, 7});
  EXPECT_EQ(take(2, 1, 0, 7), 5u) << "another pair is not concerned";
}

// Stamps that nobody takes, one in 100, do not fill the ring before they are as many as its places.
TEST_F(Stamps, WhatIsNeverTakenDoesNotStopTheRest) {
  for (uint64_t i = 1; i <= 100000; ++i) {
    put(0, 1, {0, 8, i, 7});
    if (i % 100 == 0) put(0, 1, {0, 8, i, 8});
    ASSERT_EQ(take(0, 1, 0, 7), i);
  }
  for (uint64_t i = 100; i <= 100000; i += 100) ASSERT_EQ(take(0, 1, 0, 8), i);
}

TEST_F(Stamps, WhatIsLostStaysLost) {
  put(0, 1, {0, 8, 100, 7});
  as(0);
  lose_stamps_to(1);
  EXPECT_EQ(take(0, 1, 0, 7), 0u);
}

// Against lists, one for each tag, as MPI keeps them.
TEST_F(Stamps, AsListsDo) {
  std::mt19937 random(1);
  std::vector<std::vector<uint64_t>> sent(5);
  uint64_t when = 0;
  for (int step = 0; step < 200000; ++step) {
    const int tag = static_cast<int>(random() % 5);
    auto& list = sent[static_cast<size_t>(tag)];
    if (random() % 2 == 0 && list.size() < 1000) {
      put(0, 1, {3, 8, ++when, tag});
      list.push_back(when);
    } else if (!list.empty()) {
      ASSERT_EQ(take(0, 1, 3, tag), list.front());
      list.erase(list.begin());
    } else {
      ASSERT_EQ(take(0, 1, 3, tag), 0u);
    }
  }
}

}  // namespace
}  // namespace ww::interpose
