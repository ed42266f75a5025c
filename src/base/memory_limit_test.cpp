// Expectations are the meaning of files and limits that the kernel documents.
#include "base/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace ww {
namespace {

namespace fs = std::filesystem;

class MemoryAvailable : public testing::Test {
 protected:
  MemoryAvailable() {
    std::string name = (fs::temp_directory_path() / "ww-memory-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~MemoryAvailable() override { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::uint64_t bytes() const { return memory_available_bytes(root_); }

 private:
  fs::path root_;
};

// The files as cgroups(7) and the kernel's cgroup-v1/memory.rst and cgroup-v2.rst describe them.
TEST_F(MemoryAvailable, IsTheLeastOfTheMachineAndItsGroups) {
  write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:   8000 kB\n");
  EXPECT_EQ(bytes(), 8000u << 10);
  write("proc/self/cgroup", "5:cpu,memory:/job/step\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000000\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "3000000\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "cache 1000000\nrss 1500000\ntotal_cache 2500000\n");
  EXPECT_EQ(bytes(), 4500000u);
  write("proc/self/cgroup", "0::/slice/job\n");
  write("sys/fs/cgroup/slice/memory.max", "max\n");
  write("sys/fs/cgroup/slice/job/memory.max", "4000000\n");
  write("sys/fs/cgroup/slice/job/memory.current", "1000000\n");
  write("sys/fs/cgroup/slice/job/memory.stat", "anon 900000\nfile 100000\n");
  EXPECT_EQ(bytes(), 3100000u);
}

TEST_F(MemoryAvailable, IsTheRootOfTheGroupsInAContainerThatHidesWhereItIs) {
  write("proc/meminfo", "MemAvailable: 8000 kB\n");
  write("proc/self/cgroup", "0::/docker/0123abcd\n");
  write("sys/fs/cgroup/memory.max", "2000000\n");
  write("sys/fs/cgroup/memory.current", "2500000\n");  // above it while the kernel reclaims
  EXPECT_EQ(bytes(), 0u);
}

// getrlimit(2): of what is neither shared nor a file, and of all addresses.
TEST_F(MemoryAvailable, IsNoMoreThanTheProcessMayHave) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer needs the addresses itself";
#endif
  write("proc/meminfo", "MemAvailable: 1000000000000 kB\n");
  rlimit data{}, addresses{};
  getrlimit(RLIMIT_DATA, &data);
  getrlimit(RLIMIT_AS, &addresses);
  const rlimit large{rlim_t{1} << 36, data.rlim_max}, larger{rlim_t{1} << 37, addresses.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &large), 0);
  EXPECT_EQ(bytes(), std::uint64_t{1} << 36);
  setrlimit(RLIMIT_DATA, &data);
  EXPECT_EQ(are_addresses_limited(), addresses.rlim_cur != RLIM_INFINITY);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &larger), 0);
  EXPECT_TRUE(are_addresses_limited());
  setrlimit(RLIMIT_AS, &addresses);
}

}  // namespace
}  // namespace ww
