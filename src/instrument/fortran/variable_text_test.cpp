// Expectations are the rules of docs/instrument.md, worked out by hand.
#include "instrument/fortran/variable_text.hpp"

#include <gtest/gtest.h>

namespace ww::instrument {
namespace {

std::string matched(const std::string& watched, const std::string& assigned) {
  const auto found = match(as_variable(watched), as_variable(assigned));
  if (!found) return "no";
  std::string text = found->name;
  for (const auto& [subscript, wanted] : found->indices)
    text += " " + subscript + "==" + std::to_string(wanted);
  return text;
}

TEST(VariableText, ANameIsAllOfThatVariable) {
  EXPECT_EQ(matched("Residual", "RESIDUAL"), "residual");
  EXPECT_EQ(matched("a", "A(I, J+1)"), "a(i,j+1)");
  EXPECT_EQ(matched("grid", "grid%cell(k)%t"), "grid%cell(k)%t");
  EXPECT_EQ(matched("t", "grid%t"), "no");
  EXPECT_EQ(matched("a", "ab"), "no");
}

TEST(VariableText, AComponentIsThatOfAnyElement) {
  EXPECT_EQ(matched("grid%t", "grid%t"), "grid%t");
  EXPECT_EQ(matched("grid->t", "grid % t"), "grid%t");
  EXPECT_EQ(matched("grid%cell%t", "grid%cell(f(i,2))%t"), "grid%cell(f(i,2))%t");
  EXPECT_EQ(matched("grid%t", "grid%tt"), "no");
}

TEST(VariableText, AnElementByItsNumberIsComparedWhenTheProgramRuns) {
  EXPECT_EQ(matched("a(3)", "a(i)"), "a(3) i==3");
  EXPECT_EQ(matched("a(3,4)", "a(i,4)"), "a(3,4) i==3");
  EXPECT_EQ(matched("a(3)", "a(3)"), "a(3)");
  EXPECT_EQ(matched("a(3)", "a(4)"), "no");
  EXPECT_EQ(matched("a(3)", "a(i,j)"), "no");
  EXPECT_EQ(matched("a(i)", "a(i)"), "a(i)");
  EXPECT_EQ(matched("a(i)", "a(k)"), "no");
}

TEST(VariableText, WhatIsNoVariableHasNoParts) {
  EXPECT_TRUE(parts_of("a(1:2)(3:4)").empty());
  EXPECT_TRUE(parts_of("a(").empty());
  EXPECT_TRUE(parts_of("").empty());
  EXPECT_EQ(parts_of("a(1,f(2,3))%b").at(0).subscripts, (std::vector<std::string>{"1", "f(2,3)"}));
}

TEST(VariableText, WhatCallsAFunctionIsNotAskedForTwice) {
  const auto is_array = [](const std::string& name) { return name == "idx"; };
  EXPECT_TRUE(
      is_plain("a(idx(mod(i,4)))", [&](const std::string& name) { return name == "a" || is_array(name); }));
  EXPECT_FALSE(
      is_plain("a(next(i))", [&](const std::string& name) { return name == "a" || is_array(name); }));
}

}  // namespace
}  // namespace ww::instrument
