// One trace unified by several processes: the archive is that of one process, and a process that dies ends
// the others and harms nothing.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "trace/fuzz_harness.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

// Every rank sends to every other, leaves the sizes of what it receives to the senders, and calls something
// that no other rank calls; rank 3 was killed, rank 5 left nothing, and the clock of two is another.
std::vector<SpoolWriter> all_to_all(int size) {
  std::vector<SpoolWriter> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    SpoolWriter& writer = ranks[static_cast<std::size_t>(r)];
    writer.host = r < 4 ? "alpha" : "beta";
    writer.standard(r, size + 1);
    writer.clock(0, r < 4 ? 0 : 40, 2, r < 4);
    writer.clock(90000, r < 4 ? 0 : 50, 2, r < 4);
    std::uint64_t now = 1000 + static_cast<std::uint64_t>(r), operation = 1;
    writer.add("MPI_Init", now, now + 10);
    writer.add(r % 2 == 0 ? "MPI_Comm_rank" : "MPI_Comm_dup", now + 20, now + 21);
    for (int round = 0; round < 20; ++round) {
      now += 1000;
      const std::uint64_t first = operation;
      for (int other = 0; other < size; ++other)
        if (other != r)
          writer.add("MPI_Irecv", now, now + 1, Kind::irecv, other, round, 1 << 20, operation++), now += 2;
      for (int other = 0; other < size; ++other)
        if (other != r)
          writer.add("MPI_Send", now, now + 1, Kind::send, other, round,
                     static_cast<std::uint64_t>(100 * r + round)),
              now += 2;
      writer.add("MPI_Waitall", now, now + 500, Kind::done_range, spool::no_peer, 0, operation - first,
                 first);
    }
    if (r == 3) continue;
    writer.add("MPI_Finalize", 90000, 90010);
    writer.end(90020);
  }
  return ranks;
}

// Starts the processes of a crew as a launcher would. `victim` is killed once there is work of all of them.
std::vector<int> unify_together(const std::filesystem::path& dir, std::size_t size, int victim = -1) {
  std::vector<pid_t> processes;
  for (std::size_t k = 0; k < size; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      // The victim reaches its first word and no further.
      if (static_cast<int>(k) == victim) {
        const pid_t self = getpid();
        if (fork() == 0) {
          while (getppid() == self) {
            std::error_code ignored;
            for (std::filesystem::directory_iterator entry(dir, ignored), last; !ignored && entry != last;
                 entry.increment(ignored))
              if (getppid() == self &&
                  std::filesystem::exists(entry->path() / ("extents." + std::to_string(k)), ignored))
                kill(self, SIGKILL);
            usleep(100);
          }
          _exit(0);
        }
      }
      const auto unified = unify(dir, {{"launch", "mpirun ./a.out"}}, Crew{k, size, size});
      _exit(unified ? 0 : 1);
    }
    processes.push_back(child);
  }
  std::vector<int> codes;
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status));
  }
  return codes;
}

std::string printed(const std::filesystem::path& dir) {
  const auto done = run({.arguments = {"otf2-print", "-G", "-A", (dir / "traces.otf2").string()},
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .time_limit_s = 20});
  const auto events = run({.arguments = {"otf2-print", (dir / "traces.otf2").string()},
                           .output = Command::Output::capture,
                           .capture_errors = true,
                           .time_limit_s = 20});
  if (!done || !events || done->exit_code != 0 || events->exit_code != 0 || events->output.size() < 1000)
    return "";
  std::string text = done->output + events->output;
  if (const std::size_t random = text.find("Trace identifier"); random != std::string::npos)
    text.erase(random, text.find('\n', random) - random);
  return text;
}

// Diagnostics are a set: they come in the order in which processes met them.
nlohmann::json facts_of(const std::string& text) {
  nlohmann::json run = nlohmann::json::parse(text);
  std::sort(run["diagnostics"].begin(), run["diagnostics"].end(),
            [](const nlohmann::json& a, const nlohmann::json& b) { return a["name"] < b["name"]; });
  return run;
}

