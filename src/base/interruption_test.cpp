// What must hold is said in interruption.hpp and subprocess.hpp.
#include "base/interruption.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/subprocess.hpp"

namespace ww {
namespace {

// The window between fork and the handler: a signal that is pending at fork has come in it.
// The child has it blocked as well and so does not end by it.
TEST(Interruption, ASignalAtTheStartOfAChildIsNotLost) {
  sigset_t terminate, old;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &terminate, &old);
  raise(SIGTERM);
  const auto finished = run({.arguments = {"sleep", "0.2"}, .end_when_interrupted = false});
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->interrupted);
}

TEST(Interruption, WheneverItComesItEndsTheRun) {
  for (int delay_us = 0; delay_us < 4000; delay_us += 400) {
    const interruption::Heed heed;
    std::thread sender([&] {
      usleep(static_cast<useconds_t>(delay_us));
      kill(getpid(), SIGINT);
    });
    const auto finished = run({.arguments = {"sleep", "5"}});
    sender.join();
    ASSERT_FALSE(finished) << delay_us;
    EXPECT_EQ(to_string(finished.error()), "interrupted");
    EXPECT_TRUE(interruption::requested());
  }
}

TEST(Interruption, NothingIsStartedAfterIt) {
  const interruption::Heed heed;
  raise(SIGINT);
  EXPECT_TRUE(interruption::requested());
  EXPECT_FALSE(run({.arguments = {"true"}}));
}

TEST(Interruption, TheSecondOneEndsAProcessThatWaitsForNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const interruption::Heed heed;
    raise(SIGINT);
    raise(SIGINT);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
}

// Launchers abort at the second one at once and leave ranks behind.
TEST(Interruption, ASignalToTheWholeGroupReachesTheChildOnce) {
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    const interruption::Heed heed;
    std::thread sender([] {
      usleep(300000);
      kill(0, SIGINT);
    });
    const auto finished =
        run({.arguments = {"sh", "-c", "trap 'n=$((n+1)); sleep 0.1; exit 1$n' INT; sleep 5 & wait $!"},
             .end_when_interrupted = false});
    sender.join();
    _exit(finished && finished->interrupted ? finished->exit_code : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 11);
}

TEST(Interruption, AChildThatCaresForNothingGetsItToo) {
  const interruption::Heed heed;
  std::thread sender([] {
    usleep(100000);
    kill(getpid(), SIGTERM);
  });
  const auto finished = run({.arguments = {"sleep", "5"}, .no_input = true, .end_when_interrupted = false});
  sender.join();
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->signal, SIGTERM);
  EXPECT_LT(finished->elapsed_s, 4);
}

}  // namespace
}  // namespace ww
