#include "report/timeline_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "report/sample.hpp"

namespace ww {
namespace {

std::int64_t sum(const nlohmann::json& list) {
  std::int64_t total = 0;
  for (const auto& value : list) total += value.get<std::int64_t>();
  return total;
}

// What the row's rank spent in each kind, by the sample's own splits.
struct Totals {
  std::int64_t time = 0, algorithmic = 0, service = 0;
};
Totals totals_of(const sample::SampleRecording& recording, std::size_t rank) {
  Totals totals;
  const RankTrace& trace = recording.trace.ranks[rank];
  for (std::size_t call = 0; call < trace.calls(); ++call) {
    totals.time += trace.leave_ns[call] - trace.enter_ns[call];
    totals.algorithmic += recording.breakdown.splits[rank].algorithmic_ns[call];
    totals.service += recording.breakdown.splits[rank].service_ns[call];
  }
  return totals;
}

TEST(TimelineJson, ListsEveryCallOfASmallTrace) {
  const sample::SampleProgram program;  // 3 calls a round, and one reduction every fifth of 20 rounds
  const sample::SampleRecording recording = sample::record(program);
  const auto json = timeline_json(recording.trace, recording.breakdown);
  EXPECT_EQ(json["calls"], 4 * (20 * 3 + 4));
  EXPECT_EQ(json["listed_calls"], json["calls"]);
  EXPECT_EQ(json["messages"], 4 * 20);
  EXPECT_EQ(json["listed_messages"], 4 * 20);
  EXPECT_TRUE(json["bins"].is_null());
  ASSERT_EQ(json["rows"].size(), 4u);
  for (std::size_t r = 0; r < 4; ++r) {
    const auto& row = json["rows"][r];
    const Totals totals = totals_of(recording, r);
    EXPECT_EQ(sum(row["time"]), totals.time);
    EXPECT_EQ(sum(row["algorithmic"]), totals.algorithmic);
    EXPECT_EQ(sum(row["service"]), totals.service);
    EXPECT_EQ(sum(row["enter"]),
              recording.trace.ranks[r].enter_ns.back());  // differences add up to the last entry
    EXPECT_EQ(sum(row["sent"]), 20 * 4608 + 4 * 8);       // messages, and 8 bytes a reduction
    EXPECT_EQ(row["peer"][0], (r + 1) % 4);               // the first call sends to the right
    EXPECT_EQ(row["peer"][2], -1);                        // a wait without actions deals with nobody
  }
}

TEST(TimelineJson, RegionsOfTheProgramWithTheirDepth) {
  sample::SampleRecording recording = sample::record(sample::SampleProgram{});
  recording.trace.user.regions = {"whole", "part"};
  RankTrace& rank = recording.trace.ranks[1];
  const std::int64_t end = rank.end_ns;
  // beyond the program on both sides; within it, twice; of another thread
  rank.user.regions = {{-50, end + 50, 0, 0}, {10, 20, 1, 0}, {15, 500, 1, 1}, {30, 70, 1, 0}};
  auto regions = timeline_json(recording.trace, recording.breakdown)["rows"][1]["regions"];
  EXPECT_EQ(regions["enter"], nlohmann::json({0, 10, 30}));
  EXPECT_EQ(regions["time"], nlohmann::json({end, 10, 40}));
  EXPECT_EQ(regions["name"], nlohmann::json({0, 1, 1}));
  EXPECT_EQ(regions["depth"], nlohmann::json({0, 1, 1}));
  for (RankTrace& other : recording.trace.ranks)
    if (&other != &rank) other.user.regions.clear();
  TimelineLimits limits;
  limits.regions = 2;  // of the three of first threads the shortest goes
  regions = timeline_json(recording.trace, recording.breakdown, limits)["rows"][1]["regions"];
  EXPECT_EQ(regions["time"].size(), 2u);
}

TEST(TimelineJson, ArrowsGoFromTheSendToTheEndOfTheReceive) {
  const sample::SampleProgram program;
  const sample::SampleRecording recording = sample::record(program);
  const auto arrows = timeline_json(recording.trace, recording.breakdown)["arrows"];
  for (std::size_t i = 0; i < arrows["source"].size(); ++i) {
    EXPECT_EQ((arrows["source"][i].get<int>() + 1) % 4, arrows["destination"][i].get<int>());
    // at least the wire and the receiver's software, by the sample's construction
    EXPECT_GE(arrows["receive_ns"][i].get<std::int64_t>() - arrows["send_ns"][i].get<std::int64_t>(),
              2'500'000 + 40'000);
    EXPECT_EQ(arrows["bytes"][i], 4608);
  }
}

TEST(TimelineJson, BinsOfABigTraceKeepEveryNanosecond) {
  sample::SampleProgram program;
  program.ranks = 6;
  program.rounds = 500;
  const sample::SampleRecording recording = sample::record(program);
  const auto json = timeline_json(recording.trace, recording.breakdown,
                                  {.rows = 64, .calls = 100, .cells = 600, .messages = 70});
  EXPECT_EQ(json["calls"], 6 * (500 * 3 + 100));
  EXPECT_EQ(json["listed_calls"], 100);
  EXPECT_LE(json["listed_messages"], 70);
  EXPECT_GT(json["listed_messages"], 35);
  EXPECT_EQ(json["messages"], 3000);
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < 6; ++r) {
    const auto& bins = json["bins"]["rows"][r];
    const Totals totals = totals_of(recording, r);
    EXPECT_EQ(bins["library"].size(), 100u);
    EXPECT_EQ(sum(bins["algorithmic"]), totals.algorithmic);
    EXPECT_EQ(sum(bins["service"]), totals.service);
    EXPECT_EQ(sum(bins["library"]), totals.time - totals.algorithmic - totals.service);
    for (const auto& time : json["rows"][r]["time"]) shortest = std::min(shortest, time.get<std::int64_t>());
  }
  EXPECT_EQ(json["shortest_listed_ns"], shortest);
  // No call that was left out is longer than the shortest that is listed.
  std::size_t longer = 0;
  for (const RankTrace& rank : recording.trace.ranks)
    for (std::size_t call = 0; call < rank.calls(); ++call)
      longer += rank.leave_ns[call] - rank.enter_ns[call] > shortest;
  EXPECT_LE(longer, 100u);
}

TEST(TimelineJson, MergesRanksIntoRows) {
  sample::SampleProgram program;
  program.ranks = 10;
  program.rounds = 5;
  const sample::SampleRecording recording = sample::record(program);
  const auto json = timeline_json(recording.trace, recording.breakdown,
                                  {.rows = 4, .calls = 1000, .cells = 40, .messages = 0});
  ASSERT_EQ(json["rows"].size(), 4u);  // 3 + 3 + 3 + 1 ranks
  EXPECT_EQ(json["rows"][3]["first_rank"], 9);
  EXPECT_EQ(json["rows"][0]["host"], "several hosts");
  EXPECT_EQ(json["listed_calls"], 0);
  EXPECT_EQ(json["listed_messages"], 0);
  std::int64_t expected = 0;
  for (std::size_t r = 0; r < 3; ++r) expected += totals_of(recording, r).service;
  EXPECT_EQ(sum(json["bins"]["rows"][0]["service"]), expected);
}

TEST(TimelineJson, SizeIsBoundedWhateverTheTrace) {
  sample::SampleProgram program;
  program.ranks = 600;
  program.rounds = 60;
  const sample::SampleRecording recording = sample::record(program);
  const TimelineLimits limits{.rows = 100, .calls = 2000, .cells = 5000, .messages = 1000};
  const std::string text = timeline_json(recording.trace, recording.breakdown, limits).dump();
  // three kinds a cell and six columns a message, at most 12 characters each, and 400 for each row
  EXPECT_LT(text.size(), 5000u * 3 * 12 + 1000u * 6 * 12 + 100u * 400);
}

TEST(TimelineJson, AnEmptyTraceIsNoError) {
  const auto json = timeline_json(Trace{}, Breakdown{});
  EXPECT_EQ(json["calls"], 0);
  EXPECT_TRUE(json["rows"].empty());
}

TEST(TimelineJson, CountsOnlyTheProgramProper) {
  sample::SampleRecording recording = sample::record({});
  RankTrace& rank = recording.trace.ranks[0];
  rank.begin_ns = rank.leave_ns[0] + 1;         // the first call lies before the program proper
  rank.end_ns = rank.enter_ns.back() + 10'000;  // and of the last one only 10 us are in it
  const auto row = timeline_json(recording.trace, recording.breakdown)["rows"][0];
  EXPECT_EQ(row["time"].size(), rank.calls() - 1);
  EXPECT_EQ(row["time"].back(), 10'000);
}

}  // namespace
}  // namespace ww
