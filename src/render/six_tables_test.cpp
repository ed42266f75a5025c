// S1's tables as they are printed there (Krumme, Greenfield 1988, Tables 1 to 3), from the preset that has them.
#include "render/six_tables.hpp"

#include <gtest/gtest.h>

#include "machine/presets.hpp"

namespace ww {
namespace {

bool has_row(const std::string& text, const std::string& row) {
  std::string squeezed;
  for (const char c : text)
    if (c != ' ' || squeezed.empty() || squeezed.back() != ' ') squeezed += c;
  return squeezed.find(row + "\n") != std::string::npos;
}

TEST(SixTables, ThoseOfTheNcubeAreThePrintedOnes) {
  const std::string text = *six_tables(*find_preset("ncube-seven"));
  for (const char* row :
       {"bytes 16 500 1000 1500 2000", "E 242 +- 1 864 +- 2 1506 +- 1 2149 +- 1 2792 +- 0",
        "A 122 +- 5 124 +- 4 111 +- 3 97.0 +- 18.0 126 +- 2",
        "F 193 +- 22 463 +- 5 767 +- 9 1071 +- 4 1377 +- 4", "F 160 0.6 24.0 173 0.5991 10.2"})
    EXPECT_TRUE(has_row(text, row)) << row << " is not in\n" << text;
  EXPECT_NE(text.find("in 5 of 30 cells: E at 16 bytes by 3.00 us"), std::string::npos) << text;
}

TEST(SixTables, AModelWithoutLinesIsRefusedAndOneWithoutTrialsSaysSo) {
  EXPECT_FALSE(six_tables(MachineModel{}));
  MachineModel model;
  model.six_lines["E"] = {2e-6, 1.5e-9, 1e-8, {{16, 2e-6}}};
  model.six_lines_idle["E"] = {1e-6, 1.5e-9, 1e-8, {{16, 1.5e-6}}};
  const auto text = six_tables(model);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("no trials"), std::string::npos) << *text;
  EXPECT_TRUE(has_row(*text, "E 2.00 0.0015 0.010")) << *text;
  EXPECT_NE(text->find("another by -0.500 us at 16 bytes"), std::string::npos) << *text;
}

}  // namespace
}  // namespace ww
