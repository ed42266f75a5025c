// Launch lines as people write them, each with the word that its launcher's manual makes the program.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "launch/compiler_fixture.hpp"
#include "launch/launch.hpp"
#include "launch/shell_words.hpp"
#include "library/mpich.hpp"
#include "library/open_mpi.hpp"

namespace ww {
namespace {
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A directory to run in, with programs (copies of /bin/true, or linked to an MPI) and launchers that are not
// installed here: scripts of their names that only tell their version and options. They come last in PATH.
class LaunchLines : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("ww-lines-" + std::to_string(getpid()));
    fs::create_directories(dir_ / "bin");
    fs::create_directories(dir_ / "n=4");
    before_ = fs::current_path();
    path_ = getenv("PATH");
    for (const char* name : {"app", "app2", "my app", "n=4/ring", "bin/proj"})
      fs::copy_file("/bin/true", dir_ / name);
    for (const char* name : {"srun", "aprun", "flux", "jsrun", "prterun", "mpiexec_mpt", "ibrun"})
      launcher(name, "exit 1");
    // Wrappers that a machine may lack.
    for (const char* name : {"numactl", "xvfb-run", "valgrind", "perf", "gdb", "time", "strace"})
      if (!find_program(name)) launcher(name, "exit 1");
    script("run.sh", "#!/bin/sh\nexec mpirun.mpich -n 2 ./app \"$@\"\n");
    script("ring.py", "#!/usr/bin/env python3\n");
    fs::permissions(dir_ / "ring.py", fs::perms::owner_read);
    EXPECT_TRUE(write_file(dir_ / "hosts", "localhost slots=4\n"));
    setenv("PATH", (path_ + ":" + (dir_ / "bin").string()).c_str(), 1);
    fs::current_path(dir_);
  }
  void TearDown() override {
    fs::current_path(before_);
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(dir_);
  }
  void script(const std::string& name, const std::string& text) {
    EXPECT_TRUE(write_file(dir_ / name, text));
    fs::permissions(dir_ / name, fs::perms::owner_all);
  }
  void launcher(const std::string& name, const std::string& does) {
    script("bin/" + name, "#!/bin/sh\n" + does + "\n");
  }
  // Linked to an empty library of that name.
  void linked_to_mpi(const std::string& name) {
    EXPECT_TRUE(write_file(dir_ / "l.c", "int nothing;"));
    EXPECT_TRUE(write_file(dir_ / "p.c", "int main(void){return 0;}"));
    const std::string library = (dir_ / "libmpi.so.40").string();
    compile({"-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", "-o", library, (dir_ / "l.c").string()});
    compile({"-Wl,--no-as-needed", "-o", (dir_ / name).string(), (dir_ / "p.c").string(), library});
  }
  static std::string programs_of(const std::string& line) {
    const auto launch = understand(shell_line(line).words);
    if (!launch) return to_string(launch.error());
    std::string all;
    for (const auto& program : launch->programs) all += (all.empty() ? "" : " ") + launch->words[program.at];
    return all;
  }

  fs::path dir_, before_;
  std::string path_;
};

struct Line {
  const char* line;
  const char* program = "./app";
};

