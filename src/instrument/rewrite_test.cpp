// What is put into a copy: expected texts are written by hand from what whatwire/instrumented.h takes.
#include "instrument/rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ww::instrument {
namespace {

std::string body_of(const std::string& text, const FileSites& sites) {
  const std::string copy =
      rewritten(text, sites, {"../i.h", "/a/x.c", [](const std::string& target) { return target; }});
  const std::string head = "#include \"../i.h\"\n#line 1 \"/a/x.c\"\n";
  EXPECT_TRUE(copy.starts_with(head)) << copy;
  EXPECT_EQ(std::count(copy.begin(), copy.end(), '\n'), std::count(text.begin(), text.end(), '\n') + 2);
  return copy.substr(head.size());
}

WatchSite site(const std::string& text, const std::string& part, WatchSite::Form form,
               const std::string& kind, const std::string& name) {
  WatchSite out;
  out.begin = text.find(part);
  out.end = out.begin + part.size();
  out.form = form;
  out.kind = kind;
  out.name = name;
  return out;
}

TEST(Rewrite, ARegionBeginsBehindTheBrace) {
  const std::string text = "int f(void)\n{\n  return 1;\n}\n";
  FileSites sites{"/a/x.c", {{text.find('{') + 1, 2, "f", false}}, {}, {}};
  EXPECT_EQ(body_of(text, sites), "int f(void)\n{ WW_FUNCTION(ww_region_2, \"f\");\n  return 1;\n}\n");
}

TEST(Rewrite, AssignmentsWithinOneAnother) {
  const std::string text = "x = y = 3;";
  FileSites sites;
  sites.watches = {site(text, "y = 3", WatchSite::Form::assigned, "int", "y"),
                   site(text, "x = y = 3", WatchSite::Form::assigned, "double", "x")};
  EXPECT_EQ(body_of(text, sites), "ww_assigned_double(\"x\", (x = ww_assigned_int(\"y\", (y = 3))));");
}

TEST(Rewrite, StepsAndInitialisers) {
  const std::string text = "for (int i = 0; i < 3; i++, --j) {}";
  FileSites sites;
  sites.watches = {site(text, "0", WatchSite::Form::stored, "int", "i"),
                   site(text, "i++", WatchSite::Form::stepped_up, "int", "i"),
                   site(text, "--j", WatchSite::Form::assigned, "long", "j")};
  EXPECT_EQ(body_of(text, sites),
            "for (int i = ww_stored_int(\"i\", (0)); i < 3; ww_stepped_int(\"i\", 1, (i++)), "
            "ww_assigned_long(\"j\", (--j))) {}");
}

TEST(Rewrite, OneElementIsComparedByItsIndex) {
  const std::string text = "void f(void) {a[i] = 2;}";
  FileSites sites;
  sites.functions = {{text.find('{') + 1, 1, "f", false}};
  WatchSite element = site(text, "a[i] = 2", WatchSite::Form::assigned, "double", "a[3]");
  element.indices = {{text.find("[i") + 1, text.find("[i") + 2, 3}};
  element.body = text.find('{') + 1;
  const std::string at = std::to_string(element.begin);
  sites.watches = {element};
  EXPECT_EQ(body_of(text, sites), "void f(void) { WW_FUNCTION(ww_region_1, \"f\"); unsigned ww_found_" + at +
                                      " = 0;ww_assigned_element_double(&ww_found_" + at +
                                      ", 1u, \"a[3]\", (a[ww_index(&ww_found_" + at +
                                      ", 1u, 3, (i))] = 2));}");
}

TEST(Rewrite, IncludesNamesAndByteOrderMarks) {
  const std::string text = "\xef\xbb\xbf#include \"y.h\"\nint x;\n";
  FileSites sites;
  sites.includes = {{text.find("\"y.h\""), text.find("\"y.h\"") + 5, "/a/y.h"}};
  EXPECT_EQ(body_of(text, sites), "#include \"/a/y.h\"\nint x;\n");
}

TEST(Rewrite, NamesAreToldApartWhereTwoHaveTheSame) {
  WatchSite one, two, three;
  one.name = two.name = "residual";
  three.name = "step";
  one.variable = "a";
  two.variable = "b";
  three.variable = "c";
  one.function = three.function = "solve";
  two.function = "check";
  std::vector<FileSites> files{{"/a/x.c", {{1, 1, "show", true}, {2, 2, "main", false}}, {one, three}, {}},
                               {"/a/y.c", {{1, 1, "show", true}}, {two}, {}}};
  tell_apart(files);
  EXPECT_EQ(files[0].watches[0].name, "residual@solve");
  EXPECT_EQ(files[1].watches[0].name, "residual@check");
  EXPECT_EQ(files[0].watches[1].name, "step");
  EXPECT_EQ(files[0].functions[0].name, "show (x.c)");
  EXPECT_EQ(files[1].functions[0].name, "show (y.c)");
  EXPECT_EQ(files[0].functions[1].name, "main");
}

TEST(Sites, PatternsChooseByWholeAndShortNames) {
  EXPECT_TRUE(chosen_by({"solve*"}, "nas::solve_all"));
  EXPECT_TRUE(chosen_by({"nas::*"}, "nas::finish"));
  EXPECT_FALSE(chosen_by({"solve*", "!*_inner"}, "solve_inner"));
  EXPECT_FALSE(chosen_by({"!*_inner", "solve*"}, "solve_inner"));
  EXPECT_TRUE(chosen_by({"!*_inner"}, "solve"));
  EXPECT_FALSE(chosen_by({"solve"}, "solver"));
  EXPECT_FALSE(chosen_by({}, "solve"));
}

TEST(Sites, RequestAndAnswerSurviveTheWay) {
  FinderRequest request{{{"/a/x.c", "/a", {"-I", "b c"}}}, {"/a/x.c"}, {"*"}, {{"x", "f"}}};
  const auto again = read_request(nlohmann::json(request).dump());
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(nlohmann::json(*again), nlohmann::json(request));
  Found found;
  found.files = {{"/a/x.c", {{1, 2, "f", true}}, {WatchSite{}}, {{1, 2, "/a/y.h"}}}};
  found.notes = {{"/a/x.c", 3, "left out"}};
  found.matched = {0};
  const auto answer = read_found(nlohmann::json(found).dump());
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(nlohmann::json(*answer), nlohmann::json(found));
  EXPECT_FALSE(read_found("{}"));
  EXPECT_FALSE(read_request("no"));
}

}  // namespace
}  // namespace ww::instrument
