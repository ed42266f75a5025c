// Expectations are OpenMP's and GNU Fortran's rules for where a directive stands: directly in front of its statement, or among
// declarations.
#include "instrument/fortran_lines.hpp"

#include <gtest/gtest.h>

namespace ww::instrument {
namespace {

// The text in front of which a call goes that is to precede "do i".
std::string from_directives(const std::string& text, bool fixed_form = false) {
  const std::size_t line = text.rfind('\n', text.find("do i")) + 1;
  return text.substr(begin_with_directives(text, line, fixed_form));
}

TEST(FortranLines, DirectivesBelongToTheStatementBehindThem) {
  EXPECT_EQ(from_directives("integer i\n!$omp parallel do\ndo i = 1, 2\n"),
            "!$omp parallel do\ndo i = 1, 2\n");
  EXPECT_EQ(from_directives("integer i\n !GCC$ ivdep\ndo i = 1, 2\n"), " !GCC$ ivdep\ndo i = 1, 2\n");
  EXPECT_EQ(
      from_directives("      INTEGER I\nC$OMP PARALLEL DO\nC$OMP& PRIVATE(I)\n      do i = 1, 2\n", true),
      "C$OMP PARALLEL DO\nC$OMP& PRIVATE(I)\n      do i = 1, 2\n");
}

TEST(FortranLines, RemarksAndChoicesOfThePreprocessorMayStandBetween) {
  const std::string directives =
      "!$omp parallel do & ! why\n!$omp private(i)\n! remark\n\n#ifdef A\n!$omp& shared(a)\n#endif\n";
  EXPECT_EQ(from_directives("integer i\n! first\n" + directives + "do i = 1, 2\n"),
            directives + "do i = 1, 2\n");
  EXPECT_EQ(from_directives("integer i\n! only a remark\ndo i = 1, 2\n"), "do i = 1, 2\n");
  EXPECT_EQ(from_directives("!$omp parallel do\n#ifdef A\n x = 1\n#endif\ndo i = 1, 2\n"), "do i = 1, 2\n");
}

TEST(FortranLines, DirectivesOfDeclarationsBelongToNoStatement) {
  for (const char* words :
       {"!$omp threadprivate(t)", "!$OMP DECLARE SIMD", "!$acc routine seq", "!GCC$ ATTRIBUTES noinline :: f",
        "!$omp declare reduction(add: &\n!$omp real: f)"})
    EXPECT_EQ(from_directives(std::string(words) + "\ndo i = 1, 2\n"), "do i = 1, 2\n");
}

TEST(FortranLines, ConditionalCompilationIsNoDirective) {
  EXPECT_EQ(from_directives("!$ integer :: i\ndo i = 1, 2\n"), "do i = 1, 2\n");
  EXPECT_EQ(with_conditional_lines("!$ integer :: i\n !$\tx = 1 !$ y\n!$omp parallel\n!$x\na = '\n!$", false),
            "   integer :: i\n   \tx = 1 !$ y\n!$omp parallel\n!$x\na = '\n  ");
  EXPECT_EQ(with_conditional_lines("!$    LOGICAL L\nC$ 10 X = 1\n*$   &  + 2\nC$OMP DO\nc$abc\n", true),
            "      LOGICAL L\n   10 X = 1\n     &  + 2\nC$OMP DO\nc$abc\n");
}

TEST(FortranLines, TheEndOfAnAtomicFollowsItsStatement) {
  const std::string text = "! remark\n  !$omp end atomic\nx = 1\n";
  EXPECT_EQ(text.substr(behind_end_of_atomic(text, 0, false)), "x = 1\n");
  EXPECT_EQ(behind_end_of_atomic("! remark\nx = 1\n!$omp end atomic\n", 0, false), 0u);
  EXPECT_EQ(behind_end_of_atomic("!$omp end critical\n", 0, false), 0u);
}

TEST(FortranLines, AWorkshareReachesToItsEnd) {
  const std::string text = "x = 1\n!$omp parallel workshare\ny = 2\n!$omp end parallel workshare\nz = 3\n";
  const auto is_within = [&](const char* statement) {
    return is_in_workshare(text, text.find(statement), false);
  };
  EXPECT_FALSE(is_within("x ="));
  EXPECT_TRUE(is_within("y ="));
  EXPECT_FALSE(is_within("z ="));
}

}  // namespace
}  // namespace ww::instrument
