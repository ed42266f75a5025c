#include "base/run_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

using nlohmann::json;

// As `record` and `dilate` write it; what is expected stands in it.
TEST(RunRecord, ItsValuesAreThoseOfTheFile) {
  const RunRecord run = run_from_json(json::parse(R"({
    "program": "./app", "launch": ["mpirun", "-n", "2", "./app"], "mpi": "openmpi", "lab": "default",
    "environment": {"WW_VIRTUAL": "1"}, "wall_s": 2.5,
    "machine": {"name": "vm", "usable_processors": 3,
                "use": {"wall_s": 1, "busy_s": 2, "stolen_s": 0.25, "own_s": 1.5}},
    "ranks": [{"rank": 0, "host": "alpha", "elapsed_s": 1, "polled_s": 0.5, "cpu_s": 0.75, "waited_s": 0.125,
               "involuntary_switches": 7,
               "tcp": {"sent": 90, "retransmitted": 3, "timeouts": 1, "probes": 2, "no_room": 4,
                       "delayed_acknowledgements": 5}, "arithmetic_s": [1e-5, null, 2e-5], "code": {"files": "/a\n/b"},
               "grid": {"dims": [1, 2], "periods": [0, 1]},
               "stretch": {"thread_level": "multiple", "calling_threads": 2, "count": 9, "late_median_ns": 4,
                           "late_p99_ns": 15, "teams": true, "unseen_wait_ns": 500000000}},
              {"rank": 1, "host": "vm"}]})"));
  EXPECT_EQ(run.program, "./app");
  EXPECT_EQ(run.mpi, "openmpi");
  EXPECT_EQ(run.launch, (std::vector<std::string>{"mpirun", "-n", "2", "./app"}));
  EXPECT_TRUE(run.in_lab);
  EXPECT_TRUE(run.in_virtual_time);
  EXPECT_EQ(run.machine.name, "vm");
  EXPECT_EQ(run.machine.usable_processors, 3);
  EXPECT_EQ(run.machine.use.wall_s, 1);
  EXPECT_EQ(run.machine.use.busy_s, 2);
  EXPECT_EQ(run.machine.use.stolen_s, 0.25);
  EXPECT_EQ(run.machine.use.own_s, 1.5);
  ASSERT_EQ(run.ranks.size(), 2u);
  const RunRecord::Rank& rank = run.ranks[0];
  EXPECT_EQ(rank.rank, 0);
  EXPECT_EQ(rank.host, "alpha");
  EXPECT_EQ(rank.elapsed_s, 1);
  EXPECT_EQ(rank.polled_s, 0.5);
  EXPECT_EQ(rank.cpu_s, 0.75);
  EXPECT_EQ(rank.waited_s, 0.125);
  EXPECT_EQ(rank.involuntary_switches, 7);
  EXPECT_EQ(rank.arithmetic_s, (std::vector<double>{1e-5, 2e-5}));
  EXPECT_EQ(rank.code_files, "/a\n/b");
  EXPECT_EQ(rank.grid_dims, (std::vector<int>{1, 2}));
  EXPECT_EQ(rank.grid_periods, (std::vector<int>{0, 1}));
  EXPECT_EQ(rank.stretch.thread_level, "multiple");
  EXPECT_EQ(rank.stretch.calling_threads, 2);
  EXPECT_EQ(rank.stretch.count, 9u);
  EXPECT_EQ(rank.stretch.late_median_ns, 4);
  EXPECT_EQ(rank.stretch.late_p99_ns, 15);
  EXPECT_TRUE(rank.stretch.teams);
  EXPECT_EQ(rank.stretch.unseen_wait_s, 0.5);
  EXPECT_EQ(rank.tcp.sent, 90);
  EXPECT_EQ(rank.tcp.retransmitted, 3);
  EXPECT_EQ(rank.tcp.timeouts, 1);
  EXPECT_EQ(rank.tcp.probes, 2);
  EXPECT_EQ(rank.tcp.no_room, 4);
  EXPECT_EQ(rank.tcp.delayed_acknowledgements, 5);
  EXPECT_LT(run.ranks[1].tcp.timeouts, 0);
  EXPECT_EQ(run.ranks[1].rank, 1);
  EXPECT_LT(run.ranks[1].cpu_s, 0);
  EXPECT_LT(run.ranks[1].waited_s, 0);
  EXPECT_EQ(run.lasting,
            R"({"environment":{"WW_VIRTUAL":"1"},"lab":"default","launch":["mpirun","-n","2","./app"],)"
            R"("mpi":"openmpi","program":"./app"})");
}

TEST(RunRecord, WhatIsNotThereOrOfAnotherTypeIsNotKnown) {
  for (const char* text :
       {"null", "3", "[]", "{}", R"({"ranks": 3, "machine": 7, "launch": "mpirun", "mpi": 1})",
        R"({"machine": {"name": 1, "usable_processors": "2", "use": 4}})"}) {
    const RunRecord run = run_from_json(json::parse(text));
    EXPECT_EQ(run.machine.name + run.mpi + run.program, "") << text;
    EXPECT_EQ(run.machine.usable_processors, 0) << text;
    EXPECT_TRUE(run.launch.empty() && run.ranks.empty()) << text;
    EXPECT_FALSE(run.in_lab || run.in_virtual_time) << text;
  }
  const RunRecord run =
      run_from_json(json::parse(R"({"ranks": [3, {"rank": "x", "cpu_s": "y", "stretch": []}]})"));
  ASSERT_EQ(run.ranks.size(), 2u);
  for (const RunRecord::Rank& rank : run.ranks) {
    EXPECT_FALSE(rank.rank);
    EXPECT_LT(rank.cpu_s, 0);
    EXPECT_EQ(rank.stretch.count, 0u);
  }
}

}  // namespace
}  // namespace ww
