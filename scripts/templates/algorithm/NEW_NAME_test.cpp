// What a broadcast sends, by definition: the vector to each member but the root, once.
#include <gtest/gtest.h>

#include <vector>

#include "patterns/algorithms.hpp"
#include "patterns/counted_fixture.hpp"

namespace ww::patterns {
namespace {

TEST(NewName, SendsTheVectorToEveryOtherMember) {
  for (const int members : {1, 2, 5, 8})
    for (const int root : {0, members - 1}) {
      const Counted sent = sent_by(NEW_NAME, Operation::bcast, members, 1000, root);
      EXPECT_EQ(sent.messages, static_cast<uint64_t>(members - 1));
      EXPECT_EQ(sent.bytes, 1000 * static_cast<uint64_t>(members - 1));
      std::vector<int> got(static_cast<std::size_t>(members));
      for (const PatternMessage& transfer : sent.transfers) ++got[static_cast<std::size_t>(transfer.to)];
      for (int member = 0; member < members; ++member)
        EXPECT_EQ(got[static_cast<std::size_t>(member)], member == root ? 0 : 1)
            << member << " of " << members;
    }
}

}  // namespace
}  // namespace ww::patterns
