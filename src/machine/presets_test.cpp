#include "machine/presets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace ww {
namespace {

const Link& between_hosts(const char* name) {
  static std::vector<MachineModel> kept;
  kept.reserve(100);
  kept.push_back(*find_preset(name));
  return *kept.back().link(Place::inter);
}

// Bytes a second of the message's growth from 2 to 4 MiB.
double bulk_rate(const Link& link) {
  return 2097152 / (link.one_way.at(4194304) - link.one_way.at(2097152));
}

TEST(Presets, AreValidModelsOfTheirNameWithASource) {
  std::set<std::string> names;
  for (const Preset* preset : presets()) {
    const MachineModel model = preset->make();
    EXPECT_EQ(model.name, preset->name);
    EXPECT_TRUE(names.insert(preset->name).second) << preset->name;
    EXPECT_GT(std::string(preset->source).size(), 5u) << preset->name;
    const auto again = model_from_json(to_json(model));
    ASSERT_TRUE(again) << preset->name << ": " << to_string(again.error());
    EXPECT_EQ(to_json(*again), to_json(model)) << preset->name;
  }
}

// Whatever a what-if takes off for the wire must be in the time: no message is on the wire for longer than it
// takes.
TEST(Presets, NoWireIsSlowerThanTheMessages) {
  for (const Preset* preset : presets()) {
    const MachineModel model = preset->make();
    for (const Link& link : model.links) {
      if (!link.wire) continue;
      const double last = link.one_way.segments.back().to_bytes;
      for (double bytes = 1; bytes <= last; bytes = std::ceil(bytes * 1.1))
        EXPECT_LE(link.wire->serialisation_s(bytes, link.rendezvous(bytes)), link.one_way.at(bytes) * 1.001)
            << preset->name << " at " << bytes;
    }
  }
}

// The lines against the tables they are made of, and what the models say of that themselves.
TEST(Presets, LinesKeepToThePublishedPoints) {
  const struct {
    const char* name;
    double mean, max;
  } bounds[] = {{"ethernet-1", 0.02, 0.05},   {"ethernet-10", 0.03, 0.08},    {"ethernet-25", 0.02, 0.08},
                {"ethernet-100", 0.02, 0.06}, {"infiniband-hdr", 0.02, 0.06}, {"slingshot-11", 0.01, 0.03}};
  for (const auto& bound : bounds) {
    const Link& link = between_hosts(bound.name);
    ASSERT_GE(link.points.size(), 16u) << bound.name;
    std::vector<double> off;
    for (const MeasuredSize& point : link.points)
      off.push_back(std::fabs(link.one_way.at(point.bytes) / point.median_s - 1));
    std::sort(off.begin(), off.end());
    // the two points of ethernet-10 that its flags name are half as slow again, and not fitted
    const std::size_t believed = off.size() - (std::string(bound.name) == "ethernet-10" ? 2 : 0);
    double sum = 0;
    for (std::size_t i = 0; i < believed; ++i) sum += off[i];
    EXPECT_LT(sum / static_cast<double>(believed), bound.mean) << bound.name;
    EXPECT_LT(off[believed - 1], bound.max) << bound.name;
    EXPECT_LE(link.pingpong_fit_error.max, off[believed - 1] + 1e-9) << bound.name;
    EXPECT_GT(link.pingpong_fit_error.mean, 0) << bound.name;
    EXPECT_LE(link.latency_ci_s.low, link.latency_s * 1.02) << bound.name;
    EXPECT_GE(link.latency_ci_s.high, link.latency_s * 0.98) << bound.name;
  }
}

// What the sources quote: time of a byte, and the rate of large messages (osu_bw or its like), in MB/s. A
// ping-pong's rate is that of its slope; osu_bw keeps several messages in flight, so it may be above it by
// the handshake.
TEST(Presets, LatencyAndRateAreThoseQuoted) {
  const struct {
    const char* name;
    double latency_low_us, latency_high_us, rate_low_mb_s, rate_high_mb_s;
  } quoted[] = {{"ethernet-1", 24.59, 25.42 * 1.02, 116.19 * 0.999, 116.19 * 1.001},
                {"ethernet-10", 37.0, 38.5, 5362.61 / 8, 9390. / 8},
                {"ethernet-25", 28.5, 29.6, 14600. / 8, 25300. / 8},
                {"ethernet-100", 19.0, 19.4, 5939.50 * 0.95, 12500 * 1448. / 1538},
                {"infiniband-hdr", 1.59, 1.71, 24308.22 * 0.97, 25000 * 4096. / 4122},
                {"slingshot-11", 3.1, 3.25, 23979.28 * 0.97, 25000},
                // derived: held against what is published of their class
                {"ethernet-400", 0, 28.9, 5939.50, 15400},
                {"infiniband-ndr", 0, 2, 50000 * 0.9, 50000 * 4096. / 4122}};
  for (const auto& row : quoted) {
    const Link& link = between_hosts(row.name);
    EXPECT_GE(link.one_way.at(1), row.latency_low_us * 1e-6) << row.name;
    EXPECT_LE(link.one_way.at(1), row.latency_high_us * 1e-6) << row.name;
    EXPECT_GE(bulk_rate(link), row.rate_low_mb_s * 1e6) << row.name;
    EXPECT_LE(bulk_rate(link), row.rate_high_mb_s * 1e6) << row.name;
  }
}

// CSCS's regression test of Slingshot 11 asks for at most 180 us and 15% at 4 MiB; the second table of HDR
// (Netto) has 177.71 us.
TEST(Presets, LargeMessagesAgreeWithASecondSource) {
  EXPECT_NEAR(between_hosts("slingshot-11").one_way.at(4194304), 180e-6, 0.15 * 180e-6);
  EXPECT_NEAR(between_hosts("infiniband-hdr").one_way.at(4194304), 177.71e-6, 0.02 * 177.71e-6);
}

// By hand from the tables: 100 Gb/s, from 20.87 us at 1 KiB to 39.07 at 2 KiB, and from 44.72 at 32 KiB
// to 96.54 at 64 KiB. A byte of 1 KiB costs 20.4 ns; at 2 KiB it costs 19.1, so the sizes to avoid end in
// between.
TEST(Presets, JumpsAreWhereTheTablesJump) {
  const Link& link = between_hosts("ethernet-100");
  ASSERT_EQ(link.switches.size(), 2u);
  EXPECT_EQ(link.switches[0].bytes, 1024);
  EXPECT_EQ(link.switches[0].high_bytes, 2048);
  EXPECT_NEAR(link.switches[0].jump_s, 18e-6, 1e-6);
  EXPECT_GT(link.switches[0].avoid_up_to_bytes, 1024 * 38. / 20.87);
  EXPECT_LT(link.switches[0].avoid_up_to_bytes, 2048);
  EXPECT_EQ(link.switches[1].bytes, 32768);
  EXPECT_NEAR(link.switches[1].jump_s, 50e-6, 6e-6);
  EXPECT_GT(link.switches[1].avoid_up_to_bytes,
            65536);  // 96.54 of 65536 bytes is more a byte than 44.72 of 32768
  EXPECT_LT(link.switches[1].avoid_up_to_bytes, 131072);
}

// Half a round trip of SimGrid's calibration of taurus is 23.0 us; its send and receive are 3.80 and 3.52 of
// them.
TEST(Presets, SoftwareOfTenGigabitsIsThatOfItsSource) {
  const MachineModel model = *find_preset("ethernet-10");
  EXPECT_NEAR(model.costs.F.at(0), 3.799e-6, 1e-9);
  EXPECT_NEAR(model.costs.U.at(0), 3.518e-6, 1e-9);
  EXPECT_NEAR(model.costs.F.at(65536), 6.012e-6 + 7.101e-11 * 65536, 1e-9);
  EXPECT_LT(model.costs.F.at(1) + model.costs.U.at(1), model.links[0].latency_s);
}

}  // namespace
}  // namespace ww
