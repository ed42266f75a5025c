#include "base/disturbance.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

// Two ranks that poll on a machine of two cores, undisturbed: each had its core for all its time.
RunRecord calm() {
  RunRecord run;
  run.machine = {"here", 2, {}};
  run.launch = {"mpirun", "-n", "2", "./app"};
  for (int number : {0, 1}) {
    RunRecord::Rank rank;
    rank.rank = number;
    rank.host = "here";
    rank.cpu_s = 0.999;
    rank.elapsed_s = 1;
    rank.waited_s = 0.001;
    rank.involuntary_switches = 4;
    run.ranks.push_back(rank);
  }
  return run;
}

RunRecord without_waiting(RunRecord run) {
  for (RunRecord::Rank& rank : run.ranks) rank.waited_s = -1;
  return run;
}

RunRecord with_use(RunRecord run, double busy_s, double stolen_s) {
  run.machine.use = {2, busy_s, stolen_s, 2.2};
  return run;
}

std::string said_as(const Diagnostics& said, const std::string& name) {
  for (const Diagnostic& each : said.all())
    if (each.name == name) return each.remedy;
  return "";
}

TEST(Disturbance, OfACalmMachineThereIsNothingToSay) {
  EXPECT_TRUE(disturbance_of(calm()).all().empty());
  EXPECT_TRUE(disturbance_of(without_waiting(calm())).all().empty());
  EXPECT_TRUE(disturbance_of(with_use(calm(), 2.3, 0)).all().empty());
}

// first-use.md, W2: a run.json with 0.27 of 2.36 s, 88 involuntary switches, and no word of it.
TEST(Disturbance, ARankThatHadATenthOfItsCoreIsNamed) {
  RunRecord run = without_waiting(calm());
  run.ranks[1].cpu_s = 0.27;
  run.ranks[1].elapsed_s = 2.36;
  run.ranks[1].involuntary_switches = 88;
  const Diagnostics said = disturbance_of(run);
  EXPECT_NE(said_as(said, "core-shared").find("rank 1 had its core for 11% of its time"), std::string::npos);
  EXPECT_NE(said_as(said, "times-disturbed").find("--machine machine.json -- mpirun -n 2 ./app"),
            std::string::npos);
  EXPECT_TRUE(says_disturbed(said));
}

// Taken away is what it waited: 0.12 of 1 s is more than the tenth that may be lost, 0.08 is not.
TEST(Disturbance, WaitingForACoreIsWhatCounts) {
  RunRecord run = calm();
  run.ranks[1].waited_s = 0.12;
  EXPECT_NE(said_as(disturbance_of(run), "core-shared").find("without its core for 12% of its time"),
            std::string::npos);
  run.ranks[1].waited_s = 0.08;
  EXPECT_TRUE(disturbance_of(run).all().empty());
}

// Two fifths (disturbance.hpp): 0.47 of 1 s is more, 0.39 is not; elsewhere than in a lab that is another's load, and in virtual time nothing.
TEST(Disturbance, ALabWhoseRanksLackCoresIsNoWire) {
  RunRecord run = calm();
  run.in_lab = true;
  run.ranks[1].waited_s = 0.47;
  EXPECT_NE(said_as(lack_of_cores_in(run), "lab-lacks-cores")
                .find("rank 1 was ready to run and without a core for 47%"),
            std::string::npos);
  EXPECT_FALSE(says_disturbed(lack_of_cores_in(run)));
  run.in_virtual_time = true;
  EXPECT_TRUE(lack_of_cores_in(run).all().empty());
  run.in_virtual_time = false;
  run.in_lab = false;
  EXPECT_TRUE(lack_of_cores_in(run).all().empty());
  run.in_lab = true;
  run.ranks[1].waited_s = 0.39;
  EXPECT_TRUE(lack_of_cores_in(run).all().empty());
}

TEST(Disturbance, OfSeveralRanksTheWorstIsNamedAndAllAreCounted) {
  RunRecord run = calm();
  run.ranks[0].waited_s = 0.5;
  run.ranks[1].waited_s = 0.3;
  const Diagnostics said = signs_of_disturbance(run, "at D = 2");
  ASSERT_EQ(said.all().size(), 1u);
  EXPECT_EQ(said.all()[0].count, 2u);
  EXPECT_NE(said.all()[0].remedy.find("rank 0 at D = 2"), std::string::npos);
}

// MPICH over sockets blocks in the kernel, a program may sleep, Open MPI in a lab yields: little processor
// time, many switches of their own accord, nothing taken away.
TEST(Disturbance, WhoSleepsIsNotDisturbed) {
  RunRecord run = calm();
  for (RunRecord::Rank& rank : run.ranks) {
    rank.cpu_s = 0.02;
    rank.involuntary_switches = 900;
  }
  EXPECT_TRUE(disturbance_of(run).all().empty());
  run = without_waiting(run);
  for (RunRecord::Rank& rank : run.ranks) rank.involuntary_switches = 3;
  EXPECT_TRUE(disturbance_of(run).all().empty());
}

