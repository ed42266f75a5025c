// What must hold is said in new_result.hpp.
#include "base/new_result.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "base/files.hpp"

namespace ww::owned {
namespace {
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr Entry thing_entries[] = {{"run.json"}};
constexpr ContentKind thing{"thing", thing_entries};

class NewResults : public testing::Test {
 protected:
  NewResults() {
    std::string pattern = (fs::temp_directory_path() / "ww-result-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) root_ = fs::canonical(pattern);
    name_ = root_ / "run";
  }
  ~NewResults() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  static void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Lines write(const std::string& text, Previous previous = Previous::keep) {
    auto result = NewResult::begin(name_, thing, previous);
    if (!result) return {ww::to_string(result.error())};
    put(result->directory() / "run.json", text);
    const auto said = result->publish();
    return said ? *said : Lines{ww::to_string(said.error())};
  }
  std::string at(const std::string& name) const {
    return read_file(root_ / name / "run.json").value_or("none");
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(root_)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  fs::path root_, name_;
};

TEST_F(NewResults, ThePreviousOneIsKeptOnce) {
  EXPECT_EQ(write("1"), Lines{});
  EXPECT_EQ(write("2"), Lines{"the previous run is kept as run.old"});
  EXPECT_EQ(at("run") + at("run.old"), "21");
  EXPECT_EQ(write("3"), Lines{"the previous run is kept as run.old"});
  EXPECT_EQ(at("run") + at("run.old"), "32");
  EXPECT_EQ(write("4", Previous::replace), Lines{"the previous run was replaced"});
  EXPECT_EQ(at("run") + at("run.old"), "42");
  EXPECT_EQ(names(), (Lines{"run", "run.old"}));
}

TEST_F(NewResults, AFailureLeavesEverythingAsItWas) {
  {
    const auto result = NewResult::begin(root_ / "a" / "b" / "run", thing);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->directory(), result->name()) << "it is found under its name from the start";
    put(result->directory() / "run.json", "half");
  }
  EXPECT_EQ(names(), Lines{}) << "neither it nor the directories that were made for it";
  write("1");
  {
    const auto result = NewResult::begin(name_, thing);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->directory(), root_ / "run.new");
    put(result->directory() / "run.json", "half");
    EXPECT_EQ(at("run"), "1");
  }
  EXPECT_EQ(names(), Lines{"run"});
  EXPECT_EQ(at("run"), "1");
  fs::create_directory(root_ / "empty");
  {
    const auto result = NewResult::begin(root_ / "empty", thing);
    ASSERT_TRUE(result);
    put(result->directory() / "run.json", "half");
  }
  EXPECT_TRUE(fs::is_empty(root_ / "empty")) << "it was there before";
}

TEST_F(NewResults, SomebodyElsesFilesAreNeverTouched) {
  put(root_ / "theirs" / "run.json", "1");
  put(root_ / "theirs" / "thesis.txt", "2");
  fs::create_directory_symlink(root_ / "theirs", root_ / "link");
  put(root_ / "file", "3");
  for (const char* name : {"theirs", "link", "file", "theirs/.", "link/", "theirs/../theirs", "."})
    for (const Previous previous : {Previous::keep, Previous::replace})
      EXPECT_FALSE(NewResult::begin(root_ / name, thing, previous)) << name;
  EXPECT_FALSE(NewResult::begin("/", thing));
  EXPECT_FALSE(NewResult::begin("", thing));
  EXPECT_EQ(names(), (Lines{"file", "link", "theirs"}));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "theirs"), fs::directory_iterator()), 2);
}

TEST_F(NewResults, AResultWithSomebodyElsesFilesMovesWithThem) {
  write("1");
  put(name_ / "thesis.txt", "mine");
  EXPECT_EQ(write("2", Previous::replace), Lines{"the previous run is kept as run.old"});
  EXPECT_EQ(*read_file(root_ / "run.old" / "thesis.txt"), "mine");
  EXPECT_EQ(write("3"), Lines{"the previous run is kept as run.old.2"});
  EXPECT_EQ(*read_file(root_ / "run.old" / "thesis.txt"), "mine");
  EXPECT_EQ(at("run") + at("run.old.2") + at("run.old"), "321");
}