// mpirun(1) of Open MPI 4.1, "mpirun --help full".
const Line of_openmpi[] = {
    {"mpirun.openmpi -n 4 ./app -x 3"},
    {"mpirun.openmpi -np 4 ./app"},
    {"mpirun.openmpi --np 4 ./app"},
    {"mpirun.openmpi -c 4 ./app"},
    {"mpirun.openmpi ./app"},
    {"mpirun.openmpi -n 2 --timeout 60 ./app"},
    {"mpirun.openmpi --stdin none -n 2 ./app"},
    {"mpirun.openmpi --max-restarts 1 -n 2 ./app"},
    {"mpirun.openmpi --hostfile hosts -n 4 ./app"},
    {"mpirun.openmpi -machinefile hosts -n 4 ./app"},
    {"mpirun.openmpi -H a:2,b:2 -n 4 ./app"},
    {"mpirun.openmpi --host localhost:4 --oversubscribe -n 4 ./app"},
    {"mpirun.openmpi -x OMP_NUM_THREADS=4 -x PATH -n 2 ./app"},
    {"mpirun.openmpi --mca btl tcp,self --mca btl_tcp_if_include lo -n 2 ./app"},
    {"mpirun.openmpi -mca pml ob1 -n 2 ./app"},
    {"mpirun.openmpi -gmca pml ob1 -n 2 ./app"},
    {"mpirun.openmpi -tune hosts -n 2 ./app"},
    {"mpirun.openmpi -am hosts -n 2 ./app"},
    {"mpirun.openmpi --map-by ppr:2:socket:PE=2 --bind-to core --report-bindings ./app"},
    {"mpirun.openmpi --rank-by node --map-by node -n 2 ./app"},
    {"mpirun.openmpi -N 2 ./app"},
    {"mpirun.openmpi -npernode 2 ./app"},
    {"mpirun.openmpi --npersocket 1 ./app"},
    {"mpirun.openmpi -pernode ./app"},
    {"mpirun.openmpi -rf hosts ./app"},
    {"mpirun.openmpi --rankfile hosts -n 1 ./app"},
    {"mpirun.openmpi --cpu-set 0,1 -n 2 ./app"},
    {"mpirun.openmpi --cpu-list 0,1 --bind-to cpu-list:ordered -n 2 ./app"},
    {"mpirun.openmpi --tag-output --timestamp-output -n 2 ./app"},
    {"mpirun.openmpi --output-filename out --merge-stderr-to-stdout -n 2 ./app"},
    {"mpirun.openmpi -wdir /tmp -n 2 ./app"},
    {"mpirun.openmpi --prefix /usr --path /usr/bin -n 2 ./app"},
    {"mpirun.openmpi -q --display-map --display-allocation -n 2 ./app"},
    {"mpirun.openmpi --allow-run-as-root --use-hwthread-cpus -n 2 ./app"},
    {"mpirun.openmpi --preload-files hosts -s -n 2 ./app"},
    {"mpirun.openmpi --report-pid - --xterm -1 -n 2 ./app"},
    {"mpirun.openmpi -n 1 ./app a : -n 3 ./app2 b", "./app ./app2"},
    {"mpirun.openmpi -n 2 -- ./app"},
    {"orterun -n 2 ./app"},
};

// "mpiexec.hydra --help" and mpiexec(1) of MPICH 4.0.
const Line of_hydra[] = {
    {"mpiexec.hydra -n 4 ./app"},
    {"mpiexec.mpich -np 4 ./app"},
    {"mpirun.mpich -genv X 1 -n 2 ./app"},
    {"mpirun.mpich -genv X=1 -n 2 ./app"},
    {"mpirun.mpich -n 2 -env OMP_NUM_THREADS 4 ./app"},
    {"mpirun.mpich -genvlist PATH,HOME -genvnone -n 2 ./app"},
    {"mpirun.mpich -f hosts -ppn 2 -n 4 ./app"},
    {"mpirun.mpich -hosts a,b -n 4 ./app"},
    {"mpirun.mpich -iface lo -n 2 ./app"},
    {"mpirun.mpich -launcher ssh -launcher-exec /usr/bin/ssh -n 2 ./app"},
    {"mpirun.mpich -bootstrap fork -n 2 ./app"},
    {"mpirun.mpich -bind-to core:1 -map-by socket -n 2 ./app"},
    {"mpirun.mpich -rmk pbs ./app"},
    {"mpirun.mpich -prepend-rank -print-all-exitcodes -n 2 ./app"},
    {"mpirun.mpich -l -n 2 ./app"},
    {"mpirun.mpich -outfile-pattern out.%r -errfile-pattern err.%r -n 2 ./app"},
    {"mpirun.mpich -usize SYSTEM -topolib hwloc -n 2 ./app"},
    {"mpirun.mpich -disable-auto-cleanup -wdir /tmp -n 2 ./app"},
    {"mpiexec.hydra -n=2 ./app"},
    {"mpirun.mpich -n 1 ./app : -n 1 -env A 1 ./app2 x", "./app ./app2"},
};

// Intel MPI Library, Developer Reference for Linux: Hydra's global and local options.
const Line of_intel[] = {
    {"mpiexec.hydra -n 4 -ppn 2 -genv I_MPI_DEBUG 5 -genv I_MPI_FABRICS shm:ofi ./app"},
    {"mpiexec.hydra -machinefile hosts -perhost 2 -n 4 ./app"},
    {"mpiexec.hydra -s all -l -n 2 ./app"},
    {"mpiexec.hydra -rr -print-rank-map -n 2 ./app"},
    {"mpiexec.hydra -bootstrap slurm -iface ib0 -n 2 ./app"},
    {"mpiexec.hydra -host a -n 1 ./app : -host b -n 1 ./app2", "./app ./app2"},
};

