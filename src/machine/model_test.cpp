#include "machine/model.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/presets.hpp"
#include "machine/what_if.hpp"

namespace ww {
namespace {

Wire by_hand() {
  Wire wire;
  wire.seconds_per_byte = 1e-6;
  wire.stages = 2;
  wire.frame_payload_bytes = 1000;
  wire.frame_overhead_bytes = 100;
  wire.message_overhead_bytes = 50;
  wire.handshake_frames = 2;
  wire.handshake_frame_bytes = 80;
  return wire;
}

// Expected values worked out by hand from the definition in model.hpp.
TEST(Wire, OneFramePassesAllStages) {
  EXPECT_DOUBLE_EQ(by_hand().wire_bytes(100), 250);
  EXPECT_NEAR(by_hand().serialisation_s(100, false), 500e-6, 1e-12);
  EXPECT_NEAR(by_hand().serialisation_s(950, false), 2200e-6, 1e-12);
  EXPECT_NEAR(by_hand().port_busy_s(100), 250e-6, 1e-12);
}

TEST(Wire, FurtherFramesOverlapWithTheStages) {
  // 951 + 50 bytes need two frames: 1201 bytes on the wire, and one full frame of 1100 for the second stage
  EXPECT_DOUBLE_EQ(by_hand().frames(951), 2);
  EXPECT_NEAR(by_hand().serialisation_s(951, false), 2301e-6, 1e-12);
}

TEST(Wire, RendezvousAddsItsHandshakeThroughAllStages) {
  EXPECT_NEAR(by_hand().serialisation_s(951, true) - by_hand().serialisation_s(951, false), 320e-6, 1e-12);
}

TEST(Wire, AReplyQueuesBehindTheAcknowledgementOfSeveralFrames) {
  Wire wire = by_hand();
  wire.acknowledgement_frame_bytes = 90;
  EXPECT_NEAR(wire.serialisation_s(951, false) - by_hand().serialisation_s(951, false), 90e-6, 1e-12);
  EXPECT_DOUBLE_EQ(wire.serialisation_s(950, false), by_hand().serialisation_s(950, false));
}

TEST(Wire, AnEmptyMessageTakesOneFrame) {
  EXPECT_DOUBLE_EQ(by_hand().wire_bytes(0), 150);
}

TEST(Curve, ValuesAtBreaksAndBeyond) {
  Curve curve;
  EXPECT_EQ(curve.at(10), 0);
  curve.segments = {{0, 100, 1, 0.01, {}, {}}, {100, 1000, 5, 0.02, {}, {}}};
  EXPECT_DOUBLE_EQ(curve.at(100), 2);  // a break belongs to the segment below it
  EXPECT_DOUBLE_EQ(curve.at(101), 7.02);
  EXPECT_DOUBLE_EQ(curve.at(2000), 45);
}

TEST(Presets, LogGopsDefaultIsTheFormulaOfThePaper) {
  // HPDC'10, section 2: o + L + (n - 1) G + o, and a port busy for g + (n - 1) G
  const auto model = find_preset("loggops-default");
  ASSERT_TRUE(model);
  const Link* link = model->link(Place::inter);
  ASSERT_NE(link, nullptr);
  EXPECT_NEAR(link->one_way.at(1), 5.5e-6, 1e-15);
  EXPECT_NEAR(link->one_way.at(1001), 11.5e-6, 1e-15);
  EXPECT_NEAR(link->wire->port_busy_s(1), 1e-6, 1e-15);
  EXPECT_NEAR(link->wire->port_busy_s(1001), 7e-6, 1e-15);
  EXPECT_EQ(link->rendezvous(65535), false);
  EXPECT_EQ(link->rendezvous(65536), true);
  EXPECT_EQ(find_preset("loggops"), std::nullopt);
}

// S1, Table 1: means and deviations of five trials, in us, beside the lines of its Table 3. The lines miss 8
// of the 30 cells by more than twice the printed deviation: there the document contradicts itself.
TEST(Presets, TheLinesOfTheNcubeAreThoseOfItsTable) {
  struct Cell {
    double mean_us, deviation_us;
    bool contradicted = false;
  };
  const double sizes[] = {16, 500, 1000, 1500, 2000};
  const auto model = *find_preset("ncube-seven");
  const Costs& c = model.costs;
  const struct {
    const Curve& curve;
    Cell cells[5];
  } rows[] = {{c.E, {{242, 1}, {864, 2}, {1506, 1}, {2149, 1}, {2792, 0, true}}},
              {c.R, {{178, 3}, {200, 2}, {219, 2}, {249, 1, true}, {261, 2}}},
              {c.S, {{152, 3}, {157, 2}, {167, 2, true}, {167, 2}, {175, 2, true}}},
              {c.F, {{169, 3}, {465, 3}, {762, 3}, {1036, 18}, {1372, 3, true}}},
              {c.U, {{137, 2}, {429, 4}, {748, 4}, {1072, 18}, {1343, 3, true}}},
              {c.A, {{122, 5}, {124, 4}, {111, 3, true}, {97, 18}, {126, 2, true}}}};
  for (const auto& row : rows)
    for (int i = 0; i < 5; ++i) {
      const Cell& cell = row.cells[i];
      const double off_us = std::fabs(row.curve.at(sizes[i]) * 1e6 - cell.mean_us);
      EXPECT_EQ(off_us > 2 * cell.deviation_us, cell.contradicted) << cell.mean_us << " off by " << off_us;
    }
  // A message to a neighbour that waits for it: F + E + U.
  EXPECT_NEAR(model.link(Place::inter)->one_way.at(1000), 760e-6 + 1505e-6 + 740e-6, 1e-9);
}

// S1, Table 2: over floating-point operations. Its line of E by hand: the sizes' mean is 1003.2, their squares around it sum up to
// 2468204.8 and the products with the times around theirs to 3174686.4, so 1.28623 us a byte and 1514.6 - 1003.2 x 1.28623 =
// 224.25 us. "No significant difference" to Table 1, it says: of 30 cells 5 are beyond twice what both deviate, E's 3 to 5 us at all
// sizes but 500, and R at 2000 bytes.
TEST(Presets, TheNcubeHasItsTablesOfTrials) {
  const MachineModel model = *find_preset("ncube-seven");
  ASSERT_EQ(model.six_lines.size(), 6u);
  ASSERT_EQ(model.six_lines_floating.size(), 6u);
  EXPECT_NEAR(model.six_lines.at("E").base_s, 220e-6, 1e-12) << "as its Table 3 prints it";
  EXPECT_NEAR(model.six_lines.at("A").max_error_s, 23e-6, 1e-9) << "97 where the line has 120";
  EXPECT_NEAR(model.six_lines_floating.at("E").seconds_per_byte, 1.28623e-6, 1e-11);
  EXPECT_NEAR(model.six_lines_floating.at("E").base_s, 224.25e-6, 1e-8);
  std::string apart;
  for (const auto& [term, line] : model.six_lines)
    for (std::size_t i = 0; i < 5; ++i) {
      const TermPoint &integer = line.points.at(i),
                      &floating = model.six_lines_floating.at(term).points.at(i);
      EXPECT_EQ(integer.trials, 5);
      if (std::fabs(integer.mean_s - floating.mean_s) >
          2 * std::hypot(integer.deviation_s, floating.deviation_s))
        apart += fmt::format("{}{:g} ", term, integer.bytes);
    }
  EXPECT_EQ(apart, "E16 E1000 E1500 E2000 R2000 ");
}

// By hand: 3 x 350 us, and 10 / (2 x 2.8 MB/s). Over 7 hops Intel's other ratio, 20 x 350 us, holds within
// 5%.
TEST(Presets, TheIpscFollowsFromItsSuccessor) {
  const MachineModel model = *find_preset("ipsc-1");
  const Link& link = *model.link(Place::inter);
  EXPECT_NEAR(link.one_way.at(0), 1050e-6, 1e-12);
  EXPECT_NEAR(link.one_way.at(1000000) - link.one_way.at(0), 1 / 0.56, 1e-9);
  EXPECT_NEAR(model.hypercube->dimensions * link.latency_s, 20 * 350e-6, 0.05 * 20 * 350e-6);
}

// S1, section 6: without copying, the time of a 2000-byte message is its transmission of almost 3 ms and less
// than 400 us of software on either side. So a tenth of the software leaves E and a tenth of F + U.
TEST(Presets, LessSoftwareLeavesTheNcubeItsWire) {
  const auto spec = parse_what_if("software=x0.1");
  ASSERT_TRUE(spec);
  const auto model = apply(*find_preset("ncube-seven"), *spec);
  EXPECT_NEAR(model.link(Place::inter)->one_way.at(2000), 2790e-6 + 0.1 * (1360e-6 + 1350e-6), 1e-8);
  const auto wire = parse_what_if("bandwidth=x10");
  ASSERT_TRUE(wire);
  // of E the fixed 220 us stay
  EXPECT_NEAR(apply(*find_preset("ncube-seven"), *wire).link(Place::inter)->one_way.at(2000),
              1360e-6 + 1350e-6 + 220e-6 + 257e-6, 1e-8);
}

// S4, chapter 4, by hand. 10 Mb/s: 375 + 300 + 0.8 (1460 + 40) + 300 us for one packet, then 1200 us a
// packet. 100 Mb/s: 375 + 300 + 120 + 300 for one packet, then the host's 375 us a packet.
TEST(Presets, TheSlowestStageOfThePvmWorkstationsSetsThePace) {
  const Link ten = *find_preset("pvm-ethernet-10")->link(Place::inter);
  EXPECT_NEAR(ten.one_way.at(1460), 2175e-6, 1e-9);
  EXPECT_NEAR(ten.one_way.at(100 * 1460) - ten.one_way.at(90 * 1460), 10 * 1200e-6, 1e-8);
  // a hundred whole packets, to half a packet's header
  EXPECT_NEAR(ten.one_way.at(100 * 1460), 975e-6 + 100 * 1200e-6, 20e-6);
  const Link hundred = *find_preset("pvm-ethernet-100")->link(Place::inter);
  EXPECT_NEAR(hundred.one_way.at(1460), 1095e-6, 1e-9);
  EXPECT_NEAR(hundred.one_way.at(100 * 1460) - hundred.one_way.at(90 * 1460), 10 * 375e-6, 1e-8);
  EXPECT_NEAR(hundred.one_way.at(100 * 1460), 720e-6 + 100 * 375e-6, 250e-6);  // half a packet
}

}  // namespace
}  // namespace ww
