// Unify where it has much to do, little room, or is cut off. Expected values are those that the spools were
// written with.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "base/parallel.hpp"
#include "trace/from_spool.hpp"
#include "trace/however_loaded.hpp"
#include "trace/otf2_read.hpp"
#include "trace/ring_fixture.hpp"
#include "trace/spill.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using spool::SpoolWriter;
using spool::TestDir;

TEST(UnifyScale, SizesComeFromTheSendersInTheOrderOfPosting) {
  const TestDir dir;
  constexpr int size = 5, rounds = 30;
  spool::write_spools(dir.path(), spool::ring(size, rounds));
  const auto trace = load_in_all_ways(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_TRUE(trace->diagnostics.all().empty());
  ASSERT_EQ(trace->messages.size(), static_cast<std::size_t>(size * rounds));
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  for (int r = 0; r < size; ++r) {
    const RankTrace& rank = trace->ranks[static_cast<std::size_t>(r)];
    int seen[3] = {0, 0, 0};
    for (std::size_t a = 0; a < rank.actions(); ++a) {
      if (rank.kind[a] != ActionKind::irecv_done) continue;
      const int tag = rank.tag[a];
      EXPECT_EQ(rank.bytes[a], spool::bytes_of((r + size - 1) % size, 3 * seen[tag]++ + tag));
    }
    EXPECT_EQ(seen[0] + seen[1] + seen[2], rounds);
  }
}

TEST(UnifyScale, TheArchiveIsTheSameWithAnyNumberOfThreads) {
  const TestDir dir, one, four;
  spool::write_spools(dir.path(), spool::ring(12, 60));
  SpoolWriter thread;
  thread.add("MPI_Comm_rank", 1205, 1206);
  spool::write_bytes(dir.path() / "spool" / "rank-3.thread-1.spool", thread.spool_bytes(3, 3, 1));
  Diagnostics diagnostics;
  const auto spools = spool::read_spools(dir.path() / "spool", diagnostics);
  ASSERT_TRUE(spools);
  ASSERT_TRUE(spool::write_archive(*spools, one.path(), {.threads = 1}, diagnostics));
  ASSERT_TRUE(spool::write_archive(*spools, four.path(), {.threads = 4}, diagnostics));
  const auto first = otf2::read_archive(one.path() / "traces.otf2"),
             second = otf2::read_archive(four.path() / "traces.otf2");
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  EXPECT_EQ(first->regions, second->regions);
  EXPECT_EQ(first->events, second->events);
  for (std::size_t r = 0; r < 12; ++r) {
    EXPECT_EQ(first->ranks[r].enter_ns, second->ranks[r].enter_ns);
    EXPECT_EQ(first->ranks[r].leave_ns, second->ranks[r].leave_ns);
    EXPECT_EQ(first->ranks[r].bytes, second->ranks[r].bytes);
    EXPECT_EQ(first->ranks[r].peer, second->ranks[r].peer);
  }
}

// 300,000 calls are 14 MB of spool and more than 40 MB as columns. The limit is on the data of the process,
// which mapped files are not part of.
TEST(UnifyScale, NeedsNoMemoryForTheLengthOfTheTrace) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs the memory itself";
#endif
  const TestDir dir;
  spool::write_spools(dir.path(), spool::ring(2, 96000));
  const pid_t child = fork();
  if (child == 0) {
    Diagnostics diagnostics;
    const auto spools = spool::read_spools(dir.path() / "spool", diagnostics);
    std::ifstream status("/proc/self/statm");
    std::uint64_t pages[6] = {};
    for (auto& value : pages) status >> value;
    const rlimit limit{pages[5] * 4096 + (std::uint64_t{24} << 20), RLIM_INFINITY};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) _exit(3);
    std::filesystem::create_directories(dir.path() / "archive");
    const bool good =
        spools && spool::write_archive(*spools, dir.path() / "archive", {.threads = 1}, diagnostics);
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(otf2::read_archive(dir.path() / "archive" / "traces.otf2"));
}