// srun(1) of Slurm 22.05.
const Line of_slurm[] = {
    {"srun ./app"},
    {"srun -A proj ./app"},
    {"srun -n 4 -A proj -p debug -t 10:00 ./app"},
    {"srun -n4 -N2 -c2 ./app"},
    {"srun --ntasks=4 --nodes=2 --cpus-per-task=2 ./app"},
    {"srun --ntasks 4 --nodes 2 --time 5 ./app"},
    {"srun --mpi=pmix -n 2 ./app"},
    {"srun --mpi pmix -n 2 ./app"},
    {"srun -lu -n 2 ./app"},
    {"srun -lun2 ./app"},
    {"srun -K1 -n 2 ./app"},
    {"srun -K -n 2 ./app"},
    {"srun --kill-on-bad-exit=0 --exclusive ./app"},
    {"srun -J job -o out.%j -e err.%j -D /tmp ./app"},
    {"srun --cpu-bind=cores --distribution=block:cyclic -G 4 --gpus-per-task=1 ./app"},
    {"srun --export=ALL,X=1 --mem 4G -w node[1-2] -x node3 ./app"},
    {"srun --constraint haswell --qos debug --account proj ./app"},
    {"srun --part debug --accou proj ./app"},
    {"srun -N 1 -n 1 ./app : -N 1 -n 2 ./app2", "./app ./app2"},
    {"srun -n 2 --pty --overlap ./app"},
};

// flux-run(1), aprun(1), the manual of jsrun, prterun(1), mpiexec_mpt(1), sites' pages of PALS and ibrun.
const Line of_others[] = {
    {"flux run -n4 -N2 ./app"},
    {"flux run --ntasks=4 --cores-per-task=2 -o mpi=intel ./app"},
    {"flux mini run -n 4 -c 2 -x ./app"},
    {"aprun -n 64 -N 32 -d 2 -cc depth -j 1 -ss ./app"},
    {"aprun -n 1 ./app : -n 2 ./app2", "./app ./app2"},
    {"jsrun -n 4 -a 1 -c 7 -g 1 -r 2 -b packed:7 -l CPU-CPU -d packed ./app"},
    {"jsrun --nrs 2 --tasks_per_rs 4 --smpiargs=none ./app"},
    {"prterun -n 2 --map-by slot --bind-to core --display map ./app"},
    {"prterun --runtime-options abort-non-zero-exit --pset a -n 2 ./app"},
    {"mpiexec_mpt -n 4 ./app"},
    {"ibrun -n 4 -o 2 ./app"},
};

// In front of the launcher and behind it, by the wrappers' manuals.
const Line with_wrappers[] = {
    {"env X=1 mpirun.openmpi -n 2 ./app"},
    {"env -i -u HOME PATH=/usr/bin X=1 mpirun.openmpi -n 2 ./app"},
    {"timeout 60 mpirun.openmpi -n 2 ./app"},
    {"timeout -k 5 -s INT 60s mpirun.openmpi -n 2 ./app"},
    {"nice -n 5 mpirun.openmpi -n 2 ./app"},
    {"nice -5 mpirun.openmpi -n 2 ./app"},
    {"time -p mpirun.openmpi -n 2 ./app"},
    {"taskset -c 0,1 mpirun.openmpi -n 2 ./app"},
    {"taskset 0x3 srun ./app"},
    {"numactl --interleave=all mpirun.openmpi -n 2 ./app"},
    {"stdbuf -oL -e 0 mpirun.openmpi -n 2 ./app"},
    {"xvfb-run -a -s '-screen 0 640x480x24' mpirun.openmpi -n 2 ./app"},
    {"nohup nice env X=1 mpirun.openmpi -n 2 ./app"},
    {"sh -c 'mpirun.openmpi -n 2 ./app 5'"},
    {"bash -c 'X=1 exec mpirun.openmpi -n 2 \"./my app\"'", "./my app"},
    {"timeout 60 sh -c 'env A=1 mpirun.openmpi -n 2 ./app'"},
    {"mpirun.openmpi -n 2 numactl -N 0 -m 0 ./app"},
    {"mpirun.openmpi -n 2 env A=1 B=2 ./app"},
    {"mpirun.openmpi -n 2 nice stdbuf -o L ./app"},
    {"mpirun.openmpi -n 2 valgrind --tool=massif ./app 3"},
    {"mpirun.openmpi -n 2 perf stat -e cycles ./app"},
    {"mpirun.openmpi -n 2 gdb -batch -ex run --args ./app 3"},
    {"mpirun.openmpi -n 2 ./n=4/ring 5", "./n=4/ring"},
    {"mpirun.openmpi -n 2 python3 ring.py", "python3"},
    {"mpirun.openmpi -n 2 sh run.sh", "sh"},
    {"srun -n 2 -- ./app"},
    {"sh -c 'cd / && mpirun.openmpi -n 2 ./app'", "sh"},  // more than one command: the shell stays
};

