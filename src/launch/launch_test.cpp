#include "launch/launch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.hpp"
#include "launch/compiler_fixture.hpp"
#include "launch/which.hpp"
#include "library/mpich.hpp"
#include "library/open_mpi.hpp"
#include "library/pvm.hpp"

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

  // A program that is linked to empty libraries of these names.
  std::string program_of(const std::vector<std::string>& libraries) {
    std::string program = (dir_ / ("p" + std::to_string(programs_++))).string();
    EXPECT_TRUE(write_file(dir_ / "l.c", "int nothing;"));
    EXPECT_TRUE(write_file(dir_ / "p.c", "int main(void){return 0;}"));
    std::vector<std::string> link{"-Wl,--no-as-needed", "-o", program, (dir_ / "p.c").string()};
    for (const std::string& name : libraries) {
      link.push_back((dir_ / name).string());
      compile({"-shared", "-fPIC", "-Wl,-soname," + name, "-o", link.back(), (dir_ / "l.c").string()});
    }
    compile(link);
    return program;
  }
  int programs_ = 0;
  fs::path dir_;
};

TEST_F(LaunchLine, FindsTheProgramBehindTheLaunchersOptions) {
  const auto launch = understand(
      {"mpirun", "-n", "4", "--mca", "plm_rsh_agent", "/bin/sh", "--oversubscribe", "/bin/true", "-x", "3"});
  ASSERT_TRUE(launch) << to_string(launch.error());
  EXPECT_EQ(launch->program(), "/bin/true");
  EXPECT_EQ(launch->with_program({}), (std::vector<std::string>{"mpirun", "-n", "4", "--mca", "plm_rsh_agent",
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
  EXPECT_TRUE(launch->with_program({}).empty());
  EXPECT_EQ(launch->library, nullptr);
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
  compile({"-static", "-o", out, (dir_ / "s.c").string()});
  const auto launch = understand({"mpirun", "-n", "2", out});
  ASSERT_FALSE(launch);
  EXPECT_NE(launch.error().what.find("static"), std::string::npos);
  EXPECT_NE(launch.error().remedy.find("-static"), std::string::npos);
}

// PVM's own names are enough, as a program has them that is linked with libpvm3.a (nm), and the text that libpvm3 puts
// before its messages; a real one is in tests/pvm/static_test.py.
TEST_F(LaunchLine, RefusesWhatHasTheLibraryInItsOwnCodeUnlessItsCallsCanBeSeen) {
  const std::string source = (dir_ / "own.c").string(), out = (dir_ / "own").string();
  const std::string own =
      "int pvmmytid = -1; int pvm_mytid(void) { return pvmmytid; }\n"
      "const char* volatile text = \"libpvm [t%x]: %s\"; int main(void) { return pvm_mytid(); }\n";
  for (const char* strip : {"-g", "-s"}) {
    ASSERT_TRUE(write_file(source, own));
    compile({strip, "-o", out, source});
    const auto refused = understand({out});
    ASSERT_FALSE(refused) << strip;
    EXPECT_NE(refused.error().what.find("PVM statically"), std::string::npos) << refused.error().what;
    EXPECT_NE(refused.error().remedy.find("whatwire-pvm-wrap"), std::string::npos) << refused.error().remedy;

    ASSERT_TRUE(write_file(source, own + "__attribute__((used, section(\"ww_pvm_wraps\"))) int seen = 1;\n"));
    compile({strip, "-o", out, source});
    const auto launch = understand({out});
    ASSERT_TRUE(launch) << to_string(launch.error());
    EXPECT_EQ(launch->library, &library::pvm);
  }
}

// A library of that name is enough for the loader's list; no MPI need be installed.
TEST_F(LaunchLine, TellsTheMpiOfTheProgramFromItsLibraries) {
  const std::string openmpi = program_of({"libmpi.so.40"}), mpich = program_of({"libmpich.so.12"});
  for (const auto& [program, library] : {std::pair{openmpi, &library::open_mpi}, {mpich, &library::mpich}}) {
    const auto launch = understand({program});
    ASSERT_TRUE(launch) << to_string(launch.error());
    EXPECT_EQ(launch->library, library);
  }
}

TEST_F(LaunchLine, TakesTheLaunchersMpiForAScript) {
  for (const auto& [launcher, library] : {std::pair{"mpirun.openmpi", &library::open_mpi},
                                          {"orterun", &library::open_mpi},
                                          {"mpirun.mpich", &library::mpich},
                                          {"mpiexec.hydra", &library::mpich}}) {
    const auto launch = understand({launcher, "-n", "2", "/bin/true"});
    ASSERT_TRUE(launch) << to_string(launch.error());
    EXPECT_EQ(launch->library, library);
  }
}

TEST_F(LaunchLine, RefusesWhatDoesNotGoTogether) {
  const std::string openmpi = program_of({"libmpi.so.40"}), mpich = program_of({"libmpich.so.12"});
  const auto says = [](const Result<Launch>& launch, std::string_view what, std::string_view remedy) {
    ASSERT_FALSE(launch);
    EXPECT_NE(launch.error().what.find(what), std::string::npos) << launch.error().what;
    EXPECT_NE(launch.error().remedy.find(remedy), std::string::npos) << launch.error().remedy;
  };
  says(understand({"mpirun.openmpi", "-n", "2", mpich}), "linked to MPICH", "mpirun.mpich");
  says(understand({"mpirun.mpich", "-n", "2", openmpi}), "linked to Open MPI", "mpirun.openmpi");
  says(understand({"mpirun.openmpi", openmpi, ":", mpich}), "Open MPI and MPICH in one", "same MPI");
  says(understand({program_of({"libmpi.so.40", "libmpich.so.12"})}), "both", "one of them");
  says(understand({program_of({"libmpi.so.12"})}), "not known", "mpicc.mpich");  // Intel's and others
  // Also where the library behind the standard interface is one that is recorded.
  for (const auto& linked :
       {std::vector<std::string>{"libmpi_abi.so.0"}, {"libmpich.so.12", "libmpi_abi.so.0"}})
    says(understand({"mpirun.mpich", "-n", "2", program_of(linked)}), "standard ABI", "mpicc.mpich");
}

// Of a name that several launchers have, it is not guessed whose it is; nothing is started to find out.
TEST(LibraryOfLauncher, IsThatOfItsNameAlone) {
  EXPECT_EQ(library_of_launcher("/no/such/place/mpirun"), nullptr);
  EXPECT_EQ(library_of_launcher("/no/such/place/mpiexec.hydra"), &library::mpich);  // Intel's is none of ours
  EXPECT_EQ(library_of_launcher("prterun"), &library::open_mpi);                    // Open MPI 5's
  EXPECT_EQ(library_of_launcher("srun"), nullptr);
}

}  // namespace
}  // namespace ww