void write_them(const std::filesystem::path& dir) {
  spool::write_spools(dir, all_to_all(5));
  std::filesystem::remove(dir / "spool" / "rank-2.defs");  // damage that is met by one process only
  spool::write_bytes(dir / "spool" / "rank-2.defs", all_to_all(5)[2].definition_bytes() + "nonsense\n");
}

TEST(UnifyTogether, GivesTheArchiveOfOneProcess) {
  const TestDir alone;
  write_them(alone.path());
  const auto unified = unify(alone.path(), {{"launch", "mpirun ./a.out"}});
  ASSERT_TRUE(unified) << to_string(unified.error());
  EXPECT_TRUE(unified->has("rank-ended-early") && unified->has("rank-missing") &&
              unified->has("damaged-definition"));
  for (const std::size_t size : {2u, 3u, 7u}) {  // of the last two have no rank to read
    const TestDir together;
    write_them(together.path());
    EXPECT_EQ(unify_together(together.path(), size), std::vector<int>(size, 0));
    auto expected = fuzz::files_below(alone.path()), made = fuzz::files_below(together.path());
    ASSERT_EQ(made.size(), expected.size()) << size;
    for (const auto& [name, content] : expected) {
      if (name.ends_with(".evt") || name.ends_with(".def")) {
        EXPECT_TRUE(made[name] == content) << name;
      }
    }
    EXPECT_EQ(facts_of(made["run.json"]), facts_of(expected["run.json"]));
    if (find_program("otf2-print")) {
      EXPECT_TRUE(!printed(alone.path()).empty() && printed(together.path()) == printed(alone.path()))
          << size;
    }
    EXPECT_TRUE(load_trace(together.path()));
  }
}

TEST(UnifyTogether, AProcessThatDiesEndsTheOthersAndTheNextAttemptStartsAnew) {
  const TestDir alone;
  write_them(alone.path());
  ASSERT_TRUE(unify(alone.path(), {{"launch", "mpirun ./a.out"}}));
  for (const int victim : {0, 1}) {
    const TestDir together;
    write_them(together.path());
    const auto codes = unify_together(together.path(), 3, victim);
    if (codes[static_cast<std::size_t>(victim)] != 0) {  // else it was quicker than its end
      EXPECT_FALSE(std::filesystem::exists(together.path() / "traces.otf2"));
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_EQ(codes[k], static_cast<int>(k) == victim ? 100 + SIGKILL : 1);
      EXPECT_EQ(unify_together(together.path(), 2), (std::vector<int>{0, 0}));
    }
    EXPECT_TRUE(fuzz::files_below(together.path()).at("traces/1.evt") ==
                fuzz::files_below(alone.path()).at("traces/1.evt"));
    EXPECT_FALSE(std::filesystem::exists(together.path() / "spool"));
  }
}

TEST(UnifyTogether, TheCrewIsWhatTheLauncherSays) {
  const auto crew = [](std::initializer_list<std::pair<const char*, const char*>> variables) {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"})
      unsetenv(name);
    for (const auto& [name, value] : variables) setenv(name, value, 1);
    const Crew found = crew_of_environment();
    for (const auto& [name, value] : variables) unsetenv(name);
    return std::vector<std::size_t>{found.number, found.size, found.on_this_host};
  };
  EXPECT_EQ(crew({}), (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(crew({{"OMPI_COMM_WORLD_RANK", "2"},
                  {"OMPI_COMM_WORLD_SIZE", "4"},
                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
            (std::vector<std::size_t>{2, 4, 2}));
  EXPECT_EQ(crew({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_EQ(crew({{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}), (std::vector<std::size_t>{0, 1, 1}));
  EXPECT_EQ(crew({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}),
            (std::vector<std::size_t>{0, 1, 1}));  // makes no sense
}

}  // namespace
}  // namespace ww
