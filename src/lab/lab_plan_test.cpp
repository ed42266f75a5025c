#include "lab/lab_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace ww::lab {
namespace {

bool refused(double rate_bytes_per_s, double delay_s = 0) {
  const auto checked = check_wire({.rate_bytes_per_s = rate_bytes_per_s, .delay_s = delay_s});
  EXPECT_TRUE(checked || checked.error().usage);
  return !checked;
}

// 1 kb/s to 100 Gb/s and 0 ("no limit"), as `lab rate --help` says; a delay of up to ten seconds.
TEST(Wires, HaveBounds) {
  for (const double rate : {0.0, 125.0, 1.25e6, 12.5e9}) EXPECT_FALSE(refused(rate)) << rate;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double rate : {0.125, 124.9, 12.6e9, 1e300, infinity, -1.0, -infinity, std::nan("")})
    EXPECT_TRUE(refused(rate)) << rate;
  EXPECT_FALSE(refused(0, 10));
  for (const double delay : {10.1, 1e300, infinity, -1e-9, std::nan("")})
    EXPECT_TRUE(refused(0, delay)) << delay;
}

TEST(Wires, CardsHandOverOneToThreeFrames) {
  for (const int at_once : {1, 3}) EXPECT_TRUE(check_wire({.at_once = at_once})) << at_once;
  for (const int at_once : {-1, 0, 4}) EXPECT_FALSE(check_wire({.at_once = at_once})) << at_once;
  EXPECT_FALSE(check_wire({.rate_bytes_per_s = 1.25e6, .kind = WireKind::bus, .at_once = 3}));
  SwitchWire kept;
  nlohmann::json(SwitchWire{.at_once = 3}).get_to(kept);
  EXPECT_EQ(kept.at_once, 3);
}

// What lab.json and models of labs that knew nothing of it do not say: then cores slept as the machine had it.
TEST(Wires, SayWhatTheirHostsCoresDo) {
  for (const Cores cores : {Cores::awake, Cores::as_machine}) {
    nlohmann::json json = SwitchWire{.cores = cores};
    EXPECT_EQ(json.get<SwitchWire>().cores, cores);
    json.erase("cores");
    EXPECT_EQ(json.get<SwitchWire>().cores, Cores::as_machine);
  }
}

TEST(Wires, SayTheirBounds) {
  const auto said = to_string(check_wire({.rate_bytes_per_s = 0.125}).error());
  EXPECT_NE(said.find("1.00 kb/s to 100 Gb/s"), std::string::npos) << said;
}

}  // namespace
}  // namespace ww::lab
