#include "base/files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace ww {
namespace {
namespace fs = std::filesystem;

TEST(Files, AWriteThatFailsLeavesTheOldFile) {
  const fs::path dir = fs::temp_directory_path() / ("ww-files-" + std::to_string(getpid()));
  fs::create_directories(dir);
  const fs::path file = dir / "f";
  ASSERT_TRUE(write_file(file, "old"));
  EXPECT_FALSE(write_file(dir / "missing" / "f", "new"));
  EXPECT_EQ(*read_file(file), "old");
  ASSERT_TRUE(write_file(file, "new"));
  EXPECT_EQ(*read_file(file), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(dir), fs::directory_iterator()), 1)
      << "nothing is left beside it";
  fs::remove_all(dir);
}

TEST(Files, ReadingADirectoryOrNothingIsAnError) {
  EXPECT_FALSE(read_file("/tmp"));
  EXPECT_FALSE(read_file("/no/such/file"));
}

}  // namespace
}  // namespace ww
