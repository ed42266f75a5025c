// Expectations: the rule as docs/instrument.md has it.
#include "base/function_pattern.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

TEST(FunctionPatterns, IncludeAndExclude) {
  EXPECT_TRUE(is_function_wanted("*", "solve"));
  EXPECT_TRUE(is_function_wanted("solve*,halo", "solve_all"));
  EXPECT_FALSE(is_function_wanted("solve*,halo", "resolve"));
  EXPECT_TRUE(is_function_wanted("Grid::*", "Grid::step"));
  EXPECT_TRUE(is_function_wanted("step", "Grid::step"));
  EXPECT_FALSE(is_function_wanted("*,!std::*", "std::fill"));
  EXPECT_FALSE(is_function_wanted("!std::*,*", "std::fill")) << "whatever their order";
  EXPECT_TRUE(is_function_wanted("!std::*", "solve")) << "all but those";
  EXPECT_TRUE(is_function_wanted("solve", "solve_")) << "Fortran's";
  EXPECT_TRUE(is_function_wanted("operator\\[]", "std::vector::operator[]"));
  EXPECT_FALSE(is_function_wanted("a,,b,", "c"));
}

}  // namespace
}  // namespace ww
