#include "base/text.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

// Control sequences: ECMA-48 (C0 and C1 sets); directions: Unicode's bidirectional algorithm, table 2.
TEST(Printable, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(printable("plain \u00fcmlaut \u2192 \U0001f600"), "plain \u00fcmlaut \u2192 \U0001f600");
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");  // CSI of the C1 set
  EXPECT_EQ(printable("\u202etxt.exe\u2066"), "\\u202etxt.exe\\u2066");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable_lines("a\nb\x1b"), "a\nb\\x1b");
}

// RFC 3629: longer forms, surrogates, what is cut off and what is too large are no UTF-8.
TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("a\xc3"), "a\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, IsValidForAnyBytes) {
  for (int first = 0; first < 256; ++first)
    for (int second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second)};
      EXPECT_NO_THROW((void)nlohmann::json(printable(text)).dump());
      EXPECT_EQ(printable(text).find_first_of("\x1b\n\r\b"), std::string::npos);
      EXPECT_NO_THROW((void)json_text(text));
    }
}

TEST(Printable, ReachesAllTextsOfJson) {
  nlohmann::json json = {{"a\x1b", {"b\n", 3, nullptr, {{"c", "d\x07"}}}}};
  make_printable(json);
  EXPECT_EQ(json, (nlohmann::json{{"a\\x1b", {"b\n", 3, nullptr, {{"c", "d\\x07"}}}}}));
}

// RFC 4180, 2.5 to 2.7; formulas: OWASP, "CSV injection".
TEST(CsvField, QuotesAndDefuses) {
  EXPECT_EQ(csv_field("MPI_Send"), "MPI_Send");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a \"b\""), "\"a \"\"b\"\"\"");
  EXPECT_EQ(csv_field("=1+2"), "'=1+2");
  EXPECT_EQ(csv_field("+a"), "'+a");
  EXPECT_EQ(csv_field("-a"), "'-a");
  EXPECT_EQ(csv_field("@SUM(A1,B1)"), "\"'@SUM(A1,B1)\"");
  EXPECT_EQ(csv_field("\tx"), "'\tx");
  EXPECT_EQ(csv_field("\rx"), "\"'\rx\"");
  EXPECT_EQ(csv_field(""), "");
}

TEST(CsvNumber, IsOneOrNothing) {
  EXPECT_EQ(csv_number(1.5e-6), "1.5e-06");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_number(-std::numeric_limits<double>::infinity()), "");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::quiet_NaN()), "");
}

TEST(Lists, AreWordsBetweenBlanksAndLineEnds) {
  EXPECT_EQ(split_words(" a  bc\nd "), (std::vector<std::string_view>{"a", "bc", "d"}));
  EXPECT_TRUE(split_words(" \n").empty());
  EXPECT_TRUE(lists("-x --long", "--long"));
  EXPECT_FALSE(lists("-x --longer", "--long"));
}

}  // namespace
}  // namespace ww
