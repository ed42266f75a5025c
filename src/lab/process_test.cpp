#include "lab/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <nlohmann/json.hpp>

namespace ww::lab {
namespace {

class Processes : public ::testing::Test {
 protected:
  void SetUp() override {
    child_ = fork();
    if (child_ == 0) {
      pause();
      _exit(0);
    }
  }
  void TearDown() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  pid_t child_ = 0;
};

// A child that works for a tenth of a second and ends: ours says so once we have taken its end.
TEST_F(Processes, TimeOfEndedChildrenIsTold) {
  const double before_s = *cpu_of_ended_children_s(getpid());
  const pid_t worker = fork();
  if (worker == 0) {
    while (clock() < CLOCKS_PER_SEC / 10) {
    }
    _exit(0);
  }
  waitpid(worker, nullptr, 0);
  EXPECT_GE(*cpu_of_ended_children_s(getpid()), before_s + 0.08);
  EXPECT_FALSE(cpu_of_ended_children_s(0x3fffffff));
}

TEST_F(Processes, AreFoundByNumberStartAndBoot) {
  const auto id = ProcessId::of(child_);
  ASSERT_TRUE(id);
  const ProcessHold found = ProcessHold::find(nlohmann::json(*id).get<ProcessId>());
  ASSERT_TRUE(found);
  EXPECT_FALSE(found.ended_within(0));
  found.signal(SIGTERM);
  EXPECT_TRUE(found.ended_within(5000));
}

// A number that another process has by now, and one from before the machine was started again.
TEST_F(Processes, OfTheSameNumberAreNotThem) {
  auto id = ProcessId::of(child_);
  ASSERT_TRUE(id);
  ProcessId earlier = *id, other_boot = *id;
  earlier.start_ticks -= 1;
  other_boot.boot = "00000000-0000-0000-0000-000000000000";
  EXPECT_FALSE(ProcessHold::find(earlier));
  EXPECT_FALSE(ProcessHold::find(other_boot));
  EXPECT_EQ(kill(child_, 0), 0) << "and nothing happens to it";
}

TEST_F(Processes, ThatHaveEndedAreNotFound) {
  const auto id = ProcessId::of(child_);
  ASSERT_TRUE(id);
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = 0;
  EXPECT_FALSE(ProcessHold::find(*id));
}

// Neither "all" (0, -1) nor the machine's first process is ever meant by a file.
TEST(ProcessNumbers, ThatAreNoneAreNotFound) {
  auto id = ProcessId::of(1);
  ASSERT_TRUE(id);
  EXPECT_FALSE(ProcessHold::find(*id));
  for (const pid_t pid : {0, -1}) {
    id->pid = pid;
    EXPECT_FALSE(ProcessHold::find(*id));
  }
}

}  // namespace
}  // namespace ww::lab
