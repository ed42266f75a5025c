// What must hold is said in owned.hpp: nothing that whatwire did not make may go, whatever somebody puts in
// its way. Each test looks at the victim afterwards.
#include "base/owned.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/files.hpp"

namespace ww::owned {
namespace {
namespace fs = std::filesystem;

constexpr Entry parts_entries[] = {{"part-*.bin"}};
constexpr ContentKind parts{"parts", parts_entries, false};
constexpr Entry inner_entries[] = {{"run.json"}};
constexpr ContentKind inner{"inner", inner_entries};
constexpr Entry thing_entries[] = {{"run.json"}, {"parts", &parts}, {"inner-*", &inner}};
constexpr ContentKind thing{"thing", thing_entries};
constexpr ContentKind other_thing{"other", thing_entries};

class Owned : public testing::Test {
 protected:
  Owned() {
    std::string pattern = (fs::temp_directory_path() / "ww-owned-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) root_ = fs::canonical(pattern);
    fs::create_directories(victim_ = root_ / "victim");
    put(victim_ / "thesis.txt");
    put(victim_ / "run.json");
    put(victim_ / "part-1.bin");
  }
  ~Owned() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  static void put(const fs::path& file, const std::string& text = "mine\n") {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  // A complete thing of ours, not being written any more.
  fs::path make(const std::string& name = "thing", const ContentKind& kind = thing) {
    EXPECT_TRUE(Claim::make(root_ / name, kind));
    put(root_ / name / "run.json");
    put(root_ / name / "parts" / "part-1.bin");
    return root_ / name;
  }
  void expect_victim_whole() const {
    for (const char* name : {"thesis.txt", "run.json", "part-1.bin"})
      EXPECT_EQ(read_file(victim_ / name).value_or("gone"), "mine\n") << name;
  }

  fs::path root_, victim_;
};

TEST_F(Owned, WhatWeMadeGoesAsAWhole) {
  const fs::path dir = make();
  ASSERT_TRUE(Claim::make(dir / "inner-1", inner));
  put(dir / "inner-1" / "run.json");
  EXPECT_EQ(look_at(dir, thing).state, FileState::ours);
  const auto removed = remove(dir, thing);
  ASSERT_TRUE(removed) << to_string(removed.error());
  EXPECT_TRUE(removed->whole);
  EXPECT_FALSE(fs::exists(dir));
}

TEST_F(Owned, WithoutAMarkerNothingIsTouched) {
  EXPECT_FALSE(remove(victim_, thing));
  EXPECT_EQ(look_at(victim_, thing).state, FileState::foreign);
  const fs::path dir = make();
  EXPECT_FALSE(remove(dir, other_thing)) << "made as another kind";
  EXPECT_TRUE(fs::exists(dir / "run.json"));
  for (const fs::path& path : {root_ / "." / "", root_ / ".", root_ / "..", fs::path("/"), fs::path("."),
                               fs::path(".."), fs::path(""), root_ / "absent"})
    EXPECT_FALSE(remove(path, thing)) << path;
  expect_victim_whole();
}

TEST_F(Owned, WhatSomebodyElsePutInStaysAndKeepsTheDirectory) {
  const fs::path dir = make();
  put(dir / "thesis.txt");
  put(dir / "parts" / "thesis.txt");
  put(dir / ".git" / "HEAD");
  put(dir / "parts" / "part-2.bin" / "thesis.txt");  // a directory under a file's name
  fs::remove(dir / "run.json");
  put(dir / "run.json" / "thesis.txt");
  put(dir / "inner-precious" / "run.json");  // an entry's name, but no marker
  EXPECT_EQ(look_at(dir, thing).others.size(), 6u);
  const auto removed = remove(dir, thing);
  ASSERT_TRUE(removed) << to_string(removed.error());
  EXPECT_FALSE(removed->whole);
  EXPECT_EQ(removed->stays, (std::vector<std::string>{".git", "inner-precious", "parts/part-2.bin",
                                                      "parts/thesis.txt", "run.json", "thesis.txt"}));
  for (const char* kept : {"thesis.txt", "parts/thesis.txt", ".git/HEAD", "parts/part-2.bin/thesis.txt",
                           "run.json/thesis.txt", "inner-precious/run.json"})
    EXPECT_TRUE(fs::exists(dir / kept)) << kept;
  EXPECT_FALSE(fs::exists(dir / "parts" / "part-1.bin"));
  EXPECT_FALSE(remove(dir, thing)) << "what is left is theirs and no longer marked";
}

TEST_F(Owned, LinksAreNotFollowedAndStay) {
  const fs::path dir = make();
  fs::remove_all(dir / "parts");
  fs::create_directory_symlink(victim_, dir / "parts");
  fs::remove(dir / "run.json");
  fs::create_symlink(victim_ / "run.json", dir / "run.json");
  fs::create_directory_symlink(victim_, dir / "inner-1");
  const auto removed = remove(dir, thing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->stays, (std::vector<std::string>{"inner-1", "parts", "run.json"}));
  EXPECT_TRUE(fs::is_symlink(dir / "parts"));
  expect_victim_whole();
}

TEST_F(Owned, ALinkToADirectoryOfOursIsNotOurs) {
  const fs::path dir = make();
  fs::create_directory_symlink(dir, root_ / "link");
  EXPECT_FALSE(remove(root_ / "link", thing));
  EXPECT_FALSE(remove(root_ / "link" / "", thing));
  EXPECT_NE(look_at(root_ / "link", thing).why.find("symbolic link"), std::string::npos);
  EXPECT_TRUE(fs::exists(dir / "run.json"));
}

TEST_F(Owned, AMarkerFromElsewhereMakesNothingOurs) {
  const fs::path dir = make();
  fs::copy_file(dir / marker_name, victim_ / marker_name);
  EXPECT_FALSE(remove(victim_, thing)) << "copied";
  EXPECT_EQ(look_at(victim_, thing).state, FileState::foreign);
  fs::remove(victim_ / marker_name);
  fs::create_symlink(dir / marker_name, victim_ / marker_name);
  EXPECT_FALSE(remove(victim_, thing)) << "a link";
  fs::remove(victim_ / marker_name);
  fs::create_hard_link(dir / marker_name, victim_ / marker_name);
  EXPECT_FALSE(remove(victim_, thing)) << "a second name";
  EXPECT_FALSE(remove(dir, thing)) << "nor can the first be trusted then";
  fs::remove(victim_ / marker_name);
  fs::rename(dir / marker_name, victim_ / marker_name);
  EXPECT_FALSE(remove(victim_, thing)) << "moved";
  fs::remove(victim_ / marker_name);
  for (const char* text : {"", "whatwire", "whatwire thing 1 \n", "whatwire thing 1 0 0\n"}) {
    put(victim_ / marker_name, text);
    EXPECT_FALSE(remove(victim_, thing)) << text;
  }
  fs::remove(victim_ / marker_name);
  ASSERT_EQ(mkfifo((victim_ / marker_name).c_str(), 0600), 0);
  EXPECT_FALSE(remove(victim_, thing)) << "a pipe, at which opening must not wait";
  fs::remove(victim_ / marker_name);
  expect_victim_whole();
}

TEST_F(Owned, ACopyOfAResultIsNotOurs) {
  const fs::path dir = make();
  fs::copy(dir, root_ / "copy", fs::copy_options::recursive);
  EXPECT_FALSE(remove(root_ / "copy", thing));
  EXPECT_TRUE(fs::exists(root_ / "copy" / "run.json"));
  fs::rename(dir, root_ / "renamed");
  EXPECT_TRUE(remove(root_ / "renamed", thing)) << "under another name it is the same directory";
}

TEST_F(Owned, AnotherUsersMarkerDoesNotCount) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path dir = make();
  ASSERT_EQ(chown((dir / marker_name).c_str(), 12345, 12345), 0);
  EXPECT_FALSE(remove(dir, thing));
  EXPECT_TRUE(fs::exists(dir / "run.json"));
}

TEST_F(Owned, AHardLinkLosesOurNameOnly) {
  const fs::path dir = make();
  fs::remove(dir / "run.json");
  fs::create_hard_link(victim_ / "run.json", dir / "run.json");
  ASSERT_TRUE(remove(dir, thing));
  expect_victim_whole();
}

TEST_F(Owned, NamesThatWouldDeceiveATerminal) {
  const fs::path dir = make("thing\nwith a line");
  put(dir / "thesis\n\x1b[2J.txt");
  const auto removed = remove(dir, thing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->stays, std::vector<std::string>{"thesis\\x0a\\x1b[2J.txt"});
  EXPECT_EQ(removed->to_string(), "; thesis\\x0a\\x1b[2J.txt is not whatwire's and stays");
}

TEST_F(Owned, AMountIsNotEntered) {
  const fs::path dir = make();
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    GTEST_SKIP() << "mounts are not allowed here";
  // A bind mount has the same device as the directory that it is in.
  if (mount(victim_.c_str(), (dir / "parts").c_str(), nullptr, MS_BIND, nullptr) != 0)
    GTEST_SKIP() << "mounts are not allowed here";
  auto removed = remove(dir, thing, Keep::directory);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->stays, std::vector<std::string>{"parts"});
  expect_victim_whole();
  ASSERT_EQ(umount((dir / "parts").c_str()), 0);

