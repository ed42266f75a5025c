#include "lab/name.hpp"

#include <gtest/gtest.h>

namespace ww::lab {
namespace {

// What the documentation promises: letters, digits and dashes, 20 at most.
TEST(LabNames, AreLettersDigitsAndDashes) {
  for (const char* good : {"default", "a", "A-1", "7", "12345678901234567890"}) {
    const auto name = LabName::parse(good);
    ASSERT_TRUE(name) << good;
    EXPECT_EQ(name->text(), good);
  }
  EXPECT_EQ(LabName().text(), "default");
}

// Each of these, joined to the directory of labs, would be another directory, an option, or no host's name.
TEST(LabNames, NothingElseIsOne) {
  using namespace std::string_literals;
  for (const std::string& bad :
       {""s, "."s, ".."s, "../x"s, "/tmp/victim"s, "a/b"s, "a/"s, "-a"s, "a.b"s, "a b"s, "a\nb"s, "a\0b"s,
        "\x1b[2J"s, "\xc3\xa4"s, "a_b"s, ".lock"s, "123456789012345678901"s, std::string(5000, 'a')}) {
    const auto name = LabName::parse(bad);
    ASSERT_FALSE(name) << bad;
    EXPECT_TRUE(name.error().usage);
    for (const char c : to_string(name.error())) EXPECT_TRUE(c >= ' ' && c <= '~') << "for a terminal";
    EXPECT_LT(to_string(name.error()).size(), 300u);
  }
}

}  // namespace
}  // namespace ww::lab