TEST(Disturbance, MoreRanksThanCoresTakeTurns) {
  RunRecord run = without_waiting(calm());
  run.ranks.push_back(without_waiting(calm()).ranks[0]);
  EXPECT_NE(said_as(disturbance_of(run), "oversubscribed").find("3 ranks on here share 2 usable cores"),
            std::string::npos);
  EXPECT_TRUE(disturbance_of(run).has("times-disturbed"));
  RunRecord elsewhere = run;
  elsewhere.ranks[2].host = "elsewhere";  // whose cores nobody knows
  EXPECT_TRUE(disturbance_of(elsewhere).all().empty());
  elsewhere.in_lab = true;  // all hosts of a lab are on this machine
  EXPECT_TRUE(disturbance_of(elsewhere).has("oversubscribed"));
}

// Three ranks that mostly sleep have room on two cores: what each waited says so.
TEST(Disturbance, MoreRanksThanCoresThatNeverWaitedDoNotMatter) {
  RunRecord run = calm();
  run.ranks.push_back(calm().ranks[0]);
  EXPECT_TRUE(disturbance_of(run).all().empty());
  run.ranks[2].waited_s = 0.09;
  EXPECT_TRUE(disturbance_of(run).has("oversubscribed"));
}

TEST(Disturbance, ThreadsThatComputeNeedCoresToo) {
  RunRecord run = without_waiting(calm());
  run.ranks[0].cpu_s = 1.9;
  EXPECT_NE(said_as(disturbance_of(run), "oversubscribed").find("3 threads of ranks"), std::string::npos);
}

// 2.2 of 3.2 s of processor time in 2 s were the run's own: 0.5 cores were others'.
TEST(Disturbance, OtherProgramsMatterWhereTheyTakeCoresFromTheRanks) {
  const RunRecord run = with_use(without_waiting(calm()), 3.2, 0);
  EXPECT_NE(said_as(disturbance_of(run), "other-load").find("had 0.5 of the 2 cores"), std::string::npos);
  RunRecord wide = run;
  wide.machine.usable_processors = 8;
  EXPECT_TRUE(disturbance_of(wide).all().empty());
  EXPECT_TRUE(disturbance_of(with_use(calm(), 3.2, 0)).all().empty()) << "the ranks waited for nothing";
}

// Of that half core the lab's switch had all, or a tenth, by its own account.
TEST(Disturbance, ALabsSwitchIsNoOtherProgram) {
  RunRecord run = with_use(without_waiting(calm()), 3.2, 0);
  run.in_lab = true;
  run.machine.use.lab_s = 1.0;
  EXPECT_TRUE(disturbance_of(run).all().empty());
  run.machine.use.lab_s = 0.2;
  EXPECT_NE(said_as(disturbance_of(run), "other-load").find("had 0.4 of the 2 cores"), std::string::npos);
}

// A rank that waited 38% of its time for its core, 30% for the switch: 8% are others'.
TEST(Disturbance, WhatALabsSwitchTookOfACoreIsTheWires) {
  RunRecord run = calm();
  run.in_lab = true;
  run.ranks[1].waited_s = 0.38 * run.ranks[1].elapsed_s;
  EXPECT_DOUBLE_EQ(share_kept_of(run), 0.38);
  run.machine.use.lab_s = 0.3 * run.ranks[1].elapsed_s * run.machine.usable_processors;
  EXPECT_NEAR(share_kept_of(run), 0.08, 1e-12);
  EXPECT_TRUE(disturbance_of(run).all().empty());
}

// In a lab whose switch says what it took, as anywhere; without that the switch may be what had the core.
TEST(Disturbance, InALabATenthCountsWhereTheSwitchIsKnown) {
  RunRecord run = calm();
  run.in_lab = true;
  run.ranks[1].waited_s = 0.2 * run.ranks[1].elapsed_s;
  run.machine.use.lab_s = 0.05 * run.ranks[1].elapsed_s * run.machine.usable_processors;
  EXPECT_NE(said_as(disturbance_of(run), "core-shared").find("without its core for 15% of its time"),
            std::string::npos);
  run.machine.use.lab_s = -1;
  EXPECT_TRUE(disturbance_of(run).all().empty());
  run.ranks[1].waited_s = 0.35 * run.ranks[1].elapsed_s;
  EXPECT_TRUE(disturbance_of(run).has("times-disturbed"));
}

// Of two that lacked their cores for a fifth and a tenth of the time one or the other did for 1 - 0.8 x 0.9. Below what is said it is nothing.
TEST(Disturbance, WhatAnyRankLacksMayBeAllOthersToo) {
  RunRecord run = calm();
  EXPECT_EQ(share_lost_together(run), 0);
  run.ranks[0].waited_s = 0.2;
  run.ranks[1].waited_s = 0.1;
  EXPECT_NEAR(share_lost_together(run), 0.28, 1e-12);
  run.in_virtual_time = true;
  EXPECT_EQ(share_lost_together(run), 0);
}

