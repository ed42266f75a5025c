#include "dilate/dilation_plan.hpp"

#include <gtest/gtest.h>

#include "interpose/core/environment.hpp"

namespace ww {
namespace {

std::string value_of(const Variables& variables, const char* name) {
  for (const auto& [key, value] : variables)
    if (key == name) return value;
  return "";
}

MachineModel model_of(double base_s, double seconds_per_byte) {
  MachineModel model;
  Link link;
  link.one_way.segments = {{0, 1e9, base_s, seconds_per_byte, {}, {}}};
  model.links = {link};
  return model;
}

// A run where every rank says the same of its stretches.
Trace run_of(int ranks, int usable_cores, const char* thread_level = "single", int callers = 1) {
  Trace trace;
  trace.run.machine = {"alpha", usable_cores, {}};
  for (int number = 0; number < ranks; ++number) {
    RunRecord::Rank rank;
    rank.rank = number;
    rank.host = "alpha";
    rank.elapsed_s = 2;
    rank.stretch = {thread_level, callers, static_cast<std::uint64_t>(10 + number), 30.0 + number, 900,
                    false,        0};
    trace.run.ranks.push_back(rank);
  }
  return trace;
}

// Computation k times as fast on a network that is the same: stretched by D / k while the clock runs at 1 /
// D.
TEST(Plan, AFasterProcessorIsALesserStretch) {
  const MachineModel model = model_of(1e-4, 1e-8);
  DilateOptions options;
  options.machine = &model;
  options.what_if = *parse_what_if("compute=x2");
  const auto variables = variables_for(4, options, {});
  ASSERT_TRUE(variables);
  EXPECT_EQ(value_of(*variables, environment::dilation), "4");
  EXPECT_EQ(value_of(*variables, environment::stretch), "2");
  EXPECT_FALSE(variables_for(1.5, options, {})) << "nothing can be computed faster than it is";
  EXPECT_EQ(value_of(*variables, environment::wire_follows), "") << "a what-if's network is one at every D";
  options.what_if = *parse_what_if("compute=x0.5");
  EXPECT_EQ(value_of(*variables_for(1, options, {}), environment::stretch), "2") << "a slower one at D = 1";
}

// S3, section 2: it is the wire that is made faster. Here all of a message is the wire.
TEST(Plan, AModelHoldsTheSoftwareBackUnlessItIsToBeLeft) {
  MachineModel model = model_of(1e-4, 0);
  model.costs.F.segments = {{0, 1e9, 1e-5, 0, {}, {}}};
  model.costs.U.segments = {{0, 1e9, 2e-5, 0, {}, {}}};
  DilateOptions options;
  EXPECT_EQ(variables_for(4, options, {})->size(), 1u);
  options.machine = &model;
  EXPECT_GT(variables_for(4, options, {})->size(), 1u);
  EXPECT_EQ(value_of(*variables_for(4, options, {}), environment::wire_follows), "1")
      << "whatever D the program sets";
  EXPECT_EQ(variables_for(1, options, {})->size(), 1u) << "undilated nothing has to be held back";
  options.leave_software = true;
  EXPECT_EQ(variables_for(4, options, {})->size(), 1u);
}

TEST(Plan, CoresAreSharedWhereThereAreMoreRanks) {
  EXPECT_FALSE(shares_cores(run_of(2, 2)));
  EXPECT_TRUE(shares_cores(run_of(3, 2)));
  Trace elsewhere = run_of(3, 2);
  for (RunRecord::Rank& rank : elsewhere.run.ranks) rank.host = "beta";
  EXPECT_FALSE(shares_cores(elsewhere)) << "their cores are not known";
  elsewhere.run.in_lab = true;
  EXPECT_TRUE(shares_cores(elsewhere)) << "a lab's hosts are all on this machine";
  EXPECT_FALSE(shares_cores(Trace{}));
}

TEST(Plan, ThreadsThatCallAtOnceNeedCoresToo) {
  EXPECT_FALSE(shares_cores(run_of(2, 4, "multiple", 2)));
  EXPECT_TRUE(shares_cores(run_of(2, 3, "multiple", 2)));
  EXPECT_FALSE(shares_cores(run_of(2, 3, "serialized", 2))) << "they take turns";
}

TEST(Plan, ThreadsThatCallAtOnceAreRefusedWhereNobodySeesWhomTheyWaitFor) {
  const auto run = [](const char* level, int callers, bool teams, double unseen_s) {
    Trace trace = run_of(2, 2, level, callers);
    trace.run.ranks[1].stretch.teams = teams;
    trace.run.ranks[1].stretch.unseen_wait_s = unseen_s;
    return trace;
  };
  EXPECT_TRUE(threads_are_followed(run("multiple", 3, false, 0.05))) << "2.5% of its time";
  EXPECT_TRUE(threads_call_at_once(run("multiple", 3, false, 0)));
  EXPECT_TRUE(threads_are_followed(run("multiple", 1, true, 0))) << "asked for, not used";
  EXPECT_TRUE(threads_are_followed(run("serialized", 4, true, 0))) << "they take turns";
  const auto teams = threads_are_followed(run("multiple", 3, true, 0));
  ASSERT_FALSE(teams);
  EXPECT_NE(teams.error().what.find("3 threads of rank 1"), std::string::npos);
  const auto asleep = threads_are_followed(run("multiple", 3, false, 0.5));
  ASSERT_FALSE(asleep);
  EXPECT_NE(asleep.error().what.find("0.5 s"), std::string::npos);
  EXPECT_TRUE(threads_are_followed(Trace{}));
  EXPECT_FALSE(threads_call_at_once(Trace{}));
}

TEST(Plan, TheSpinErrorIsTheWorstRanks) {
  const SpinError error = spin_error_of(run_of(3, 4));
  EXPECT_EQ(error.stretches, 33u);
  EXPECT_NEAR(error.median_s, 32e-9, 1e-15);
  EXPECT_NEAR(error.p99_s, 900e-9, 1e-15);
}

}  // namespace
}  // namespace ww
