#include "interpose/core/virtual_once.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

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

TEST_F(OnceTest, TooManyAtOnceHaveNone) {
  int with = 0;
  for (std::uint64_t number = 0; number < 1000; ++number)
    with += Once(1, number, 2).values() != nullptr ? 1 : 0;
  EXPECT_EQ(with, 256);
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
