// What must hold is said in kept_file.hpp.
#include "base/kept_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.hpp"

namespace ww {
namespace {
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

class KeptFile : public testing::Test {
 protected:
  KeptFile() {
    std::string pattern = (fs::temp_directory_path() / "ww-kept-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) root_ = pattern;
  }
  ~KeptFile() override { fs::remove_all(root_); }
  // As a command does that writes "ours N".
  Lines write(const std::string& text) {
    const auto said = keep_previous_file(
        root_ / "f", [](const fs::path& file) { return read_file(file).value_or("").starts_with("ours"); });
    EXPECT_TRUE(said);
    EXPECT_TRUE(write_file(root_ / "f", text));
    return said.value_or(Lines{});
  }
  std::string at(const std::string& name) const { return read_file(root_ / name).value_or("none"); }
  fs::path root_;
};

TEST_F(KeptFile, WhatSomebodyElseWroteIsNeverLost) {
  EXPECT_EQ(write("thesis"), Lines{});
  EXPECT_EQ(write("ours 1"), Lines{"the previous f is kept as f.old"});
  EXPECT_EQ(write("ours 2"), Lines{"the previous f is kept as f.old.2"});
  EXPECT_EQ(write("ours 3"), Lines{"the previous f is kept as f.old.2"});
  EXPECT_EQ(at("f") + ", " + at("f.old") + ", " + at("f.old.2"), "ours 3, thesis, ours 2");
}

TEST_F(KeptFile, WhatCannotBeWrittenIsKnownBefore) {
  EXPECT_TRUE(check_output_file(root_ / "f"));
  ASSERT_TRUE(write_file(root_ / "f", "mine"));
  EXPECT_TRUE(check_output_file(root_ / "f"));
  EXPECT_TRUE(check_output_file("/dev/null"));
  fs::create_symlink("/dev/null", root_ / "null");
  EXPECT_TRUE(check_output_file(root_ / "null"));
  EXPECT_FALSE(check_output_file(root_));
  EXPECT_FALSE(check_output_file(root_ / "missing" / "f"));
  fs::create_symlink(root_ / "f", root_ / "link");
  fs::create_symlink(root_ / "nowhere", root_ / "dangling");
  ASSERT_FALSE(check_output_file(root_ / "link"));
  EXPECT_EQ(check_output_file(root_ / "link").error().where,
            "it is a symbolic link to " + (root_ / "f").string());
  EXPECT_FALSE(check_output_file(root_ / "dangling"));
  EXPECT_EQ(at("f"), "mine");
}

TEST_F(KeptFile, APipeIsWrittenToAsItIs) {
  const auto nobodys = [](const fs::path&) { return false; };
  fs::create_symlink("/dev/null", root_ / "null");
  ASSERT_TRUE(write_output_file(root_ / "null", "text", nobodys));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(root_ / "null"));
  EXPECT_FALSE(write_output_file("/dev/full", "text", nobodys));
  EXPECT_EQ(*write_output_file(root_ / "f", "1", nobodys), Lines{});
  EXPECT_EQ(*write_output_file(root_ / "f", "2", nobodys), Lines{"the previous f is kept as f.old"});
}

}  // namespace
}  // namespace ww