TEST_F(LaunchLines, HaveTheProgramThatTheManualsSay) {
  int lines = 0;
  for (const auto& table : {std::span<const Line>(of_openmpi), std::span<const Line>(of_hydra),
                            std::span<const Line>(of_intel), std::span<const Line>(of_slurm),
                            std::span<const Line>(of_others), std::span<const Line>(with_wrappers)})
    for (const Line& each : table) {
      EXPECT_EQ(programs_of(each.line), each.program) << each.line;
      ++lines;
    }
  EXPECT_GE(lines, 100);
}

// What PBS Professional with PALS has for an mpiexec; told from others by its --version.
TEST_F(LaunchLines, AskAnUnknownMpiexecForItsVersion) {
  launcher("mpiexec", "test \"$1\" = --version && echo 'mpiexec version 1.2.12 (PALS)'; exit 0");
  setenv("PATH", ((dir_ / "bin").string() + ":" + path_).c_str(), 1);
  for (const char* line :
       {"mpiexec -n 4 -ppn 2 --depth=8 --cpu-bind depth ./app", "mpiexec -n 4 --ppn 2 --line-buffer ./app",
        "mpiexec --np 4 --env OMP_NUM_THREADS=2 ./app", "mpiexec -n 2 --hostfile hosts --no-transfer ./app"})
    EXPECT_EQ(programs_of(line), "./app") << line;
}

TEST_F(LaunchLines, AskTheLauncherForAnOptionThatIsNotListed) {
  launcher("srun", "echo '      --colour=name             of the output'; echo '  -y, --yonder    flag'");
  EXPECT_EQ(programs_of("srun --colour ./app2 ./app"), "./app");
  EXPECT_EQ(programs_of("srun --yonder ./app ./app2"), "./app");
}

// Nobody knows the option: its value is what cannot be run, or runs worse as a program of MPI.
TEST_F(LaunchLines, TryBothReadingsOfAnOptionThatNobodyKnows) {
  linked_to_mpi("ring");
  EXPECT_EQ(programs_of("srun --colour red ./app 3"), "./app");
  EXPECT_EQ(programs_of("srun --colour ./app 3"), "./app");
  EXPECT_EQ(programs_of("srun --colour no-word no-other ./app"), "./app");  // two values
  EXPECT_EQ(programs_of("srun --colour=red ./app ./app2"), "./app");
  EXPECT_EQ(programs_of("srun --newest -n 2 ./app"), "./app");
  EXPECT_EQ(programs_of("srun --group proj ./ring"), "./ring");  // a program called proj is in PATH
  EXPECT_EQ(programs_of("srun --colour ./ring proj"), "./ring");
  EXPECT_EQ(programs_of("srun --colour python3 ring.py"), "python3");
}

TEST_F(LaunchLines, RefuseWhatHasTwoReadings) {
  const auto launch = understand({"srun", "-n", "2", "--colour", "./app", "./app2"});
  ASSERT_FALSE(launch);
  EXPECT_TRUE(launch.error().usage);
  for (const char* part : {"./app (word 5)", "./app2 (word 6)", "--colour"})
    EXPECT_NE(launch.error().where.find(part), std::string::npos) << launch.error().where;
  EXPECT_NE(launch.error().remedy.find("--program 5"), std::string::npos) << launch.error().remedy;
  // Said, by a word of its own or by --program.
  EXPECT_EQ(programs_of("srun -n 2 --colour -- ./app ./app2"), "./app");
  EXPECT_EQ(programs_of("srun -n 2 --colour ./app -- ./app2"), "./app2");
  const auto said = understand({"srun", "-n", "2", "--colour", program_mark, "./app", "./app2"});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->program(), "./app");
  EXPECT_EQ(said->line, (Words{"srun", "-n", "2", "--colour", "./app", "./app2"}));
  // A launcher that is not known at all.
  launcher("starter", "exit 1");
  const auto unknown = understand({"starter", "--many", "4", program_mark, "./app", "x"});
  ASSERT_TRUE(unknown) << to_string(unknown.error());
  EXPECT_EQ(unknown->with_environment({{"A", "1"}}),
            (Words{"starter", "--many", "4", "/usr/bin/env", "A=1", "./app", "x"}));
}

