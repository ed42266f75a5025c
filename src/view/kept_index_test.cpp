#include "view/kept_index.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "analyze/random_trace_fixture.hpp"
#include "trace/archive_entries.hpp"
#include "trace/fuzz_harness.hpp"
#include "view/index_fixture.hpp"
#include "view/tile.hpp"

namespace ww::view {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t made_from = 42;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// All that can be asked, as text; nothing: it is damaged.
std::optional<std::string> everything(const Index& index) {
  std::string out;
  for (const std::string& name : index.names()) out += name + ",";
  out += index.facts();
  for (std::uint32_t group = 0; group <= index.top_group(); ++group)
    for (std::uint32_t level = 0; level <= index.top_level(); ++level)
      for (std::uint64_t tile = 0; tile < std::uint64_t{1} << (index.top_level() - level); ++tile) {
        const auto bytes = tile_bytes(index, {level, group, 0, tile});
        if (!bytes) return std::nullopt;
        out += *bytes;
      }
  for (std::size_t rank = 0; rank < index.ranks(); ++rank) {
    const auto all =
        index.calls_in(rank, index.from_ns(), index.to_ns() + 1, [&](std::size_t, const CallInterval& call) {
          out.append(reinterpret_cast<const char*>(&call.enter_ns), 4 * sizeof(std::int64_t));
          out += std::to_string(call.name);
          return true;
        });
    if (!all) return std::nullopt;
  }
  return out;
}

TEST(ViewKeptIndex, AFileGivesWhatMemoryGives) {
  const spool::TestDir dir;
  const auto index = index_of(random_trace(3), 16);
  ASSERT_TRUE(index->save(dir.path() / "view.index", made_from));
  const auto mapped = Index::open(dir.path() / "view.index", made_from);
  ASSERT_TRUE(mapped);
  EXPECT_EQ((*mapped)->stored_tiles(), index->stored_tiles());
  EXPECT_EQ(everything(**mapped), everything(*index));
  EXPECT_FALSE(Index::open(dir.path() / "view.index", made_from + 1));
}

TEST(ViewKeptIndex, IsTheSameWhateverTheThreads) {
  const spool::TestDir dir;
  const Trace trace = random_trace(5);
  ASSERT_TRUE(index_of(trace, 16, 1)->save(dir.path() / "one", made_from));
  ASSERT_TRUE(index_of(trace, 16, 4)->save(dir.path() / "four", made_from));
  EXPECT_EQ(content_of(dir.path() / "one"), content_of(dir.path() / "four"));
}

// Whatever becomes of the file, it is refused or gives what it gave.
TEST(ViewKeptIndex, DamageIsFoundAndNeverBelieved) {
  const spool::TestDir dir;
  const fs::path file = dir.path() / "view.index";
  const auto index = index_of(random_trace(7), 16);
  ASSERT_TRUE(index->save(file, made_from));
  const std::string whole = content_of(file);
  const std::string expected = everything(*index).value();
  std::mt19937 random(1);
  std::size_t refused = 0, late = 0;
  constexpr std::size_t attempts = 200;
  for (std::size_t attempt = 0; attempt < attempts; ++attempt) {
    std::string bytes = whole;
    if (attempt % 10 == 0) {
      bytes.resize(random() % bytes.size());
    } else {
      for (std::size_t changes = 1 + random() % 3; changes > 0; --changes)
        bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8);
    }
    spool::write_bytes(file, bytes);
    const auto opened = Index::open(file, made_from);
    if (!opened) {
      ++refused;
      continue;
    }
    const auto got = everything(**opened);
    if (got)
      EXPECT_EQ(*got, expected) << attempt;
    else
      ++late;
  }
  // Most bytes count; some lie between sections.
  EXPECT_GT(refused, attempts / 8);
  EXPECT_GT(late, attempts / 8);
  EXPECT_GT(refused + late, attempts * 3 / 4);
}

TEST(ViewKeptIndex, IsKeptBesideATraceOfOurs) {
  const spool::TestDir dir;
  std::optional<owned::Claim> recorded(owned::Claim::make(dir.path() / "run", trace_kind).value());
  const fs::path run = recorded->path();
  for (const auto& [name, content] : fuzz::small_archive()) {
    fs::create_directories((run / name).parent_path());
    spool::write_bytes(run / name, content);
  }
  const Trace trace = load_trace(run).value();
  EXPECT_EQ(kept_index(run, nullptr), nullptr);
  Diagnostics diagnostics;
  const auto splits = split_calls(trace, nullptr);
  EXPECT_FALSE(keeps_index(run / "traces.otf2"));  // it is still being written
  recorded.reset();
  ASSERT_TRUE(keeps_index(run / "traces.otf2"));
  const auto made = make_index(trace, splits, nullptr, "{}", diagnostics).value();
  EXPECT_TRUE(diagnostics.all().empty());
  EXPECT_TRUE(fs::exists(run / "view.index"));
  const auto kept = kept_index(run, nullptr);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(everything(*kept), everything(*made));
  EXPECT_EQ(kept->facts(), "{}");
  // Another archive under the same name: the index is stale.
  fs::last_write_time(run / "traces.otf2", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(kept_index(run, nullptr), nullptr);
  // What is in it is ours, to the last file.
  EXPECT_TRUE(owned::remove(run, trace_kind).value().whole);
}

TEST(ViewKeptIndex, NothingIsWrittenBesideOthersTraces) {
  const spool::TestDir dir;
  for (const auto& [name, content] : fuzz::small_archive()) {
    fs::create_directories((dir.path() / name).parent_path());
    spool::write_bytes(dir.path() / name, content);
  }
  const Trace trace = load_trace(dir.path()).value();
  Diagnostics diagnostics;
  const auto made = make_index(trace, split_calls(trace, nullptr), nullptr, "", diagnostics);
  ASSERT_TRUE(made);
  EXPECT_GT((*made)->calls(), 0u);
  EXPECT_FALSE(fs::exists(dir.path() / "view.index"));
}

}  // namespace
}  // namespace ww::view
