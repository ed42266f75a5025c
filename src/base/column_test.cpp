// Expectations are std::vector's, step by step.
#include "base/column.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <random>
#include <vector>

namespace ww {
namespace {

namespace fs = std::filesystem;

class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "ww-column-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Odd {  // no divisor of a page
  std::uint64_t a = 0, b = 0;
  std::uint32_t c = 0;
  bool operator==(const Odd&) const = default;
};

template <class Column>
void grows_like_a_vector(Column column) {
  std::vector<Odd> expected;
  std::mt19937_64 random(7);
  for (int step = 0; step < 20000; ++step) {
    const Odd one{random(), random(), static_cast<std::uint32_t>(step)};
    switch (random() % 64) {
      case 0: {
        const std::size_t size = expected.size() + random() % 3000;
        column.resize(size, one), expected.resize(size, one);
        break;
      }
      case 1:
        if (!expected.empty()) column.push_back(column.front()), expected.push_back(expected.front());
        break;
      case 2:
        column.trim();
        break;
      case 3: {
        const std::size_t size = expected.size() / 2;
        column.resize(size), expected.resize(size);
        break;
      }
      default:
        column.push_back(one), expected.push_back(one);
    }
  }
  const Column copy = column;
  column.push_back({});
  ASSERT_EQ(copy.size(), expected.size());
  EXPECT_TRUE(std::equal(copy.begin(), copy.end(), expected.begin()));
}

TEST(Column, GrowsLikeAVectorInMemoryAndInAFile) {
  const Scratch scratch;
  const auto store = ColumnStore::make(scratch.path());
  ASSERT_TRUE(store);
  grows_like_a_vector(Column<Odd>());
  grows_like_a_vector(Column<Odd>(*store));
  EXPECT_TRUE(fs::is_empty(scratch.path()));  // the file has no name
}

TEST(Column, DoesNotMoveWhileItIsNoLongerThanExpected) {
  const Scratch scratch;
  const auto store = ColumnStore::make(scratch.path());
  ASSERT_TRUE(store);
  Column<std::uint64_t> column(*store), other(*store);
  column.expect(1 << 20);
  column.push_back(1);
  const auto* const first = column.data();
  for (std::uint64_t i = 2; i <= 1 << 20; ++i) column.push_back(i), other.push_back(i);
  EXPECT_EQ(column.data(), first);
  EXPECT_EQ(column.back(), std::uint64_t{1} << 20);
  column.push_back(0);  // one more is no error
  EXPECT_EQ(column[1 << 19], (std::uint64_t{1} << 19) + 1);
}

TEST(Column, LooksAtMemoryOfOthersUntilItIsChanged) {
  const std::vector<int> others{1, 2, 3};
  Column<int> looking = Column<int>::view(others), copy = looking;
  EXPECT_EQ(looking.data(), others.data());
  EXPECT_EQ(copy.data(), others.data());
  looking.change(1) = 7;
  copy.push_back(4);
  EXPECT_EQ(looking, (std::vector<int>{1, 7, 3}));
  EXPECT_EQ(copy, (std::vector<int>{1, 2, 3, 4}));
  EXPECT_EQ(others, (std::vector<int>{1, 2, 3}));
}

// A disk without room: the limit of the size of files does the same to posix_fallocate and ftruncate.
TEST(Column, SaysThatTheDiskIsFullInsteadOfASignal) {
  const Scratch scratch;
  const auto store = ColumnStore::make(scratch.path());
  ASSERT_TRUE(store);
  Column<std::uint64_t> column(*store);
  column.push_back(3);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(column.resize(std::size_t{1} << 30), NoRoom);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(column.size(), 1u);
  EXPECT_EQ(column[0], 3u);
  EXPECT_FALSE(ColumnStore::make(scratch.path() / "none"));
}

}  // namespace
}  // namespace ww