// The "--" is for us: Hydra refuses it.
TEST_F(LaunchLines, LeaveOutTheWordThatSaysWhereTheProgramIs) {
  const auto launch = understand({"mpirun.mpich", "-n", "2", "--", "./app", "--", "x"});
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->with_environment({{"A", "1"}}),
            (Words{"mpirun.mpich", "-n", "2", "/usr/bin/env", "A=1", "./app", "--", "x"}));
  EXPECT_EQ(launch->with_environment({}), (Words{"mpirun.mpich", "-n", "2", "./app", "--", "x"}));
}

// env(1) takes NAME=VALUE words in front of the program for the environment.
TEST_F(LaunchLines, ReachAProgramWithAnEqualsSign) {
  const auto launch = understand({"mpirun.openmpi", "-n", "1", "./n=4/ring", "5"});
  ASSERT_TRUE(launch) << to_string(launch.error());
  const Words started = launch->with_environment({{"WW_TEST", "here"}});
  script("n=4/ring", "#!/bin/sh\necho \"$WW_TEST $1\"\n");
  const auto said =
      run({.arguments = Words(started.begin() + 3, started.end()), .output = Command::Output::capture});
  ASSERT_TRUE(said) << to_string(said.error());
  EXPECT_EQ(said->output, "here 5\n");
}

// stdbuf(1) and valgrind(1) set or use what is preloaded; env -i empties it.
TEST_F(LaunchLines, PutTheEnvironmentWhereNoWrapperTakesItAway) {
  const auto started = [](const Words& line) {
    return understand(line)->with_environment({{"LD_PRELOAD", "ours"}});
  };
  EXPECT_EQ(
      started({"mpirun.openmpi", "-n", "1", "stdbuf", "-oL", "./app"}),
      (Words{"mpirun.openmpi", "-n", "1", "/usr/bin/env", "LD_PRELOAD=ours", "stdbuf", "-oL", "./app"}));
  EXPECT_EQ(started({"mpirun.openmpi", "-n", "1", "env", "-i", "LD_PRELOAD=theirs", "./app"}),
            (Words{"mpirun.openmpi", "-n", "1", "env", "-i", "LD_PRELOAD=theirs", "/usr/bin/env",
                   "LD_PRELOAD=ours:theirs", "./app"}));
  EXPECT_EQ(started({"env", "-i", "X=1", "./app"}),
            (Words{"env", "-i", "X=1", "/usr/bin/env", "LD_PRELOAD=ours", "./app"}));
  EXPECT_EQ(started({"timeout", "60", "mpirun.openmpi", "./app"}),
            (Words{"timeout", "60", "mpirun.openmpi", "/usr/bin/env", "LD_PRELOAD=ours", "./app"}));
}

// mpirun(1): a line of an appfile is what stands between two ":" of a launch line; mpiexec(1): so is one of a
// configfile.
TEST_F(LaunchLines, TakeFilesOfPrograms) {
  ASSERT_TRUE(write_file(dir_ / "apps", "# two programs\n-n 1 ./app a\n\n-n 2 ./app2 'b c'\n"));
  for (const auto& [launcher, option] :
       {std::pair{"mpirun.openmpi", "--app"}, {"mpirun.openmpi", "-app"}, {"mpirun.mpich", "-configfile"}}) {
    const auto launch = understand({launcher, option, "apps"});
    ASSERT_TRUE(launch) << to_string(launch.error());
    EXPECT_EQ(launch->with_environment({{"A", "1"}}),
              (Words{launcher, "-n", "1", "/usr/bin/env", "A=1", "./app", "a", ":", "-n", "2", "/usr/bin/env",
                     "A=1", "./app2", "b c"}));
  }
  EXPECT_NE(programs_of("srun --multi-prog hosts").find("joined by"), std::string::npos);
}

