#include "report/html.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "report/sample.hpp"

namespace ww {
namespace {

TEST(HtmlReport, IsOneFileThatRefersToNothingOutside) {
  const auto page = html_report(sample::report_data());
  ASSERT_TRUE(page) << to_string(page.error());
  EXPECT_EQ(page->rfind("<!doctype html>", 0), 0u);
  for (const char* outside : {"src=\"", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page->find(outside), std::string::npos) << outside;
  EXPECT_NE(page->find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, NothingInTheDataCanEndTheScriptElement) {
  const auto page = html_report(sample::report_data());
  ASSERT_TRUE(page);
  std::size_t ends = 0;
  for (std::size_t at = page->find("</script"); at != std::string::npos; at = page->find("</script", at + 1))
    ++ends;
  EXPECT_EQ(ends, 2u);  // that of the data and that of the program
  EXPECT_EQ(page->find("<img"), std::string::npos);
}

TEST(HtmlReport, TheDataComesBackFromThePage) {
  const nlohmann::json data = sample::report_data();
  const auto page = html_report(data);
  ASSERT_TRUE(page);
  const std::string begin = "id=\"data\">";
  const std::size_t from = page->find(begin) + begin.size();
  EXPECT_EQ(nlohmann::json::parse(page->substr(from, page->find("</script>", from) - from)), data);
}

TEST(HtmlReport, BytesThatAreNoTextDoNotStopIt) {
  nlohmann::json data = sample::report_data();
  data["studies"][0]["name"] = "caf\xe9\xff";
  EXPECT_TRUE(html_report(data));
}

TEST(HtmlReport, NamesTheKeyThatIsWrong) {
  const auto where = [](const char* pointer, const nlohmann::json& value) {
    nlohmann::json data = sample::report_data();
    data[nlohmann::json::json_pointer(pointer)] = value;
    const auto page = html_report(data);
    return page ? std::string("accepted") : page.error().where;
  };
  EXPECT_EQ(where("/studies", nullptr), "studies");
  EXPECT_EQ(where("/studies/1/name", 7), "studies[1].name");
  EXPECT_EQ(where("/studies/0/what_ifs/1/spec", nullptr), "studies[0].what_ifs[1].spec");
  EXPECT_EQ(where("/studies/0/what_ifs/0/real", 3.5), "studies[0].what_ifs[0].real");
  EXPECT_EQ(where("/studies/0/timeline/rows/2/enter", {1, "x"}), "studies[0].timeline.rows[2].enter[1]");
  EXPECT_EQ(where("/machine/links/0/points/3/median_s", "fast"), "machine.links[0].points[3].median_s");
  EXPECT_EQ(where("/studies/0/what_ifs/0/real", nullptr), "accepted");  // not run for real
}

// Damaged data gives a page or an error, never a crash: the same 300 seeded changes in every run.
TEST(HtmlReport, SurvivesDamagedData) {
  const nlohmann::json good = sample::report_data();
  const nlohmann::json flat = good.flatten();
  std::vector<std::string> pointers;
  for (const auto& [pointer, value] : flat.items()) pointers.push_back(pointer);
  const nlohmann::json values[] = {
      nullptr, -1, 1e300, "", "</script>", nlohmann::json::array(), nlohmann::json::object(), true};
  std::mt19937 random(20240601);
  int refused = 0;
  for (int i = 0; i < 300; ++i) {
    nlohmann::json data = good;
    std::string pointer = pointers[random() % pointers.size()];
    for (auto up = random() % 3; up > 0 && pointer.rfind('/') != 0; --up) pointer.erase(pointer.rfind('/'));
    data[nlohmann::json::json_pointer(pointer)] = values[random() % 8];
    const auto page = html_report(data);
    if (!page) {
      ++refused;
      EXPECT_FALSE(page.error().where.empty());
    }
  }
  EXPECT_GT(refused, 100);  // most keys have a type of which few of the values are
}

}  // namespace
}  // namespace ww
