// The table of diagnostics: what readers of output and scripts rely on. Expected values are the rules that the
// table's own header states.
#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace ww {
namespace {

// What the compiler decides by: a name that is not there has no entry, and so no DiagnosticName.
constexpr bool known(const char* name) {
  return place_of_diagnostic(name) < diagnostics_count;
}
static_assert(known("unmatched-send"));
static_assert(!known("unmatched-sen") && !known("unmatched-sends") && !known(""));

TEST(Diagnostic, NamesAreUniqueAndKebabCase) {
  std::set<std::string> seen;
  for (const DiagnosticEntry& entry : diagnostics_table) {
    const std::string name = entry.name;
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << name;
    EXPECT_FALSE(name.starts_with("-") || name.ends_with("-")) << name;
  }
}

TEST(Diagnostic, TextsAreSentencesWithoutTheirStop) {
  for (const DiagnosticEntry& entry : diagnostics_table) {
    const std::string text = entry.text;
    EXPECT_GT(text.size(), std::size_t{20}) << entry.name;
    EXPECT_FALSE(text.ends_with(".") || text.ends_with(" ") || text.find("  ") != std::string::npos)
        << entry.name << ": " << text;
    EXPECT_EQ(text.find('{'), std::string::npos) << entry.name << " has a place for a figure: " << text;
  }
}

TEST(Diagnostic, CountsAddUpAndTheFirstReportIsKept) {
  Diagnostics said;
  said.add("unmatched-send", 2);
  said.add("unmatched-send", "of this case", 3);
  ASSERT_EQ(said.all().size(), 1u);
  EXPECT_EQ(said.all()[0].count, 5u);
  EXPECT_EQ(said.all()[0].remedy, find_diagnostic("unmatched-send")->text);
  EXPECT_EQ(said.all()[0].severity, Severity::warning);
  EXPECT_TRUE(said.has("unmatched-send"));
  EXPECT_FALSE(said.has("unmatched-receive"));
}

// A file may be of a version that knows other names; nothing of it is lost.
TEST(Diagnostic, NamesOfFilesAreKeptThoughUnknown) {
  const nlohmann::json json = {
      {{"name", "of-a-later-version"}, {"severity", "data loss"}, {"count", 7}, {"remedy", "update"}},
      {{"name", "polling"}, {"severity", "never heard of"}, {"count", 1}, {"remedy", "wait"}}};
  Diagnostics said;
  from_json(json, said);
  nlohmann::json back = said;
  EXPECT_EQ(back[0], json[0]);
  EXPECT_EQ(back[1]["severity"], "error");  // the worst, where it is not known
}

}  // namespace
}  // namespace ww