TEST_F(NewResults, WhatAnOlderVersionMadeIsRenamedIfAskedTo) {
  put(name_ / "run.json", "old");
  EXPECT_EQ(write("1").front().substr(0, 12), "cannot write");
  EXPECT_EQ(at("run"), "old");
  EXPECT_EQ(write("1", Previous::replace), Lines{"the previous run is kept as run.old"});
  EXPECT_EQ(at("run.old"), "old");
  EXPECT_EQ(write("2"), Lines{"the previous run is kept as run.old.2"})
      << "the unmarked one is never removed";
  EXPECT_EQ(at("run") + at("run.old.2") + at("run.old"), "21old");
}

TEST_F(NewResults, WhatAKilledProcessLeftIsKept) {
  write("1");
  {
    auto result = NewResult::begin(name_, thing);
    ASSERT_TRUE(result);
    put(result->directory() / "run.json", "killed");
    result->leave();  // as the kernel leaves it when the process is killed
  }
  EXPECT_EQ(write("2"), (Lines{"what an earlier command left unfinished is kept as run.unfinished",
                               "the previous run is kept as run.old"}));
  EXPECT_EQ(at("run") + at("run.old") + at("run.unfinished"), "21killed");
}

TEST_F(NewResults, ANameInTheWayIsAnError) {
  write("1");
  put(root_ / "run.new" / "thesis.txt", "mine");
  EXPECT_NE(write("2").front().find("run.new is in the way"), std::string::npos);
  EXPECT_EQ(at("run"), "1");
  put(root_ / "run.old", "a file");
  fs::remove_all(root_ / "run.new");
  EXPECT_EQ(write("2"), Lines{"the previous run is kept as run.old.2"});
  EXPECT_EQ(*read_file(root_ / "run.old"), "a file");
}

TEST_F(NewResults, OneOfManyAtOnceIsTheResult) {
  for (const bool there : {false, true})
    for (int round = 0; round < 40; ++round) {
      name_ = root_ / ("run" + std::to_string(round) + (there ? "a" : "b"));
      if (there) write("before");
      std::atomic<int> begun{0}, refused{0};
      std::vector<std::thread> threads;
      for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
          auto result = NewResult::begin(name_, thing);
          if (!result) {
            EXPECT_EQ(result.error().where, "another whatwire is writing it");
            ++refused;
            return;
          }
          ++begun;
          while (begun + refused < 4) usleep(100);
          put(result->directory() / "run.json", "whole");
          EXPECT_TRUE(result->publish());
        });
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(begun, 1);
      EXPECT_EQ(at(name_.filename()), "whole");
      EXPECT_EQ(at(name_.filename().string() + ".old"), there ? "before" : "none");
    }
}

// Many at once over what killed ones left: each is refused because another one writes, or has what it wrote
// itself, be it published, moved aside as the previous one, or left unfinished.
TEST_F(NewResults, ManyAtOnceOverWhatWasLeftUnfinished) {
  constexpr int threads = 8, rounds = 60;
  write("first");
  std::atomic<int> next = 0;
  std::array<std::vector<std::string>, threads> wrong;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        auto result = NewResult::begin(name_, thing);
        if (!result) {
          const std::string why = ww::to_string(result.error());
          if (why.find("another whatwire is writing it") == std::string::npos) wrong[t].push_back(why);
          continue;
        }
        const std::string text = std::to_string(++next);
        put(result->directory() / "run.json", text);
        if (read_file(result->directory() / "run.json") != text) wrong[t].push_back("not mine: " + text);
        if (i % 2 == 0) {
          result->leave();
          continue;
        }
        if (const auto said = result->publish(); !said) wrong[t].push_back(ww::to_string(said.error()));
      }
    });
  for (std::thread& thread : all) thread.join();
  for (const auto& lines : wrong) EXPECT_EQ(lines, Lines{});
  std::set<std::string> found;
  int unfinished = 0;
  for (const std::string& name : names()) {
    unfinished += name.starts_with("run.unfinished") ? 1 : 0;
    EXPECT_TRUE(found.insert(at(name)).second) << name;
  }
  EXPECT_GT(unfinished, 0);
  EXPECT_EQ(found.count("none"), 0u);
}

TEST_F(NewResults, WhatTookItsPlaceMeanwhileIsNotTouched) {
  write("1");
  auto result = NewResult::begin(name_, thing);
  ASSERT_TRUE(result);
  put(result->directory() / "run.json", "2");
  fs::rename(name_, root_ / "moved");
  put(name_ / "thesis.txt", "mine");
  EXPECT_FALSE(result->publish());
  EXPECT_EQ(*read_file(name_ / "thesis.txt"), "mine");
  EXPECT_EQ(at("run.new"), "2") << "nor is the new result lost";
}

}  // namespace
}  // namespace ww::owned