// A measurement runs where the program ran, without what would end it early or slow it down.
TEST_F(LaunchLines, AreMeasuredWithTheWrappersThatMatter) {
  const auto measured = [](const std::string& line) {
    return understand(shell_line(line).words)->with_program({"M", "1"});
  };
  EXPECT_EQ(measured("timeout 60 env X=1 mpirun.openmpi -n 2 numactl -N 0 ./app 3"),
            (Words{"env", "X=1", "mpirun.openmpi", "-n", "2", "numactl", "-N", "0", "M", "1"}));
  EXPECT_EQ(measured("mpirun.openmpi -n 2 valgrind ./app 3"), (Words{"mpirun.openmpi", "-n", "2", "M", "1"}));
  EXPECT_EQ(measured("mpirun.openmpi -n 1 ./app a : -n 3 ./app2 b"),
            (Words{"mpirun.openmpi", "-n", "1", "M", "1", ":", "-n", "3", "M", "1"}));
  EXPECT_EQ(launcher_in({"env", "X=1", "mpirun.openmpi", "-n", "2"}), 2u);
  EXPECT_EQ(launcher_in({"mpirun.openmpi", "-n", "2"}), 0u);
}

TEST_F(LaunchLines, NameResultsAfterWhatRuns) {
  const auto name = [](const std::string& line) { return understand(shell_line(line).words)->name(); };
  EXPECT_EQ(name("mpirun.openmpi -n 2 python3 ring.py --size 3"), "ring.py");
  EXPECT_EQ(name("mpirun.openmpi -n 2 python3 -u -m mpi4py ring.py"), "ring.py");
  EXPECT_EQ(name("mpirun.openmpi -n 2 python3 -m solver.main x"), "solver.main");
  EXPECT_EQ(name("mpirun.openmpi -n 2 sh run.sh"), "run.sh");
  EXPECT_EQ(name("mpirun.openmpi -n 2 numactl -l ./app"), "app");
  EXPECT_EQ(name("timeout 60 mpirun.openmpi -n 2 ./app"), "app");
  EXPECT_EQ(name("sh -c 'mpirun.openmpi -n 2 ./app'"), "app");
}

// The launcher inside of a script says whose recorder is loaded.
TEST_F(LaunchLines, LookIntoScriptsForTheMpi) {
  EXPECT_EQ(understand({"./run.sh"})->library, &library::mpich);
  EXPECT_EQ(understand({"sh", "run.sh"})->library, &library::mpich);
  EXPECT_EQ(understand({"sh", "-c", "cd /tmp && mpirun.openmpi -n 2 x"})->library, &library::open_mpi);
  EXPECT_EQ(understand({"sh", "-c", "cd /tmp && ls"})->library, nullptr);
}

TEST_F(LaunchLines, SayWhatToDoAboutWhatIsNoProgram) {
  const auto remedy = [](const Words& line) { return understand(line).error().remedy; };
  EXPECT_NE(remedy({"mpirun.openmpi", "-n", "2", "app"}).find("./app"), std::string::npos);
  EXPECT_EQ(remedy({"mpirun.openmpi", "-n", "2", "app"}).find("chmod"), std::string::npos);
  EXPECT_NE(remedy({"mpirun.openmpi", "-n", "2", "hosts"}).find("chmod +x hosts, then ./hosts"),
            std::string::npos);
  EXPECT_EQ(remedy({"mpirun.openmpi", "-n", "2", "./hosts"}), "make it executable: chmod +x ./hosts");
  EXPECT_EQ(understand({"mpirun.openmpi", "-n", "2", "/tmp"}).error().what, "a directory, not a program");
}

TEST(ShellWords, AreThoseOfAPlainCommandOnly) {
  using launch::words_of_plain_command;
  EXPECT_EQ(words_of_plain_command("ls -l 'a b' \"c d\" e\\ f"), (Words{"ls", "-l", "a b", "c d", "e f"}));
  EXPECT_EQ(words_of_plain_command("X=1 Y='2 3' ls"), (Words{"env", "X=1", "Y=2 3", "ls"}));
  EXPECT_EQ(words_of_plain_command("exec ls"), (Words{"ls"}));
  for (const char* more : {"ls; ls", "ls | cat", "ls >x", "ls $HOME", "ls *", "ls `x`", "ls && ls", "(ls)",
                           "ls \"$x\"", "cd /", "X=1", "", "ls 'open", "no-such-program-here x"})
    EXPECT_FALSE(words_of_plain_command(more)) << more;
}

}  // namespace
}  // namespace ww
