// Loading where there is less memory, or disk, than the trace needs. Expected values are those that the
// spools were written with.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

#include "trace/however_loaded.hpp"
#include "trace/ring_fixture.hpp"

namespace ww {
namespace {

constexpr int ranks = 2, rounds = 96000;  // some 50 MB as columns

class LoadLimits : public testing::Test {
 protected:
  LoadLimits() {
    // Elsewhere, so that what it frees is no room for those who load.
    EXPECT_EQ(in_child([&] {
                spool::write_spools(dir_.path(), spool::ring(ranks, rounds));
                return unify(dir_.path(), nullptr) ? 0 : 1;
              }),
              0);
  }
  const std::filesystem::path& path() const { return dir_.path(); }
  // What a process of its own returns, so that limits are only its.
  static int in_child(const std::function<int()>& work) {
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  static bool limit_data(std::uint64_t more_bytes) {
    std::ifstream status("/proc/self/statm");
    std::uint64_t pages[6] = {};
    for (auto& value : pages) status >> value;
    const rlimit limit{pages[5] * 4096 + more_bytes, RLIM_INFINITY};
    return setrlimit(RLIMIT_DATA, &limit) == 0;
  }
  static bool is_no_room(const Result<Trace>& trace) {
    return !trace && trace.error().what.starts_with("no room for the columns") &&
           !trace.error().remedy.empty();
  }

 private:
  spool::TestDir dir_;
};

// The limit is on the data of the process, which mapped files are not part of.
TEST_F(LoadLimits, ColumnsAreInAFileWhereTheMemoryIsTooSmall) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs the memory itself";
#endif
  constexpr std::uint64_t little = std::uint64_t{24} << 20;
  EXPECT_EQ(in_child([&] {
              if (!limit_data(little)) return 2;
              const auto trace = load_trace(path(), {1, Loading::Keep::as_fits});
              if (!trace) return 3;
              if (trace->store == nullptr) return 4;
              return trace->messages.size() == std::size_t{ranks} * rounds &&
                             trace->unmatched_sends + trace->unmatched_receives == 0
                         ? 0
                         : 5;
            }),
            0);
  // It is the file that makes the difference, and without it there is an error.
  EXPECT_EQ(in_child([&] {
              if (!limit_data(little)) return 2;
              return is_no_room(load_trace(path(), {1, Loading::Keep::memory})) ? 0 : 3;
            }),
            0);
}

// Under RLIMIT_AS a file is no way out, and the remedy says whose limit it was.
TEST_F(LoadLimits, TooFewAddressesAreAnErrorThatNamesTheLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs the addresses itself";
#endif
  EXPECT_EQ(in_child([&] {
              std::ifstream status("/proc/self/statm");
              std::uint64_t pages = 0;
              status >> pages;
              const rlimit limit{pages * 4096 + (std::uint64_t{24} << 20), RLIM_INFINITY};
              if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
              const auto trace = load_trace(path(), {1, Loading::Keep::as_fits});
              return is_no_room(trace) && trace.error().remedy.find("ulimit -v") != std::string::npos ? 0 : 3;
            }),
            0);
}

TEST_F(LoadLimits, ADiskWithoutRoomIsAnError) {
  for (const std::size_t threads : {1u, 2u})
    EXPECT_EQ(in_child([&] {
                signal(SIGXFSZ, SIG_IGN);  // so that it fails as on a full disk, only with another number
                const rlimit limit{1 << 20, 1 << 20};
                if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
                return is_no_room(load_trace(path(), {threads, Loading::Keep::file})) ? 0 : 3;
              }),
              0)
        << threads << " threads";
}

}  // namespace
}  // namespace ww
