#include "lab/contexts.hpp"

#include <gtest/gtest.h>

namespace ww::lab {
namespace {

using LaunchLine = std::vector<std::string>;

// Open MPI's mpirun(1): app contexts are joined by ":", each with options of its own.
TEST(Contexts, AreJoinedByColons) {
  const LaunchLine line{"mpirun", "--oversubscribe", "-n", "1", "/bin/true", "-n", "9", ":", "-np",
                        "3",      "/bin/sh",         "x"};
  const auto all = contexts_of(line);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].ranks, 1);
  EXPECT_EQ(line[all[0].program], "/bin/true");
  EXPECT_EQ(all[1].ranks, 3);
  EXPECT_EQ(all[1].begin, 8u);
  EXPECT_EQ(line[all[1].program], "/bin/sh");
}

// What the program takes is none of the launcher's options, whatever it looks like.
TEST(Contexts, OptionsEndAtTheProgram) {
  for (const LaunchLine& line :
       {LaunchLine{"mpirun", "/bin/true", "-n", "5", "--host", "a"},
        LaunchLine{"mpirun", "--oversubscribe", "/bin/true", "-n", "5", "--host", "a"},
        LaunchLine{"mpirun", "--mca", "plm_rsh_agent", "/bin/sh", "/bin/true", "-n", "5", "--host", "a"},
        LaunchLine{"mpirun", "-x", "PATH", "/usr/bin/env", "A=1", "/bin/true", "-n", "5", "--host", "a"},
        LaunchLine{"mpirun", "-wdir", "/tmp", "./not-there", "-n", "5", "--host", "a"}}) {
    const auto all = contexts_of(line);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_FALSE(all[0].ranks) << line[all[0].program];
    EXPECT_FALSE(has_option(line, all, {"--host"}));
  }
  const LaunchLine given{"mpirun", "-n", "2", "--host", "a", "/bin/true"};
  EXPECT_TRUE(has_option(given, contexts_of(given), {"--host"}));
}

TEST(Contexts, LinesWithoutAProgram) {
  EXPECT_EQ(contexts_of({"mpirun"}).size(), 1u);
  EXPECT_EQ(contexts_of({"mpirun", "-n"}).at(0).program, 2u);
  EXPECT_EQ(contexts_of({"mpirun", "-n", "2", ":"}).size(), 2u);
}

}  // namespace
}  // namespace ww::lab