  const fs::path second = make("second");
  ASSERT_EQ(mount("none", (second / "parts").c_str(), "tmpfs", 0, nullptr), 0);
  put(second / "parts" / "part-9.bin");
  removed = remove(second, thing);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->stays, std::vector<std::string>{"parts"});
  EXPECT_TRUE(fs::exists(second / "parts" / "part-9.bin"));
  ASSERT_EQ(umount((second / "parts").c_str()), 0);

  const fs::path third = make("third");
  ASSERT_EQ(mount(third.c_str(), third.c_str(), nullptr, MS_BIND, nullptr), 0);
  EXPECT_FALSE(remove(third, thing)) << "the directory itself is a mount";
  EXPECT_TRUE(fs::exists(third / "run.json"));
  ASSERT_EQ(umount(third.c_str()), 0);
}

// Somebody swaps a directory for a link to the victim, again and again, while it is being removed.
TEST_F(Owned, ASwapInBetweenDoesNotReachTheVictim) {
  std::atomic<bool> stop{false};
  const fs::path dir = root_ / "thing", real = dir / "parts", link = root_ / "link";
  std::thread swapper([&] {
    while (!stop) {
      unlink(link.c_str());
      if (symlink(victim_.c_str(), link.c_str()) != 0) continue;
      renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, real.c_str(), RENAME_EXCHANGE);
      renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, real.c_str(), RENAME_EXCHANGE);
    }
  });
  for (int round = 0; round < 500; ++round) {
    std::error_code ignored;
    fs::remove_all(dir, ignored);
    const auto claim = Claim::make(dir, thing);
    if (!claim) continue;
    put(dir / "run.json");
    mkdir(real.c_str(), 0777);
    (void)remove(dir, thing);
  }
  stop = true;
  swapper.join();
  expect_victim_whole();
}

