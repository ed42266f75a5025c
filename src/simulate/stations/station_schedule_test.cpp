// S4's replay input as a schedule. Expectations: what the lines say, and the times that they take by hand on a machine of
// latency + bytes * time a byte.
#include "simulate/stations/station_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/events/engine.hpp"
#include "simulate/graph.hpp"
#include "simulate/machine_fixture.hpp"

namespace ww::stations {
namespace {

std::vector<StationProgram> programs(const std::vector<std::string>& texts) {
  std::vector<StationProgram> out;
  for (const std::string& text : texts) {
    auto lines = parse_station(text, "test");
    EXPECT_TRUE(lines) << to_string(lines.error());
    out.push_back({std::move(*lines), {}});
  }
  return out;
}

schedule::Schedule made(const std::vector<std::string>& texts) {
  auto schedule = schedule_of(programs(texts));
  EXPECT_TRUE(schedule) << to_string(schedule.error());
  return schedule ? *schedule : schedule::Schedule{};
}

// "0>1:700" of each send, in the order of the ranks' operations.
std::vector<std::string> messages_in(const schedule::Schedule& schedule) {
  std::vector<std::string> out;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank)
    for (std::uint64_t op = schedule.first_op[rank]; op < schedule.first_op[rank + 1]; ++op)
      if (schedule.ops[op].kind == schedule::GoalKind::send)
        out.push_back(std::to_string(rank) + ">" + std::to_string(schedule.ops[op].peer) + ":" +
                      std::to_string(schedule.ops[op].amount));
  return out;
}

double elapsed_s(const std::vector<std::string>& texts) {
  const simulate::Program program = simulate::program_of(made(texts), "test");
  const auto costs = simulate::ReplayCosts::make(program, simulate::LinearMachine().model(), 0);
  EXPECT_TRUE(costs);
  const auto run = simulate::play(program, *costs, {});
  EXPECT_TRUE(run) << to_string(run.error());
  return run ? run->elapsed_s : 0;
}

// 1 ms of computation, a message of 1000 bytes in two writes and two reads, 0.5 ms, and one of 500 bytes back, while station 0
// computes. The machine takes 0.1 ms and 1 us a byte.
std::vector<std::string> there_and_back(const std::string& meanwhile_us) {
  return {
      "c 1000 0 0 0\ns 400 700 0 1\ns 100 300 0 1\nc " + meanwhile_us + " 0 0 0\nr 5 16 1 0\nr 50 484 1 0\n",
      "r 1 16 0 1\nr 9 984 0 1\nc 500 0 0 0\ns 30 500 1 0\n"};
}

TEST(StationSchedule, MessagesCostWhatTheMachineSaysAndWritesNothing) {
  constexpr double ps = 1e-12;
  // There at 1 + 1.1 ms, sent back at 2.6, there at 3.2, when station 0 has computed until 3.
  EXPECT_NEAR(elapsed_s(there_and_back("2000")), 3.2e-3, ps);
  // It computes until 5 ms: that began when the message had begun.
  EXPECT_NEAR(elapsed_s(there_and_back("4000")), 5e-3, ps);
}

TEST(StationSchedule, AMessageEndsWhereBothHaveHadAsMuch) {
  EXPECT_EQ(messages_in(made(there_and_back("2000"))), (std::vector<std::string>{"0>1:1000", "1>0:500"}));
  // In three writes and two reads, then in one of each; between them one of another station.
  EXPECT_EQ(messages_in(made({"s 1 4080 0 2\ns 1 4080 0 2\ns 1 40 0 2\ns 1 60 0 2\n", "s 1 8 1 2\n",
                              "r 1 16 0 2\nr 1 8184 0 2\nr 1 8 1 2\nr 1 60 0 2\n"})),
            (std::vector<std::string>{"0>2:8200", "0>2:60", "1>2:8"}));
}

TEST(StationSchedule, AMulticastIsAMessageToEach) {
  EXPECT_EQ(
      messages_in(made({"m 9 100 0 1 2\nm 9 20 0 1 2\n", "r 1 16 0 1\nr 1 104 0 1\n", "r 1 120 0 2\n"})),
      (std::vector<std::string>{"0>1:120", "0>2:120"}));
}

TEST(StationSchedule, MessagesToItselfAndWithoutBytesAreNone) {
  const auto schedule = made({"s 1 100 0 0\nr 1 100 0 0\ns 1 0 0 1\ns 1 7 0 1\n", "r 1 7 0 1\n"});
  EXPECT_EQ(messages_in(schedule), (std::vector<std::string>{"0>1:7"}));
  EXPECT_EQ(schedule.size(), 2u);
}

TEST(StationSchedule, SaysWhichStationsDoNotAgree) {
  const auto schedule = schedule_of(programs({"s 1 100 0 1\n", "r 1 90 0 1\n"}));
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().where, "station 0 sends 100 bytes to station 1, which receives 90");
}

}  // namespace
}  // namespace ww::stations
