#include "base/subprocess.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  const auto finished = run({.arguments = {"sh", "-c", "echo out; echo err >&2; exit 3"},
                             .output = Command::Output::capture,
                             .capture_errors = true});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->exit_code, 3);
  EXPECT_EQ(finished->output, "out\n");
  EXPECT_EQ(finished->errors, "err\n");
}

TEST(Subprocess, MoreOutputThanAPipeHoldsDoesNotBlock) {
  const auto finished =
      run({.arguments = {"head", "-c", "1000000", "/dev/zero"}, .output = Command::Output::capture});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->output.size(), 1000000u);
}

TEST(Subprocess, NamesAMissingProgram) {
  const auto finished = run({.arguments = {"/no/such/program"}});
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().what.find("/no/such/program"), std::string::npos);
}

TEST(Subprocess, EndsTheWholeGroupAtTheTimeLimit) {
  const auto finished = run({.arguments = {"sh", "-c", "sleep 30 & sleep 30"},
                             .output = Command::Output::capture,
                             .time_limit_s = 0.2});
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->timed_out);
  EXPECT_LT(finished->elapsed_s, 10);
}

TEST(Subprocess, ReportsASignalAsAShellDoes) {
  const auto finished = run({.arguments = {"sh", "-c", "kill -9 $$"}});
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->signal, 9);
  EXPECT_EQ(finished->exit_code, 137);
}

TEST(Subprocess, QuotesForTheShell) {
  EXPECT_EQ(shell_quoted({"mpirun", "-n", "2", "./a b", "it's"}), "mpirun -n 2 './a b' 'it'\\''s'");
}

// As dash splits the same lines; what it would do beyond is said.
TEST(Subprocess, WordsAreThoseOfAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(shell_line("cc  -DA='\"x y\"' -DB=\\\"z\\\" \"a b\".c ''").words,
            (Words{"cc", "-DA=\"x y\"", "-DB=\"z\"", "a b.c", ""}));
  EXPECT_EQ(shell_line("a\\ b \"c\\\"d\\e\"").words, (Words{"a b", "c\"d\\e"}));
  EXPECT_EQ(shell_line("a\nb").words, (Words{"a", "b"}));
  EXPECT_TRUE(shell_line("mpirun -n 2 './my app'").plain);
  for (const char* more : {"a; b", "a > b", "a $B", "a *.c", "a 'b", "a\nb"})
    EXPECT_FALSE(shell_line(more).plain) << more;
}

}  // namespace
}  // namespace ww
