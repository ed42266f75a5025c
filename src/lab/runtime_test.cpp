#include "lab/runtime.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace ww::lab {
namespace {

namespace fs = std::filesystem;

// A directory that only its owner writes, as /run is.
class RuntimeDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "ww-runtime-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    if (const char* before = getenv("XDG_RUNTIME_DIR")) before_ = before;
    unsetenv("XDG_RUNTIME_DIR");
  }
  void TearDown() override {
    unsetenv("XDG_RUNTIME_DIR");
    if (!before_.empty()) setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
    fs::remove_all(root_);
  }
  // "" if it is ours to use, else why not.
  std::string refused(const std::string& name = "labs") {
    const auto claimed = claim_directory(root_, name);
    return claimed ? "" : to_string(claimed.error());
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat info = {};
    EXPECT_EQ(lstat(path.c_str(), &info), 0);
    return info.st_mode & 0777;
  }
  fs::path root_;
  std::string before_;
};

TEST_F(RuntimeDirectory, IsMadeForItsOwnerAlone) {
  umask(0);
  EXPECT_EQ(refused(), "");
  EXPECT_EQ(mode_of(root_ / "labs"), 0700u);
  EXPECT_EQ(refused(), "") << "and taken again";
}

TEST_F(RuntimeDirectory, ThatOthersCouldReadIsClosed) {
  fs::create_directory(root_ / "labs");
  chmod((root_ / "labs").c_str(), 0755);
  EXPECT_EQ(refused(), "");
  EXPECT_EQ(mode_of(root_ / "labs"), 0700u);
}

TEST_F(RuntimeDirectory, ThatOthersMayWriteIsRefused) {
  fs::create_directory(root_ / "labs");
  chmod((root_ / "labs").c_str(), 0777);
  EXPECT_NE(refused().find("other users may write"), std::string::npos) << refused();
  EXPECT_EQ(mode_of(root_ / "labs"), 0777u) << "nothing is touched";
}

TEST_F(RuntimeDirectory, ThatIsALinkIsRefused) {
  fs::create_directory(root_ / "elsewhere");
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "labs");
  EXPECT_NE(refused().find("no directory but a link"), std::string::npos) << refused();
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(RuntimeDirectory, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make another user's directory";
  fs::create_directory(root_ / "labs");
  chmod((root_ / "labs").c_str(), 0700);
  ASSERT_EQ(chown((root_ / "labs").c_str(), 65534, 65534), 0);
  EXPECT_NE(refused().find("belongs to user 65534"), std::string::npos) << refused();
  EXPECT_NE(refused().find("XDG_RUNTIME_DIR"), std::string::npos) << "the remedy: " << refused();
}

// Where everybody may rename, what has been checked is not what is used: /tmp has the sticky bit against
// that.
TEST_F(RuntimeDirectory, WhereOthersMayRenameItIsRefused) {
  chmod(root_.c_str(), 0777);
  EXPECT_NE(refused().find("other users may change what is in it"), std::string::npos) << refused();
  chmod(root_.c_str(), 01777);
  EXPECT_EQ(refused(), "");
}

// The XDG specification: "The directory MUST be owned by the user, and he MUST be the only one having read
// and write access to it."
TEST_F(RuntimeDirectory, OfTheSessionComesFirst) {
  setenv("XDG_RUNTIME_DIR", root_.c_str(), 1);
  const auto labs = directory_of_labs();
  ASSERT_TRUE(labs);
  EXPECT_EQ(*labs, root_ / "whatwire");
  EXPECT_EQ(mode_of(*labs), 0700u);
}

TEST_F(RuntimeDirectory, OfASessionThatIsOpenToOthersIsLeftAlone) {
  setenv("XDG_RUNTIME_DIR", root_.c_str(), 1);
  chmod(root_.c_str(), 0755);
  const auto labs = directory_of_labs();
  EXPECT_FALSE(fs::exists(root_ / "whatwire"));
  EXPECT_TRUE(!labs || labs->parent_path() != root_);
}

TEST_F(RuntimeDirectory, OfAnotherUsersSessionIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make another user's directory";
  ASSERT_EQ(chown(root_.c_str(), 65534, 65534), 0);
  setenv("XDG_RUNTIME_DIR", root_.c_str(), 1);
  const auto labs = directory_of_labs();
  EXPECT_FALSE(fs::exists(root_ / "whatwire"));
  EXPECT_TRUE(!labs || labs->parent_path() != root_);
}

}  // namespace
}  // namespace ww::lab
