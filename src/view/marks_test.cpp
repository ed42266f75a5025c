#include "view/marks.hpp"

#include <gtest/gtest.h>

namespace ww::view {
namespace {

// Two ranks whose program began at 1000 ns. Rank 0: an outer region 1010..1090 with two inner ones, 1020..1030 and
// 1030..1080, of thread 0, one of thread 1 over all, and markers at 1015, 1055 and 1095; rank 1: a marker at 1050.
Trace sample() {
  Trace trace;
  trace.ranks.resize(2);
  for (RankTrace& rank : trace.ranks) {
    rank.begin_ns = 1000;
    rank.end_ns = 1100;
  }
  trace.user.regions = {"outer", "inner"};
  trace.user.texts = {"a"};
  for (const UserRegion& region : {UserRegion{1000, 1100, 0, 1}, UserRegion{1010, 1090, 0, 0},
                                   UserRegion{1020, 1030, 1, 0}, UserRegion{1030, 1080, 1, 0}})
    trace.ranks[0].user.regions.push_back(region);
  for (const std::int64_t at_ns : {1015, 1055, 1095}) trace.ranks[0].user.markers.push_back({at_ns, 0, 0});
  trace.ranks[1].user.markers.push_back({1050, 0, 0});
  return trace;
}

TEST(MarksWindow, HasWhatReachesIntoItWithItsDepth) {
  const MarksWindow all = marks_in_window(sample(), {}, 0, 100, 100);
  ASSERT_EQ(all.regions.size(), 4U);
  EXPECT_EQ(all.regions[0].depth, 0U);  // of another thread
  EXPECT_EQ(all.regions[1].depth, 0U);
  EXPECT_EQ(all.regions[1].from_ns, 10);
  EXPECT_EQ(all.regions[1].to_ns, 90);
  EXPECT_EQ(all.regions[2].depth, 1U);
  EXPECT_EQ(all.regions[3].depth, 1U);  // the one before it has ended
  EXPECT_EQ(all.markers.size(), 4U);
  EXPECT_EQ(all.left_out, 0U);

  const MarksWindow part = marks_in_window(sample(), {{0, 0}}, 30, 60, 100);
  EXPECT_EQ(part.regions.size(), 3U);  // not 20..30
  ASSERT_EQ(part.markers.size(), 1U);
  EXPECT_EQ(part.markers[0].at_ns, 55);
  EXPECT_EQ(marks_in_window(sample(), {{1, 5}}, 0, 100, 100).regions.size(), 0U);
}

TEST(MarksWindow, OfTooManyListsTheLongestRegionsAndSaysHowManyAreLeftOut) {
  const MarksWindow few = marks_in_window(sample(), {}, 0, 100, 2);
  ASSERT_EQ(few.regions.size(), 2U);
  EXPECT_EQ(few.regions[0].to_ns - few.regions[0].from_ns, 100);
  EXPECT_EQ(few.regions[1].to_ns - few.regions[1].from_ns, 80);
  EXPECT_EQ(few.markers.size(), 2U);
  EXPECT_EQ(few.left_out, 4U);
  const MarksWindow none = marks_in_window(sample(), {}, 0, 100, 0);
  EXPECT_TRUE(none.regions.empty() && none.markers.empty());
  EXPECT_EQ(none.left_out, 8U);
}

}  // namespace
}  // namespace ww::view