// Three ranks that sleep while they wait, on two cores, of which the lab's switch had a tenth: 0.1 s of waiting for a core are their work's.
// With a core for each they would be others' doing, and so they are where a rank was kept from its core for longer than the switch ran.
TEST(Disturbance, WhatRanksWaitForCoresThatTheyShareIsTheirWorks) {
  RunRecord run = calm();
  run.in_lab = true;
  run.machine.use.lab_s = 0.1 * run.machine.usable_processors;
  run.ranks[1].waited_s = 0.1;
  EXPECT_EQ(waited_on_shared_cores_s(run), 0);
  run.ranks.push_back(run.ranks[0]);
  EXPECT_DOUBLE_EQ(waited_on_shared_cores_s(run), 0.1);
  run.ranks[1].waited_s = 0.1 + 0.06 * run.ranks[1].elapsed_s;
  EXPECT_EQ(waited_on_shared_cores_s(run), 0);
  run.ranks[1].waited_s = -1;
  EXPECT_EQ(waited_on_shared_cores_s(run), 0);
}

// Four ranks that take a fifth of a core each, and a lab's switch that takes half of one, for a second. One that had its core all the time may
// have polled, and what is not known is none.
TEST(Disturbance, WorkOnSharedCoresIsOfRanksThatSleepAndTheirSwitch) {
  RunRecord run = calm();
  run.ranks.resize(4, run.ranks[0]);
  for (RunRecord::Rank& rank : run.ranks) rank.cpu_s = 0.2;
  run.machine.use.lab_s = 0.5;
  EXPECT_EQ(work_on_shared_cores_s(run), 0) << "no lab";
  run.in_lab = true;
  EXPECT_DOUBLE_EQ(work_on_shared_cores_s(run), 1.3);
  run.machine.use.lab_s = -1;
  EXPECT_DOUBLE_EQ(work_on_shared_cores_s(run), 0.8);
  run.ranks[3].cpu_s = 0.999;
  EXPECT_EQ(work_on_shared_cores_s(run), 0);
  run.ranks[3].cpu_s = -1;
  EXPECT_EQ(work_on_shared_cores_s(run), 0);
}

// Of the one that fared worst, be it said or not.
TEST(Disturbance, TheShareThatWasKeptIsThatOfTheWorstRank) {
  RunRecord run = calm();
  EXPECT_DOUBLE_EQ(share_kept_of(run), 0.001);
  run.ranks[1].waited_s = 0.25 * run.ranks[1].elapsed_s;
  EXPECT_DOUBLE_EQ(share_kept_of(run), 0.25);
  run.ranks[1].waited_s = 0.04 * run.ranks[1].elapsed_s;
  EXPECT_DOUBLE_EQ(share_kept_of(run), 0.04);
  run.in_virtual_time = true;
  EXPECT_EQ(share_kept_of(run), 0);
}

TEST(Disturbance, TimeThatTheHostKept) {
  EXPECT_TRUE(disturbance_of(with_use(calm(), 2.3, 0.02)).all().empty());  // half a percent of 2 cores in 2 s
  const Diagnostics some = disturbance_of(with_use(calm(), 2.3, 0.12));    // 3%
  EXPECT_TRUE(some.has("stolen-time"));
  EXPECT_FALSE(says_disturbed(some));
  const Diagnostics much = disturbance_of(with_use(calm(), 2.3, 0.4));
  EXPECT_NE(said_as(much, "stolen-time").find("kept 10.0% of its cores' time"), std::string::npos);
  EXPECT_TRUE(much.has("times-disturbed"));
}

TEST(Disturbance, VirtualTimeIsNotDisturbedByRealLoad) {
  RunRecord run = calm();
  run.ranks[0].waited_s = 0.9;
  run.in_virtual_time = true;
  EXPECT_TRUE(disturbance_of(run).all().empty());
}

TEST(Disturbance, DamagedFactsAreNoFacts) {
  for (const char* run : {"null", "3", "[]", "{\"ranks\":3,\"machine\":7}",
                          "{\"ranks\":[3,{\"rank\":\"x\",\"waited_s\":\"y\",\"host\":4}],\"lab\":1}",
                          "{\"machine\":{\"use\":4,\"usable_processors\":2},\"ranks\":[{}],\"launch\":4}"})
    EXPECT_TRUE(disturbance_of(run_from_json(nlohmann::json::parse(run))).all().empty()) << run;
}

TEST(Disturbance, TheUseOfThisMachineIsTaken) {
  const MachineUse before = machine_use_now();
  volatile double sum = 0;
  while (machine_use_now().own_s < before.own_s + 0.05)
    for (int i = 0; i < 1000; ++i) sum = sum + i;
  const nlohmann::json use = use_between(before, machine_use_now());
  EXPECT_GE(use["own_s"].get<double>(), 0.05);
  EXPECT_GE(use["wall_s"].get<double>(), 0.04);
}

}  // namespace
}  // namespace ww
