#include "launch/launch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/subprocess.hpp"

namespace ww {
namespace {
namespace fs = std::filesystem;

// /bin/true stands for the user's program; a static one is compiled here.
class LaunchLine : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("ww-launch-" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }
  fs::path dir_;
};

TEST_F(LaunchLine, FindsTheProgramBehindTheLaunchersOptions) {
  const auto launch = understand(
      {"mpirun", "-n", "4", "--mca", "plm_rsh_agent", "/bin/sh", "--oversubscribe", "/bin/true", "-x", "3"});
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->program(), "/bin/true");
  EXPECT_EQ(launch->prefix(), (std::vector<std::string>{"mpirun", "-n", "4", "--mca", "plm_rsh_agent",
                                                        "/bin/sh", "--oversubscribe"}));
}

TEST_F(LaunchLine, PutsTheEnvironmentBeforeEveryProgram) {
  const auto launch = understand({"mpirun", "-n", "1", "/bin/true", "a", ":", "-n", "2", "/bin/false"});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->with_environment({{"A", "1"}}),
            (std::vector<std::string>{"mpirun", "-n", "1", "/usr/bin/env", "A=1", "/bin/true", "a", ":", "-n",
                                      "2", "/usr/bin/env", "A=1", "/bin/false"}));
}

TEST_F(LaunchLine, KeepsTheUsersOwnEnvCommand) {
  const auto launch = understand({"mpirun", "-n", "1", "env", "B=2", "/bin/true"});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->program(), "/bin/true");
}

TEST_F(LaunchLine, AProgramWithoutLauncherIsItsOwn) {
  const auto launch = understand({"/bin/true", "mpirun"});
  ASSERT_TRUE(launch);
  EXPECT_TRUE(launch->prefix().empty());
  EXPECT_FALSE(launch->dynamic_mpi);
}

TEST_F(LaunchLine, NamesWhatIsWrongAndTheRemedy) {
  const auto usage = understand({});
  ASSERT_FALSE(usage);
  EXPECT_TRUE(usage.error().usage);
  EXPECT_TRUE(understand({"mpirun", "-n", "4"}).error().usage);
  const auto missing = understand({"mpirun", "-n", "4", "./no-such-program"});
  ASSERT_FALSE(missing);
  EXPECT_FALSE(missing.error().usage);
  EXPECT_EQ(missing.error().where, "./no-such-program");
  ASSERT_TRUE(write_file(dir_ / "data",
                         "neither ELF nor script, but long enough to hold an ELF header, were it one....."));
  fs::permissions(dir_ / "data", fs::perms::owner_all);
  EXPECT_EQ(understand({(dir_ / "data").string()}).error().what, "not a program");
}

TEST_F(LaunchLine, RefusesAStaticProgram) {
  ASSERT_TRUE(write_file(dir_ / "s.c", "int main(void){return 0;}"));
  const std::string out = (dir_ / "s").string();
  ASSERT_TRUE(run_checked({.arguments = {CC, "-static", "-o", out, (dir_ / "s.c").string()}}));
  const auto launch = understand({"mpirun", "-n", "2", out});
  ASSERT_FALSE(launch);
  EXPECT_NE(launch.error().what.find("static"), std::string::npos);
  EXPECT_NE(launch.error().remedy.find("-static"), std::string::npos);
}

TEST_F(LaunchLine, RefusesAProgramOfMpich) {
  // A library of that name is enough for the loader's list; MPICH itself need not be installed.
  ASSERT_TRUE(write_file(dir_ / "l.c", "int f(void){return 0;}"));
  ASSERT_TRUE(write_file(dir_ / "p.c", "int f(void); int main(void){return f();}"));
  const std::string library = (dir_ / "libmpich.so.12").string();
  ASSERT_TRUE(run_checked({.arguments = {CC, "-shared", "-fPIC", "-Wl,-soname,libmpich.so.12", "-o", library,
                                         (dir_ / "l.c").string()}}));
  ASSERT_TRUE(
      run_checked({.arguments = {CC, "-o", (dir_ / "p").string(), (dir_ / "p.c").string(), library}}));
  const auto launch = understand({"mpirun", "-n", "2", (dir_ / "p").string()});
  ASSERT_FALSE(launch);
  EXPECT_NE(launch.error().what.find("MPICH"), std::string::npos);
}

}  // namespace
}  // namespace ww
