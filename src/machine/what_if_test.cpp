#include "machine/what_if.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "machine/latency.hpp"
#include "machine/presets.hpp"

namespace ww {
namespace {

TEST(WhatIf, ReadsEveryPart) {
  const auto what_if = parse_what_if("bandwidth=x10, latency=x0.5,software=x0.1,compute=x2");
  ASSERT_TRUE(what_if) << to_string(what_if.error());
  EXPECT_EQ(what_if->bandwidth, 10);
  EXPECT_EQ(what_if->latency, 0.5);
  EXPECT_EQ(what_if->software, 0.1);
  EXPECT_EQ(what_if->compute, 2);
  EXPECT_FALSE(what_if->is_identity());
  EXPECT_DOUBLE_EQ(*parse_what_if("latency=5us")->latency_s, 5e-6);
  EXPECT_TRUE(parse_what_if("bandwidth=x1")->is_identity());
  EXPECT_EQ(parse_what_if("ranks-per-host=2")->ranks_per_host, 2);
  EXPECT_FALSE(parse_what_if("ranks-per-host=2")->is_identity());
  for (const char* spec : {"ranks-per-host=0", "ranks-per-host=x2", "ranks-per-host=-1", "ranks-per-host=1.5",
                           "ranks-per-host=99999999999"})
    EXPECT_FALSE(parse_what_if(spec)) << spec;
}

TEST(WhatIf, ReadsRanksRegionsAndMachines) {
  const auto what_if =
      parse_what_if("compute@rank:0-3+7=x2,compute@region:solve=x4,compute@rank:1@region:a b=x3");
  ASSERT_TRUE(what_if) << to_string(what_if.error());
  ASSERT_EQ(what_if->compute_scopes.size(), 3u);
  const ComputeScope& ranks = what_if->compute_scopes[0];
  EXPECT_TRUE(ranks.holds(0) && ranks.holds(3) && ranks.holds(7));
  EXPECT_FALSE(ranks.holds(4) || ranks.holds(8));
  EXPECT_EQ(what_if->compute_scopes[1].region, "solve");
  EXPECT_TRUE(what_if->compute_scopes[1].holds(99));
  EXPECT_EQ(what_if->compute_scopes[2].region, "a b");
  EXPECT_FALSE(what_if->compute_scopes[2].holds(0));
  EXPECT_EQ(what_if->compute, 1);
  EXPECT_FALSE(what_if->keeps_computation());
  const auto other = parse_what_if("machine=comet,bandwidth=x10");
  ASSERT_TRUE(other) << to_string(other.error());
  EXPECT_EQ(other->machine->name, find_preset("comet")->name);
  for (const char* spec : {"compute@rank:=x2", "compute@rank:3-1=x2", "compute@rank:-1=x2",
                           "compute@host:a=x2", "compute@region:=x2", "compute@=x2", "latency@rank:0=x2",
                           "machine=no-such-machine", "compute@rank:0=x2,compute@rank:0=x3"})
    EXPECT_FALSE(parse_what_if(spec)) << spec;
}

// A trace holds one decomposition of the program's data.
TEST(WhatIf, RefusesOtherNumbersOfRanksWithTheReason) {
  const auto more = parse_what_if("ranks=8");
  ASSERT_FALSE(more);
  EXPECT_TRUE(more.error().usage);
  EXPECT_NE(more.error().remedy.find("record"), std::string::npos);
}

TEST(WhatIf, RefusesWithTheWrongPart) {
  for (const char* spec : {"", "bandwidth", "bandwith=x10", "bandwidth=10", "bandwidth=x0", "latency=fast",
                           "bandwidth=x2,,latency=x2", "bandwidth=x2,bandwidth=x3", "compute=xinf"}) {
    const auto what_if = parse_what_if(spec);
    ASSERT_FALSE(what_if) << spec;
    EXPECT_TRUE(what_if.error().usage);
    EXPECT_FALSE(what_if.error().remedy.empty());
  }
  EXPECT_NE(parse_what_if("bandwith=x10").error().remedy.find("'bandwidth'"), std::string::npos);
}

// A link whose one-way time is, by construction, rest + serialisation; all expected values below are that sum
// by hand.
constexpr double rest_s = 40e-6, F_s = 5e-6, U_s = 3e-6;

MachineModel by_hand() {
  MachineModel model;
  Link link;
  Wire wire;
  wire.seconds_per_byte = 0.8e-6;
  wire.stages = 2;
  wire.frame_payload_bytes = 1448;
  wire.frame_overhead_bytes = 90;
  wire.message_overhead_bytes = 50;
  wire.handshake_frames = 2;
  wire.handshake_frame_bytes = 120;
  link.wire = wire;
  link.eager_threshold_bytes = 65536;
  Curve rest;
  rest.segments = {{0, 4194304, rest_s + F_s + U_s, 0, {40e-6, 56e-6}, {0, 0}}};
  link.one_way = add_serialisation(rest, wire, link.eager_threshold_bytes, 1);
  link.latency_s = link.one_way.at(1);
  model.links = {link};
  model.costs.F.segments = {{0, 65536, F_s, 0, {}, {}}};
  model.costs.U.segments = {{0, 65536, U_s, 0, {}, {}}};
  return model;
}

const std::vector<double> sizes{1,     8,     100,   1398,   1399,    2846,   2847,
                                10000, 65536, 65537, 100000, 1048576, 4194304};

TEST(Apply, CompositionIsWithinOnePercentOfTheExactSum) {
  const MachineModel model = by_hand();
  const Link& link = model.links[0];
  for (double n = 1; n < 4194304; n = n * 1.01 + 1) {
    const double m = std::floor(n);
    const double exact = rest_s + F_s + U_s + link.wire->serialisation_s(m, m > 65536);
    EXPECT_NEAR(link.one_way.at(m) / exact, 1, 0.01) << m;
    if (m + 50 <= 8 * 1448) {
      EXPECT_NEAR(link.one_way.at(m) / exact, 1, 1e-9) << m;
    }
  }
}

TEST(Apply, BandwidthTakesOffTheSerialisation) {
  const MachineModel model = by_hand();
  for (const double factor : {10.0, 0.25, 1000.0}) {
    WhatIf what_if;
    what_if.bandwidth = factor;
    const MachineModel faster = apply(model, what_if);
    const Link& link = faster.links[0];
    EXPECT_DOUBLE_EQ(link.wire->seconds_per_byte, 0.8e-6 / factor);
    for (const double n : sizes) {
      const double exact = rest_s + F_s + U_s + link.wire->serialisation_s(n, n > 65536);
      EXPECT_NEAR(link.one_way.at(n) / exact, 1, 0.01) << n << " at x" << factor;
    }
    // the smallest message: 141 bytes through two stages
    EXPECT_NEAR(link.latency_s, rest_s + F_s + U_s + 2 * 141 * 0.8e-6 / factor, 1e-12);
  }
}

TEST(Apply, LatencyChangesTheRestOnceOrThreeTimes) {
  const MachineModel model = by_hand();
  const auto halved = apply(model, *parse_what_if("latency=x0.5"));
  EXPECT_NEAR(model.links[0].one_way.at(1000) - halved.links[0].one_way.at(1000), rest_s / 2, 1e-12);
  const auto slow = apply(model, *parse_what_if("latency=1ms"));
  for (const double n : sizes)
    EXPECT_NEAR(slow.links[0].one_way.at(n) - model.links[0].one_way.at(n),
                (1e-3 - rest_s) * (n > 65536 ? 3 : 1), 1e-9)
        << n;
}

// Of a message that needs a reply as much crosses as its library says, and its data.
TEST(Apply, LatencyCountsEachCrossingOfAHandshake) {
  MachineModel model = by_hand();
  const WhatIf slow = *parse_what_if("latency=1ms");
  const double more_s = 1e-3 - latency_of(model.costs, model.links[0]).s;
  for (const double crossings : {2.0, 4.0}) {
    model.links[0].handshake_crossings = crossings;
    const MachineModel after = apply(model, slow);
    const auto grew_s = [&](double bytes) {
      return after.links[0].one_way.at(bytes) - model.links[0].one_way.at(bytes);
    };
    EXPECT_NEAR(grew_s(1000), more_s, 1e-9);
    EXPECT_NEAR(grew_s(1048576), (1 + crossings) * more_s, 1e-9);
  }
}

// What is shown as the latency is what `latency=` sets, on every link of every preset and of the model by
// hand: said in full, it changes nothing; halved it is x0.5; and a model with another latency shows that.
TEST(Apply, TheLatencyThatIsShownIsTheOneThatIsSet) {
  std::vector<MachineModel> models{by_hand()};
  for (const Preset* preset : presets()) models.push_back(preset->make());
  models.push_back(by_hand());
  models.back().links[0].between = Place::intra;
  models.back().links[0].wire.reset();
  for (const MachineModel& model : models)
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const nlohmann::json shown = to_json(model)["links"][i];
      const double latency_s = shown["latency_s"];
      const auto with = [&](const std::string& spec) {
        WhatIf what_if = *parse_what_if(spec);
        what_if.network = model.links[i].between;
        return apply(model, what_if);
      };
      const auto in_full = [](double s) { return fmt::format("latency={:.17g}us", s * 1e6); };
      const MachineModel same = with(in_full(latency_s)), half = with(in_full(latency_s / 2)),
                         by_factor = with("latency=x0.5"), more = with(in_full(latency_s + 3e-6));
      for (const double n : sizes) {
        const auto time = [&](const MachineModel& of) { return of.links[i].one_way.at(n); };
        EXPECT_NEAR(time(same) / time(model), 1, 1e-6) << model.name << " " << n;
        EXPECT_NEAR(time(half) / time(by_factor), 1, 1e-6) << model.name << " " << n;
      }
      EXPECT_NEAR(to_json(more)["links"][i]["latency_s"].get<double>(), latency_s + 3e-6,
                  1e-9 * (latency_s + 3e-6))
          << model.name;
      EXPECT_LE(shown["latency_ci_s"][0], latency_s);
      EXPECT_GE(shown["latency_ci_s"][1], latency_s);
    }
}

// The three parts of the smallest message's time, by hand.
TEST(Latency, IsWhatSoftwareAndBytesLeaveOfTheSmallestMessage) {
  const MachineModel model = by_hand();
  const Latency latency = latency_of(model.costs, model.links[0]);
  EXPECT_NEAR(latency.s, rest_s, 1e-12);
  EXPECT_NEAR(latency.software_s, F_s + U_s, 1e-12);
  EXPECT_NEAR(latency.serialisation_s, 2 * 141 * 0.8e-6, 1e-12);
  EXPECT_NEAR(to_json(model)["links"][0]["smallest_s"].get<double>(), rest_s + F_s + U_s + 2 * 141 * 0.8e-6,
              1e-12);
  // software that was measured longer than the whole message leaves nothing, not less
  MachineModel all_software = model;
  all_software.costs.F.segments[0].base_s = 1;
  EXPECT_EQ(latency_of(all_software.costs, all_software.links[0]).s, 0);
}

// A message of 10,000 bytes keeps a port busy with 10,680 bytes (7 frames of 90, and 50), 8.544 ms. Meeting another it lasts
// 5 us longer, which the 8 us of software of two account for: at ten times the rate it is still 5 us, at a tenth of the
// software 0.5. One of 100,000 bytes lasts 85.048 ms (70 frames) and half as long again: 8 us are software, the rest the wire's.
TEST(Apply, WhatMeetingMessagesLoseToTheHostStaysAsLong) {
  MachineModel model = by_hand();
  Wire& wire = *model.links[0].wire;
  const auto lasts = [](double wire_s, double more_s) { return wire_s / (wire_s + more_s); };
  wire.two_way = {{10000, lasts(8.544e-3, 5e-6), {lasts(8.544e-3, 20e-6), 1}},
                  {100000, lasts(85.08e-3, 42.54e-3), {0.5, 1}}};
  wire.two_way_efficiency = wire.two_way[1].efficiency;
  wire.two_way_efficiency_eager = wire.two_way[0].efficiency;
  ASSERT_NEAR(wire.port_busy_s(10000), 8.544e-3, 1e-12);
  ASSERT_NEAR(wire.port_busy_s(100000), 85.08e-3, 1e-12);
  model.costs.F.segments[0].to_bytes = model.costs.U.segments[0].to_bytes = 4194304;

  const auto after = [&](const char* spec) {
    return *apply(model, *parse_what_if(spec)).links[0].wire;  // NOLINT: a copy
  };
  const Wire faster = after("bandwidth=x10"), lean = after("software=x0.1");
  EXPECT_NEAR(faster.two_way[0].efficiency, lasts(854.4e-6, 5e-6), 1e-9);
  EXPECT_NEAR(faster.two_way[0].ci.low, lasts(854.4e-6, 8e-6 + 1.2e-6), 1e-9);
  EXPECT_EQ(faster.two_way[0].ci.high, 1);
  EXPECT_NEAR(faster.two_way[1].efficiency, lasts(8.508e-3, 8e-6 + 4.2532e-3), 1e-9);
  EXPECT_NEAR(*faster.two_way_efficiency_eager, faster.two_way[0].efficiency, 1e-12);
  EXPECT_NEAR(faster.two_way_efficiency, faster.two_way[1].efficiency, 1e-12);
  EXPECT_NEAR(lean.two_way[0].efficiency, lasts(8.544e-3, 0.5e-6), 1e-9);
  EXPECT_NEAR(lean.two_way[1].efficiency, lasts(85.08e-3, 42.532e-3 + 0.8e-6), 1e-9);
  EXPECT_EQ(after("compute=x2").two_way[0].efficiency, wire.two_way[0].efficiency);
}

TEST(Apply, SoftwareScalesCostsAndTheirShare) {
  const MachineModel model = by_hand();
  const auto lean = apply(model, *parse_what_if("software=x0.1"));
  EXPECT_DOUBLE_EQ(lean.costs.F.at(100), F_s * 0.1);
  for (const double n : sizes)
    EXPECT_NEAR(model.links[0].one_way.at(n) - lean.links[0].one_way.at(n), 0.9 * (F_s + U_s), 1e-11) << n;
  EXPECT_EQ(lean.links[0].wire->seconds_per_byte, model.links[0].wire->seconds_per_byte);
}

// The parts of F and U that grow: 1 ns a byte of F, to a quarter; where the wire is known software counts of
// one frame at most, since that of the others overlaps.
TEST(Apply, PerByteScalesTheSlopesOfSoftware) {
  MachineModel model = by_hand();
  model.costs.F.segments = {{0, 65536, F_s, 1e-9, {}, {}}};
  const auto lean = apply(model, *parse_what_if("per-byte=x0.25"));
  EXPECT_NEAR(lean.costs.F.at(10000), F_s + 0.25e-9 * 10000, 1e-15);
  EXPECT_NEAR(lean.costs.U.at(10000), U_s, 1e-15);
  for (const double n : sizes)
    EXPECT_NEAR(model.links[0].one_way.at(n) - lean.links[0].one_way.at(n), 0.75e-9 * std::min(n, 1448.0),
                0.01e-6)
        << n;
  const auto both = apply(model, *parse_what_if("per-byte=x0.25,software=x0.5"));
  EXPECT_NEAR(both.costs.F.at(10000), (F_s + 0.25e-9 * 10000) / 2, 1e-15);
}

TEST(Apply, AnotherMachineTakesThePlaceOfTheModel) {
  WhatIf what_if = *parse_what_if("machine=comet");
  EXPECT_EQ(to_json(apply(by_hand(), what_if)), to_json(*find_preset("comet")));
  what_if.bandwidth = 10;
  WhatIf alone = *parse_what_if("bandwidth=x10");
  alone.spec = what_if.spec;
  EXPECT_EQ(to_json(apply(by_hand(), what_if)), to_json(apply(*find_preset("comet"), alone)));
}

TEST(Apply, WithoutAWireTheSlopesAreDivided) {
  MachineModel model = by_hand();
  model.links[0].wire.reset();
  model.links[0].one_way.segments = {{0, 1000, 10, 0.1, {9, 11}, {0.09, 0.11}},
                                     {1000, 2000, 60, 0.2, {}, {}}};
  const auto faster = apply(model, *parse_what_if("bandwidth=x10"));
  // 10 + 0.01 n; the jump of 150 at 1000 stays; then 0.02 a byte
  EXPECT_NEAR(faster.links[0].one_way.at(1000), 20, 1e-9);
  EXPECT_NEAR(faster.links[0].one_way.at(1001), 170.02, 1e-9);
  EXPECT_NEAR(faster.links[0].one_way.at(2000), 190, 1e-9);
  EXPECT_NEAR(faster.links[0].one_way.segments[0].seconds_per_byte_ci.low, 0.009, 1e-12);
}

// Expected of the link that is meant: what BandwidthTakesOffTheSerialisation has, and rest_s to a tenth.
TEST(Apply, OnlyTheLinkThatIsTheNetworkChanges) {
  MachineModel model = by_hand();
  model.links.push_back(model.links[0]);
  model.links[1].between = Place::intra;
  WhatIf what_if = *parse_what_if("bandwidth=x10,latency=x0.1");
  for (const std::optional<Place> network :
       {std::optional<Place>(), std::optional(Place::inter), std::optional(Place::intra)}) {
    what_if.network = network;
    const auto faster = apply(model, what_if);
    const std::size_t meant = network == Place::intra ? 1 : 0;
    for (const double n : {8.0, 1000.0}) {
      EXPECT_DOUBLE_EQ(faster.links[1 - meant].one_way.at(n), model.links[1 - meant].one_way.at(n));
      const double serialisation_s = model.links[meant].wire->serialisation_s(n, false);
      EXPECT_NEAR(faster.links[meant].one_way.at(n), 0.1 * rest_s + F_s + U_s + serialisation_s / 10, 1e-11);
    }
  }
  // a machine of one host has no other network
  model.links.erase(model.links.begin());
  what_if.network.reset();
  EXPECT_EQ(what_if.network_of(model), Place::intra);
  EXPECT_LT(apply(model, what_if).links[0].one_way.at(1000), model.links[0].one_way.at(1000) / 2);
}

TEST(Apply, IdentityChangesNothing) {
  const MachineModel model = by_hand();
  EXPECT_EQ(to_json(apply(model, *parse_what_if("bandwidth=x1"))), to_json(model));
}

}  // namespace
}  // namespace ww
