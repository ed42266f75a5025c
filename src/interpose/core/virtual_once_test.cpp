#include "interpose/core/virtual_once.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <vector>

#include "interpose/core/shared_lock.hpp"

namespace ww::interpose {
namespace {

class OnceTest : public testing::Test {
 protected:
  OnceTest() : memory_(once_memory(4)) { start_once(memory_.data(), 4); }

 private:
  std::vector<char> memory_;
};

TEST_F(OnceTest, TheFirstFindsAndTheOthersGetIt) {
  {
    const Once first(7, 1, 3);
    ASSERT_TRUE(first.to_be_found());
    first.values()[2] = 5;
  }
  const Once second(7, 1, 3), third(7, 1, 3);
  EXPECT_FALSE(second.to_be_found());
  EXPECT_EQ(second.values()[2], 5);
  EXPECT_EQ(third.values()[2], 5);
  const Once other(8, 1, 3), later(7, 2, 3);
  EXPECT_TRUE(other.to_be_found());
  EXPECT_TRUE(later.to_be_found());
}

TEST_F(OnceTest, APlaceIsFreeWhenAllMembersCame) {
  for (std::uint64_t number = 0; number < 1000; ++number)
    for (int member = 0; member < 2; ++member) {
      const Once once(1, number, 2);
      ASSERT_NE(once.values(), nullptr);
      EXPECT_EQ(once.to_be_found(), member == 0);
    }
}

// Of two members only one comes, as where the other found no place: there is one for others all the same.
TEST_F(OnceTest, OfTooManyTheOneThatWasFoundLongestAgoGivesWay) {
  int displaced = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const Once once(1, number, 2);
    ASSERT_NE(once.values(), nullptr);
    once.values()[1] = static_cast<double>(number);
    displaced += once.displaced() ? 1 : 0;
  }
  EXPECT_EQ(displaced, 1000 - 256);
  for (std::uint64_t number = 999; number >= 1000 - 256; --number) {
    const Once once(1, number, 2);
    ASSERT_FALSE(once.to_be_found());
    EXPECT_EQ(once.values()[1], static_cast<double>(number));
  }
}

TEST_F(OnceTest, WhileAllPlacesAreInUseThereIsNothingToWrite) {
  std::vector<std::unique_ptr<Once>> open;
  for (std::uint64_t number = 0; number < 256; ++number) {
    open.push_back(std::make_unique<Once>(1, number, 2));
    ASSERT_NE(open.back()->values(), nullptr);
  }
  const Once none(1, 256, 2);
  EXPECT_EQ(none.values(), nullptr);
  EXPECT_FALSE(none.to_be_found());
  open.clear();
  EXPECT_NE(Once(1, 256, 2).values(), nullptr);
}

// Memory that forked processes share, as ranks do.
void* shared_memory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

// Runs `work` in a process that ends in the midst of it.
template <class Work>
void in_process_that_dies(Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(1);  // and whatever ends its waiting is not done
  }
  waitpid(child, nullptr, 0);
}

TEST(OnceOfProcesses, WhatNobodyFoundIsNotTakenForZeros) {
  void* memory = shared_memory(once_memory(2));
  ASSERT_NE(memory, nullptr);
  start_once(memory, 2);
  in_process_that_dies([] {
    const Once first(7, 1, 2);
    if (first.to_be_found()) _exit(0);
  });
  {
    const Once second(7, 1, 2);
    EXPECT_FALSE(second.to_be_found());
    EXPECT_EQ(second.values(), nullptr);
  }
  munmap(memory, once_memory(2));
}

TEST(SharedLockTest, IsTakenOverFromAProcessThatDiedWithIt) {
  auto* lock = static_cast<std::uint32_t*>(shared_memory(sizeof(std::uint32_t)));
  ASSERT_NE(lock, nullptr);
  in_process_that_dies([&] {
    const SharedLock held(*lock);
    _exit(0);
  });
  ASSERT_NE(*lock, 0u);
  {
    const SharedLock held(*lock);
    EXPECT_EQ(*lock, static_cast<std::uint32_t>(getpid())) << "whoever goes on has the lock, and says so";
  }
  EXPECT_EQ(*lock, 0u);
  munmap(lock, sizeof *lock);
}

TEST_F(OnceTest, ThreadsWaitForTheFirst) {
  for (std::uint64_t number = 0; number < 2000; ++number) {
    int found = 0;
    double seen[4];
    std::vector<std::thread> members;
    for (int member = 0; member < 4; ++member)
      members.emplace_back([&, member] {
        const Once once(3, number, 4);
        if (once.to_be_found()) {
          ++found;
          for (int i = 0; i < 4; ++i) once.values()[i] = static_cast<double>(number) + i;
        }
        seen[member] = once.values()[member];
      });
    for (std::thread& member : members) member.join();
    EXPECT_EQ(found, 1);
    for (int member = 0; member < 4; ++member) EXPECT_EQ(seen[member], static_cast<double>(number) + member);
  }
}

}  // namespace
}  // namespace ww::interpose
