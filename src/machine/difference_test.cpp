// Expected: quotients of two straight lines.
#include "machine/difference.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ww {
namespace {

Link link_of(Place between, double base_s, double seconds_per_byte, double to_bytes) {
  Segment segment;
  segment.to_bytes = to_bytes;
  segment.base_s = base_s;
  segment.seconds_per_byte = seconds_per_byte;
  Link link;
  link.between = between;
  link.one_way.segments = {segment};
  return link;
}

// 1 us and 1 ns a byte against 2 us and 4 ns: 1008 of 2032 ns at 8 bytes, 1016 of 2064 at 16, which the second
// knows nothing beyond.
TEST(Differences, AreOfTheSizesAndLinksThatBothKnow) {
  MachineModel a, b;
  a.links = {link_of(Place::intra, 1e-6, 0, 64), link_of(Place::inter, 1e-6, 1e-9, 64)};
  b.links = {link_of(Place::inter, 2e-6, 4e-9, 31)};
  const auto found = differences(a, b);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].between, Place::inter);
  ASSERT_EQ(found[0].sizes.size(), 2u);
  EXPECT_NEAR(found[0].sizes[0].relative, 1008.0 / 2032 - 1, 1e-12);
  EXPECT_NEAR(found[0].most, 1 - 1016.0 / 2064, 1e-12);
  EXPECT_NEAR(found[0].mean, 1 - (1008.0 / 2032 + 1016.0 / 2064) / 2, 1e-12);
  EXPECT_NEAR(to_json(found)[0]["sizes"][1]["a_s"].get<double>(), 1016e-9, 1e-18);
  EXPECT_TRUE(differences(b, MachineModel()).empty());
}

}  // namespace
}  // namespace ww
