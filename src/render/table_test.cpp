// Expected texts follow from the rule in table.hpp: of what is left beside the mark three fifths are of the begin.
#include "render/table.hpp"

#include <gtest/gtest.h>

#include "trace/encoding.hpp"

namespace ww {
namespace {

TEST(Table, NamesThatAreTooLongLoseTheirMiddle) {
  EXPECT_EQ(shortened("0123456789", 10), "0123456789");
  EXPECT_EQ(shortened("0123456789a", 10), "01234~789a");
  const std::string one = "npiv@dmumps_fac_front_aux_m::dmumps_fac_h",
                    other = "npiv@dmumps_fac_front_aux_m::dmumps_fac_n";
  EXPECT_NE(shortened(one, 28), shortened(other, 28));
  EXPECT_EQ(shortened(one, 28).size(), 28u);
}

// What has two bytes a character is cut between characters.
TEST(Table, CharactersStayWhole) {
  std::string name;
  for (int i = 0; i < 20; ++i) name += "\u00e9";
  for (std::size_t most = 4; most < 40; ++most) {
    const std::string cut = shortened(name, most);
    EXPECT_TRUE(is_utf8(cut)) << most;
    EXPECT_LE(cut.size(), most);
  }
}

}  // namespace
}  // namespace ww