// Killed at some moment, then asked for again: the same archive as without, and what the recorder said kept
// once.
TEST(UnifyScale, CanBeKilledAndDoneAgain) {
  const nlohmann::json run = {
      {"launch", "mpirun ./a.out"},
      {"diagnostics", {{{"name", "told"}, {"severity", "info"}, {"remedy", ""}, {"count", 1}}}}};
  int killed = 0;
  for (const int after_us : {0, 2000, 5000, 10000, 20000, 30000, 50000, 80000}) {
    const TestDir dir;
    spool::write_spools(dir.path(), spool::ring(4, 3000));
    const pid_t child = fork();
    if (child == 0) {
      static_cast<void>(unify(dir.path(), run));
      _exit(0);
    }
    while (!std::filesystem::exists(dir.path() / "spool" / "run.json") &&
           waitpid(child, nullptr, WNOHANG) == 0)
      usleep(100);
    usleep(static_cast<useconds_t>(after_us));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!std::filesystem::exists(dir.path() / "traces.otf2")) {
      ++killed;
      EXPECT_TRUE(std::filesystem::exists(dir.path() / "spool" / "rank-3.thread-0.spool"));
    }
    const auto trace = load_in_all_ways(dir.path());
    ASSERT_TRUE(trace) << to_string(trace.error());
    EXPECT_EQ(trace->messages.size(), 4 * 3000u);
    const nlohmann::json said = read_run(dir.path());
    EXPECT_EQ(said["launch"], "mpirun ./a.out");
    ASSERT_EQ(said["diagnostics"].size(), 1u);
    EXPECT_EQ(said["diagnostics"][0]["count"], 1);
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      EXPECT_FALSE(entry.path().filename().string().starts_with(".unify-")) << entry.path();
  }
  EXPECT_GT(killed, 0);
}

TEST(UnifyScale, ADiskWithoutRoomIsAnErrorAndTheSpoolStays) {
  const TestDir dir;
  spool::write_spools(dir.path(), spool::ring(2, 30000));
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);  // the kernel refuses a file beyond the limit as it would on a full disk
    const rlimit limit{500000, 500000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto unified = unify(dir.path(), nullptr);
    _exit(unified ? 1 : unified.error().remedy.empty() ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "traces.otf2"));
  const auto trace = load_in_all_ways(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->messages.size(), 2 * 30000u);
}

TEST(Spill, KeepsWhatItIsGivenBeyondTheMemory) {
  const TestDir dir;
  Spill<std::uint64_t> spill(dir.path());
  constexpr std::uint64_t count = 300000;
  for (std::uint64_t i = 0; i < count; ++i) {
    spill.push_back(i * i);
    if (i % 50000 == 0) spill.release();
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));  // its file has no name
  spill.seal();
  ASSERT_EQ(spill.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(spill[i], i * i);
  Spill<std::uint64_t> nowhere(dir.path() / "missing");
  for (std::uint64_t i = 0; i < count; ++i) nowhere.push_back(i);
  EXPECT_TRUE(nowhere.failed());
}

TEST(Parallel, EveryPieceOnceAndTheFirstErrorIsGiven) {
  std::vector<std::atomic<int>> done(1000);
  ASSERT_TRUE(in_parallel(done.size(), 4, [&](std::size_t i) -> Result<void> {
    ++done[i];
    return {};
  }));
  for (const auto& count : done) EXPECT_EQ(count, 1);
  const auto failed = in_parallel(1000, 1, [](std::size_t i) -> Result<void> {
    if (i >= 7) return fail("piece " + std::to_string(i));
    return {};
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().what, "piece 7");
}

TEST(Parallel, AnExceptionOfAThreadIsThrownToTheCaller) {
  std::atomic<int> begun = 0;
  const auto piece = [&](std::size_t) -> Result<void> {
    ++begun;
    throw NoRoom();
  };
  EXPECT_THROW(static_cast<void>(in_parallel(1000, 4, piece)), NoRoom);
  EXPECT_LE(begun, 4);
}

}  // namespace
}  // namespace ww
