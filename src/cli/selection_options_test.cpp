// Random words for the options that name a part of a trace: each is read, or refused as wrong usage with a remedy
// (the interface page: an error says what, where and what to do).
#include "cli/selection_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace ww {
namespace {

TEST(SelectionOptions, AnyWordsAreReadOrRefusedWithARemedy) {
  constexpr std::string_view letters = "0123456789,,--..  smunxeMPI_Recvp2\t\x1b\xff";
  std::size_t rounds = 20000;
  if (const char* asked = std::getenv("WW_FUZZ_ROUNDS")) rounds = std::strtoul(asked, nullptr, 10);
  std::mt19937 random(1);
  std::size_t read = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    cli::SelectionOptions options;
    std::optional<std::string>* const all[] = {&options.from,  &options.to,    &options.ranks,
                                               &options.calls, &options.peers, &options.threads};
    std::string& word = all[random() % 6]->emplace();
    for (std::size_t length = random() % 8; word.size() < length;) word += letters[random() % letters.size()];
    const auto selection = cli::selection_of(options);
    if (selection) {
      ++read;
      EXPECT_TRUE(selection->any()) << "'" << word << "' restricts something";
      for (const auto& [first, last] : selection->ranks) EXPECT_LE(first, last);
      continue;
    }
    EXPECT_TRUE(selection.error().usage) << word;
    EXPECT_FALSE(selection.error().remedy.empty()) << word;
    EXPECT_TRUE(selection.error().where.starts_with("--")) << word;
  }
  EXPECT_GT(read, rounds / 50);
  EXPECT_LT(read, rounds);
}

TEST(SelectionOptions, TakeTheUnitsOfOtherTimes) {
  cli::SelectionOptions options;
  options.from = "1.5";
  options.to = "2500ms";
  options.ranks = "0-3,7";
  options.calls = "MPI_Send,collective";
  const auto selection = cli::selection_of(options);
  ASSERT_TRUE(selection);
  EXPECT_EQ(describe(*selection), "1.5 s to 2.5 s, ranks 0-3,7, calls MPI_Send,collective");
}

}  // namespace
}  // namespace ww
