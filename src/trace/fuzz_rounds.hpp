// For tests: a bounded fuzzer. What is valid is damaged at random, from a fixed seed, and read, again and again in processes of their own.
// WW_FUZZ_ROUNDS=100000 makes it a search; a failing round is named, and WW_FUZZ_FROM begins with it.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "trace/fuzz_harness.hpp"

namespace ww::fuzz {

inline constexpr std::uint64_t memory_bytes = std::uint64_t{512}
                                              << 20;  // beyond what the process has already
// A load takes 0.05 s. But libotf2 3.0.2 was seen inside free() for more than 20 s under a sanitizer after
// some damages to the anchor (it seems to go through as many properties as the anchor says): with one,
// anchors stay whole.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
inline constexpr unsigned time_limit_s = 20;
inline constexpr const char* anchor = "traces.otf2";
inline constexpr int rounds_a_child = 25;

inline int rounds() {
  const char* asked = std::getenv("WW_FUZZ_ROUNDS");
  return asked != nullptr ? std::atoi(asked) : 400;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void damage(Files& files) {
    for (std::size_t change = 1 + pick(3); change > 0; --change) {
      auto& bytes = std::next(files.begin(), static_cast<std::ptrdiff_t>(pick(files.size())))->second;
      if (!bytes.empty()) damage(bytes, files);
    }
    if (pick(20) == 0) files.erase(std::next(files.begin(), static_cast<std::ptrdiff_t>(pick(files.size()))));
  }

 private:
  std::size_t pick(std::size_t most) { return static_cast<std::size_t>(random_() % most); }

  void damage(std::string& bytes, const Files& files) {
    // Headers and the first records are where lengths and counts are.
    std::size_t at = pick(pick(2) == 0 ? std::min<std::size_t>(bytes.size(), 200) : bytes.size());
    const std::size_t length = std::min(bytes.size() - at, 1 + pick(60));
    switch (pick(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.replace(at, length, length, '\0');
        break;
      case 2:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:  // a length or a count, of any width, at its edges
      {
        static constexpr std::uint64_t edges[] = {0,
                                                  1,
                                                  0x7f,
                                                  0xff,
                                                  0x7fff,
                                                  0xffff,
                                                  0x7fffffff,
                                                  0xffffffff,
                                                  std::uint64_t{1} << 40,
                                                  ~std::uint64_t{0} >> 1,
                                                  ~std::uint64_t{0}};
        const std::uint64_t edge = edges[pick(std::size(edges))];
        std::memcpy(bytes.data() + at, &edge, std::min(bytes.size() - at, std::size_t{1} << pick(4)));
        break;
      }
      case 5:  // a number in text
      {
        at = bytes.find_first_of("0123456789", at);
        if (at == std::string::npos) break;
        static constexpr const char* numbers[] = {"-1",
                                                  "0",
                                                  "1e300",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "18446744073709551615",
                                                  "1048575",
                                                  "-9223372036854775808"};
        const std::size_t end = std::min(bytes.find_first_not_of("0123456789", at), bytes.size());
        bytes.replace(at, end - at, numbers[pick(std::size(numbers))]);
        break;
      }
      case 6:  // another file's piece
      {
        const auto& other = std::next(files.begin(), static_cast<std::ptrdiff_t>(pick(files.size())))->second;
        if (other.empty()) break;
        bytes.replace(at, length, other.substr(pick(other.size()), length));
        break;
      }
      default:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random_());
    }
  }

  std::mt19937_64 random_;
};

inline void limit_memory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  std::ifstream statm("/proc/self/statm");
  std::uint64_t pages[6] = {};
  for (auto& value : pages) statm >> value;
  const rlimit limit{pages[5] * 4096 + memory_bytes, RLIM_INFINITY};
  WW_INVARIANT(setrlimit(RLIMIT_DATA, &limit) == 0);
#endif
}

// What is being done, seen by the parent when the child has died of it.
struct FuzzProgress {
  int round = 0, loaded = 0;
};

// Whether files can be read; what they were read into holds together, or else the process ends.
using Reads = bool (*)(const Files&);

// `least_loaded` and `least_refused`: shares of the rounds. Most of what is read stays readable, and what is
// damaged is seen.
inline void fuzz_from(const Files& good, double least_loaded, double least_refused, Reads reads = load) {
  // Unifying waits for the disk, unless there is none.
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
  ASSERT_TRUE(reads(good));
  void* shared =
      mmap(nullptr, sizeof(FuzzProgress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto& progress = *static_cast<FuzzProgress*>(shared);
  const int count = rounds();
  if (const char* first = std::getenv("WW_FUZZ_FROM")) progress.round = std::atoi(first);
  while (progress.round < count) {
    const pid_t child = fork();
    if (child == 0) {
      limit_memory();
      for (int i = 0; i < rounds_a_child && progress.round < count; ++i, ++progress.round) {
        alarm(time_limit_s);
        Files files = good;
        Mutator(static_cast<std::uint64_t>(progress.round)).damage(files);
        if (sanitized && files.contains(anchor)) files.at(anchor) = good.at(anchor);
        if (reads(files)) ++progress.loaded;
      }
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    ADD_FAILURE() << "round " << progress.round
                  << (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? " does not end"
                                                                         : " breaks the reader")
                  << ", status " << status;
    ++progress.round;
  }
  const int first = std::getenv("WW_FUZZ_FROM") != nullptr ? std::atoi(std::getenv("WW_FUZZ_FROM")) : 0;
  EXPECT_GE(progress.loaded, least_loaded * (count - first));
  EXPECT_GE(count - first - progress.loaded, least_refused * (count - first));
  munmap(shared, sizeof(FuzzProgress));
}

}  // namespace ww::fuzz
