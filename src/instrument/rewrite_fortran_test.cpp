// Expectations are the rules of Fortran's two forms: columns 7 to 72, continuations, labels; and that every line of the source keeps
// its number by the marker in front of it.
#include "instrument/rewrite_fortran.hpp"

#include <gtest/gtest.h>

namespace ww::instrument {
namespace {

using Kind = CallSite::Kind;

struct Example {
  std::string text;
  FileSites sites;

  explicit Example(std::string of, bool fixed_form = false) : text(std::move(of)) {
    sites.path = "/s.f";
    sites.fixed_form = fixed_form;
  }
  // `statement`: its text; `condition`: what of a logical IF ends with its parenthesis.
  Example& add(Kind kind, const std::string& name, const std::string& statement,
               const std::string& condition = "") {
    CallSite site;
    site.kind = kind;
    site.begin = text.find(statement);
    site.end = site.begin + statement.size();
    if (!condition.empty()) site.condition_end = text.find(condition) + condition.size();
    if (kind == Kind::assigned) {
      site.which = sites.watches.size();
      site.routine = "wwvaluereal";
      site.value = "dble(x)";
      sites.watches.emplace_back();
      sites.watches.back().name = name;
    } else {
      site.which = sites.functions.size();
      sites.functions.push_back({0, 1, name, false});
    }
    sites.calls.push_back(site);
    return *this;
  }
  std::string copy() const { return rewritten_fortran(text, sites, "/s.f"); }
};

TEST(RewriteFortran, ARegionBeginsInFrontOfLabelsAndDirectives) {
  EXPECT_EQ(Example("integer i\n!$omp parallel do\n10 do i = 1, 2\n").add(Kind::entered, "s", "do i").copy(),
            "# 1 \"/s.f\"\ninteger i\n      call wwregionbegin('s')\n# 2 \"/s.f\"\n!$omp parallel do\n10 do "
            "i = 1, 2\n");
}

TEST(RewriteFortran, ARegionEndsBehindTheLabelOfItsWayOut) {
  EXPECT_EQ(Example("   99 RETURN\n", true).add(Kind::left, "s", "RETURN").copy(),
            "# 1 \"/s.f\"\n   99 call wwregionend('s')\n# 1 \"/s.f\"\n      RETURN\n");
}

TEST(RewriteFortran, ALogicalIfBecomesABlock) {
  EXPECT_EQ(Example("if (a) return ! why\nx = 1\n").add(Kind::left, "s", "return", "(a)").copy(),
            "# 1 \"/s.f\"\nif (a) then\n      call wwregionend('s')\n# 1 \"/s.f\"\n       return\n      end "
            "if\n# 2 \"/s.f\"\nx = 1\n");
}

TEST(RewriteFortran, ALabelThatEndsALoopGoesBehindTheCall) {
  Example loop("      DO 10 I = 1, 9\n   10 X = I\n", true);
  loop.add(Kind::assigned, "x", "X = I");
  loop.sites.calls[0].label_begin = loop.text.find("10 X");
  loop.sites.calls[0].label_end = loop.sites.calls[0].label_begin + 2;
  EXPECT_EQ(loop.copy(),
            "# 1 \"/s.f\"\n      DO 10 I = 1, 9\n      X = I\n      call wwvaluereal('x', dble(x))\n   10 "
            "continue\n# 3 \"/s.f\"\n");
}

TEST(RewriteFortran, WhatStandsBehindASemicolonStaysBehindTheCall) {
  EXPECT_EQ(Example("x = 1; y = 2\nz = 3").add(Kind::assigned, "x", "x = 1").copy(),
            "# 1 \"/s.f\"\nx = 1\n      call wwvaluereal('x', dble(x))\n# 1 \"/s.f\"\n      y = 2\nz = 3");
  EXPECT_EQ(Example("x = 1 ; ! only a remark\n").add(Kind::assigned, "x", "x = 1").copy(),
            "# 1 \"/s.f\"\nx = 1 ; ! only a remark\n      call wwvaluereal('x', dble(x))\n# 2 \"/s.f\"\n");
}

TEST(RewriteFortran, ACallBehindAnAtomicGoesBehindItsEnd) {
  EXPECT_EQ(
      Example("!$omp atomic\nx = 1\n!$omp end atomic\ny = 2\n").add(Kind::assigned, "x", "x = 1").copy(),
      "# 1 \"/s.f\"\n!$omp atomic\nx = 1\n!$omp end atomic\n      call wwvaluereal('x', dble(x))\n# 4 "
      "\"/s.f\"\ny = 2\n");
}

TEST(RewriteFortran, LinesAreNotLongerThanTheirForm) {
  const std::string name(100, 'n');
  for (const bool fixed_form : {true, false}) {
    const std::string copy = Example("      X = 1\n", fixed_form).add(Kind::assigned, name, "X = 1").copy();
    std::string joined;
    for (std::size_t at = 0; at < copy.size();) {
      const std::size_t end = copy.find('\n', at);
      const std::string line = copy.substr(at, end - at);
      EXPECT_LE(line.size(), fixed_form ? 72u : 132u) << line;
      const bool continues = fixed_form ? line.starts_with("     &") : line.starts_with("&");
      if (!joined.empty() && !fixed_form && joined.back() == '&') joined.pop_back();
      joined += continues ? line.substr(fixed_form ? 6 : 1) : line;
      at = end + 1;
    }
    EXPECT_NE(joined.find("call wwvaluereal('" + name + "', dble(x))"), std::string::npos) << joined;
  }
}

TEST(RewriteFortran, ANameWithAnApostropheIsAText) {
  EXPECT_NE(Example("x = 1\n").add(Kind::assigned, "a('b')", "x = 1").copy().find("'a(''b'')'"),
            std::string::npos);
}

TEST(RewriteFortran, LineEndsAndMarksOfOtherSystemsGo) {
  EXPECT_EQ(read_as_fortran("\xef\xbb\xbfx = 1\r\ny = '\r'"), "x = 1\ny = '\r'\n");
}

}  // namespace
}  // namespace ww::instrument