// The same with the directory itself.
TEST_F(Owned, ASwapOfTheDirectoryItselfDoesNotReachTheVictim) {
  std::atomic<bool> stop{false};
  const fs::path dir = root_ / "thing", link = root_ / "link";
  std::thread swapper([&] {
    while (!stop) {
      if (symlink(victim_.c_str(), link.c_str()) == 0 || fs::is_symlink(link))
        renameat2(AT_FDCWD, link.c_str(), AT_FDCWD, dir.c_str(), RENAME_EXCHANGE);
    }
  });
  for (int round = 0; round < 500; ++round) {
    (void)Claim::make(dir, thing);
    (void)remove(dir, thing);
    (void)remove(link, thing);
    if (fs::is_symlink(dir)) unlink(dir.c_str());
    if (fs::is_symlink(link)) unlink(link.c_str());
  }
  stop = true;
  swapper.join();
  expect_victim_whole();
}

TEST_F(Owned, OneEntryOfADirectory) {
  const fs::path dir = make();
  put(dir / "parts" / "thesis.txt");
  auto removed = remove_within(dir, thing, "parts");
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->stays, std::vector<std::string>{"parts/thesis.txt"});
  EXPECT_TRUE(fs::exists(dir / "run.json"));
  fs::remove(dir / "parts" / "thesis.txt");
  EXPECT_TRUE(remove_within(dir, thing, "parts")->whole);
  EXPECT_TRUE(remove_within(dir, thing, "parts")->whole) << "not there: nothing to do";
  EXPECT_FALSE(remove_within(victim_, thing, "run.json")) << "no marker";
  put(victim_ / "parts" / "part-1.bin");
  put(victim_ / "parts" / "thesis.txt");
  ASSERT_TRUE(remove_within(victim_, thing, "parts", Marker::unmarked_too));
  EXPECT_FALSE(fs::exists(victim_ / "parts" / "part-1.bin"));
  EXPECT_TRUE(fs::exists(victim_ / "parts" / "thesis.txt"));
  expect_victim_whole();
}

TEST_F(Owned, OneOfManyThatClaimADirectoryGetsIt) {
  for (const bool there : {false, true})
    for (int round = 0; round < 50; ++round) {
      const fs::path dir = root_ / ("claimed" + std::to_string(round) + (there ? "a" : "b"));
      if (there) fs::create_directory(dir);
      std::atomic<int> got{0}, told{0};
      std::vector<std::thread> threads;
      std::vector<std::optional<Claim>> held(4);
      for (std::size_t i = 0; i < held.size(); ++i)
        threads.emplace_back([&, i] {
          if (auto claim = Claim::make(dir, thing)) {
            held[i] = *std::move(claim);
            ++got;
          } else {
            EXPECT_EQ(claim.error().where, "another whatwire is writing it");
            ++told;
          }
        });
      for (std::thread& thread : threads) thread.join();
      EXPECT_EQ(got, 1);
      EXPECT_EQ(told, 3);
      EXPECT_EQ(look_at(dir, thing).state, FileState::busy);
      held.clear();
      EXPECT_EQ(look_at(dir, thing).state, FileState::ours);
      EXPECT_TRUE(remove(dir, thing)->whole) << "no marker in the making is left";
    }
}

TEST_F(Owned, WhatAnOlderVersionMadeIsKnownByWhatIsInIt) {
  put(root_ / "older" / "run.json");
  put(root_ / "older" / "parts" / "part-1.bin");
  EXPECT_EQ(look_at(root_ / "older", thing).state, FileState::unmarked);
  put(root_ / "older" / "parts" / "thesis.txt");
  const Look look = look_at(root_ / "older", thing);
  EXPECT_EQ(look.state, FileState::foreign);
  EXPECT_EQ(look.why, "it holds other files (parts/thesis.txt)");
  EXPECT_EQ(look_at(root_ / "absent", thing).state, FileState::absent);
  fs::create_directory(root_ / "empty");
  EXPECT_EQ(look_at(root_ / "empty", thing).state, FileState::empty);
}

}  // namespace
}  // namespace ww::owned
