#include "launch/tsc_reads.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/files.hpp"
#include "launch/compiler_fixture.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;

constexpr const char* reader = R"(
unsigned long long now(void) { unsigned lo, hi; __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)); return lo | (unsigned long long)hi << 32; }
unsigned now_in_order(void) { unsigned lo; __asm__ volatile("rdtscp" : "=a"(lo) : : "edx", "ecx"); return lo; }
)";
// The bytes of rdtsc in a constant, in an address and in data.
constexpr const char* innocent = R"(
static const unsigned char data[] = {0x0f, 0x31, 0x0f, 0x01, 0xf9, 0x48, 0xc1, 0xe2, 0x20};
unsigned now(void) { return 0x310f; }
unsigned now_in_order(void) { return 0xf9010f + data[0]; }
)";
constexpr const char* program =
    "unsigned now_in_order(void); int main(void) { return (int)now_in_order(); }\n";

class TscReads : public ::testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::path(::testing::TempDir()) / ("tsc" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string built(const std::string& name, const std::string& source,
                    const std::vector<std::string>& how = {}) {
    const std::string file = (dir_ / (name + ".c")).string();
    std::string out = (dir_ / name).string();
    EXPECT_TRUE(write_file(file, source));
    std::vector<std::string> line{"-O2", "-o", out, file};
    line.insert(line.end(), how.begin(), how.end());
    compile(line);
    return out;
  }
  static Result<std::vector<TscRead>> found_in(const std::string& text) {
    return find_tsc_reads({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  static Result<std::vector<TscRead>> of_file(const std::string& file) { return found_in(*read_file(file)); }
  fs::path dir_;
};

TEST_F(TscReads, NamesTheFunctionsOfAProgram) {
  const auto found = of_file(built("reads", std::string(reader) + program));
  ASSERT_TRUE(found) << to_string(found.error());
  // main may hold a copy of now_in_order.
  ASSERT_GE(found->size(), 2u);
  const auto has = [&](const char* name) {
    return std::any_of(found->begin(), found->end(),
                       [&](const TscRead& read) { return read.function == name; });
  };
  EXPECT_TRUE(has("now"));
  EXPECT_TRUE(has("now_in_order"));
}

TEST_F(TscReads, AreFoundInWhatIsStripped) {
  const auto found = of_file(built("reads", std::string(reader) + program, {"-s"}));
  ASSERT_TRUE(found);
  ASSERT_GE(found->size(), 2u);
  EXPECT_EQ((*found)[0].function, "");
}

TEST_F(TscReads, AreNotConstants) {
  const auto found = of_file(built("plain", std::string(innocent) + program));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST_F(TscReads, OfTheProgramsFilesButNotOfTheSystem) {
  const std::string library = built("libown.so", reader, {"-shared", "-fPIC"});
  const std::string user = built("user", program, {library, "-Wl,-rpath," + dir_.string()});
  // the loader reads it too, and is of the system
  const auto readers = tsc_readers_among({user, library, "/lib64/ld-linux-x86-64.so.2", "./no-such-file"});
  ASSERT_EQ(readers.size(), 1u);
  EXPECT_EQ(readers[0].file.filename(), "libown.so");
  EXPECT_EQ(readers[0].reads.size(), 2u);
  EXPECT_TRUE(tsc_readers_among({"/bin/true", "/etc/passwd"}).empty());
}

TEST_F(TscReads, RefusesWhatIsNoProgram) {
  EXPECT_FALSE(found_in(""));
  EXPECT_FALSE(found_in("#!/bin/sh\n"));
  EXPECT_FALSE(found_in(std::string("\177ELF\2\1\1", 7) + std::string(57, '\0')));
}

// Cut off anywhere and changed anywhere, headers first: an answer or an error, and no byte beyond the file is
// read (the tests run under address sanitizer too).
TEST_F(TscReads, TakeAnyFile) {
  std::string whole = *read_file(built("reads", std::string(reader) + program));
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string changed = whole;
    if (round % 4 == 0) changed.resize(random() % changed.size());
    // A table of sections stands at the end, segments behind the header.
    for (int change = 0; change < 1 + round % 8 && !changed.empty(); ++change) {
      const std::size_t near =
          std::min<std::size_t>(changed.size(), change % 2 == 0 ? 64 + 13 * 56 : 31 * 64);
      const std::size_t at = change % 2 == 0 ? random() % near : changed.size() - 1 - random() % near;
      changed[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    changed.shrink_to_fit();
    (void)found_in(changed);
  }
}

}  // namespace
}  // namespace ww
