#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "base/files.hpp"
#include "machine/model.hpp"
#include "machine/presets.hpp"

namespace ww {
namespace {

using nlohmann::json;

MachineModel complete() {
  MachineModel model = *find_preset("loggops-default");
  Link intra = model.links[0];
  intra.between = Place::intra;
  intra.wire.reset();
  intra.eager_threshold_bytes.reset();
  intra.rendezvous_needs_sender = false;
  intra.handshake_crossings = 4;
  intra.sent_ahead_bytes = 523840;
  intra.points = {{1, 1e-6, 9e-7, 2e-6, 30}};
  intra.pingpong_fit_error = {0.01, 0.02};
  intra.switches = {{4096, 4096, 4097, 2e-6, 0.4, 6700, "eager below, rendezvous above"}};
  model.links.push_back(intra);
  model.costs.A = model.costs.F;
  model.clock_hz = 2.3e9;
  model.alpha_cycles = 12650;
  model.beta_cycles_per_byte = 13.8;
  model.samples = "x.samples.json";
  model.flags = {"costs.S was not measured"};
  keep_shown(
      model,
      {{"environment", {{"mpi", "Open MPI"}, {"lab", {{"kind", "bus"}, {"late_us", {{"p99", 4}}}}}}},
       {"six_lines", {{"R", {{"base_s", 1}, {"seconds_per_byte", 2.5}, {"points", json::array()}}}}},
       {"six_lines_floating",
        {{"S",
          {{"base_s", 1},
           {"seconds_per_byte", 0},
           {"points",
            {{{"bytes", 16}, {"median_s", 2}, {"trials", 5}, {"mean_s", 3}, {"deviation_s", 4}}}}}}}},
       {"closed_loop", {{{"experiment", "relay"}, {"measured_s", 1}, {"simulated_s", 2}, {"ranks", 3}}}},
       {"collectives", {{"bcast", {{{"ranks", 2}, {"bytes", 8}, {"median_s", 1e-5}}}}}},
       {"observations", {{"interference", {{{"neighbours", 2}, {"slowdown", 1.5}}}}, {"unheard_of", 1}}}});
  return model;
}

TEST(ModelJson, KnowsWhatALabsHostsDo) {
  const auto lab_of = [](json lab) {
    MachineModel model = *find_preset("comet");
    keep_shown(model, {{"environment", {{"lab", std::move(lab)}}}});
    return model.lab;
  };
  EXPECT_TRUE(lab_of({{"kind", "switch"}, {"tcp", "default"}}).linux_tcp);
  EXPECT_FALSE(lab_of({{"kind", "switch"}, {"tcp", "steady"}}).linux_tcp);
  EXPECT_TRUE(lab_of({{"kind", "switch"}, {"cores", "awake"}}).cores_awake);
  EXPECT_FALSE(lab_of({{"kind", "switch"}}).cores_awake) << "of labs that knew nothing of it";
  const auto at_once = [&](json lab) { return lab_of(std::move(lab)).at_once; };
  EXPECT_EQ(at_once({{"kind", "switch"}, {"at_once", 3}}), 3);
  EXPECT_EQ(at_once({{"kind", "switch"}}), 1);
  EXPECT_EQ(at_once({{"at_once", 3}, {"loss", 0.01}}), 1) << "single frames, as some are lost";
  EXPECT_EQ(at_once({{"at_once", 3}, {"jitter_s", 1e-4}}), 1);
}

TEST(ModelJson, KeepsTheArithmeticOfReductions) {
  MachineModel model = *find_preset("comet");
  EXPECT_FALSE(to_json(model).contains("reduction"));
  model.reduction.segments = {{8, 4096, 1e-7, 1e-10, {0.9e-7, 1.1e-7}, {1e-10, 1e-10}}};
  const auto back = model_from_json(to_json(model));
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_json(*back), to_json(model));
}

TEST(ModelJson, RoundTripKeepsEverything) {
  const json once = to_json(complete());
  const auto back = model_from_json(once);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_json(*back), once);
  EXPECT_EQ(once["observations"]["unheard_of"], 1);
  EXPECT_EQ(once["collectives"]["bcast"].size(), 1u);
  EXPECT_EQ(back->six_lines.at("R").seconds_per_byte, 2.5);
  ASSERT_EQ(back->six_lines_floating.at("S").points.size(), 1u);
  const TermPoint& point = back->six_lines_floating.at("S").points[0];
  EXPECT_EQ(std::tuple(point.bytes, point.median_s, point.trials, point.mean_s, point.deviation_s),
            std::tuple(16, 2, 5, 3, 4));
  EXPECT_TRUE(back->six_lines_idle.empty());
  ASSERT_EQ(back->closed_loop.size(), 1u);
  EXPECT_EQ(back->closed_loop[0].experiment, "relay");
  ASSERT_EQ(back->streams.size(), 1u);
  EXPECT_EQ(back->streams[0].slowdown, 1.5);
  EXPECT_FALSE(back->streams[0].predicted_slowdown);
  EXPECT_TRUE(back->lab.shared_bus);
  EXPECT_EQ(back->lab.late_p99_us, 4);
  EXPECT_LT(back->lab.late_median_us, 0);
  EXPECT_EQ(back->links[1].points[0].samples, 30u);
  EXPECT_EQ(back->links.size(), 2u);
  EXPECT_EQ(back->links[1].wire.has_value(), false);
  EXPECT_EQ(*back->links[0].eager_threshold_bytes, 65535);
  EXPECT_TRUE(back->links[0].rendezvous_needs_sender);
  EXPECT_FALSE(back->links[1].rendezvous_needs_sender);
  EXPECT_EQ(back->links[0].handshake_crossings, 2);
  EXPECT_EQ(back->links[1].handshake_crossings, 4);
  EXPECT_FALSE(back->links[0].sent_ahead_bytes);
  EXPECT_EQ(back->links[1].sent_ahead_bytes, 523840);
}

TEST(ModelJson, AHypercubeIsKeptAndRefusedIfItCannotBe) {
  const MachineModel ncube = *find_preset("ncube-seven");
  nlohmann::json written = to_json(ncube);
  const auto back = model_from_json(written);
  ASSERT_TRUE(back) << to_string(back.error());
  ASSERT_TRUE(back->hypercube);
  EXPECT_EQ(back->hypercube->dimensions, 6);
  EXPECT_EQ(back->hypercube->memory_channels, ncube.hypercube->memory_channels);
  EXPECT_EQ(back->hypercube->clock_tick_s, 1024 / 7e6);  // S1, appendix B
  for (const double dimensions : {0.0, 2.5, 17.0}) {
    written["hypercube"]["dimensions"] = dimensions;
    const auto bad = model_from_json(written);
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().where.find("hypercube.dimensions"), std::string::npos) << to_string(bad.error());
  }
}

TEST(ModelJson, LogGopsParametersAreKeptAndNotNegative) {
  nlohmann::json written = to_json(*find_preset("loggops-default"));
  const auto back = model_from_json(written);
  ASSERT_TRUE(back && back->loggops);
  EXPECT_EQ(back->loggops->o_s, 1500e-9);
  EXPECT_EQ(back->loggops->S_bytes, 65535);
  written["loggops"]["g_s"] = -1;
  const auto bad = model_from_json(written);
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().where.find("loggops.g_s"), std::string::npos) << to_string(bad.error());
}

TEST(ModelJson, FileRoundTripAndPresetNames) {
  const auto dir = std::filesystem::temp_directory_path() / ("ww-model-" + std::to_string(::getpid()));
  std::filesystem::create_directories(dir);
  ASSERT_TRUE(save_model(complete(), dir / "m.json"));
  const auto back = load_model(dir / "m.json");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_json(*back), to_json(complete()));
  EXPECT_TRUE(load_model("loggops-default"));
  const auto missing = load_model(dir / "none.json");
  ASSERT_FALSE(missing);
  EXPECT_NE(to_string(missing.error()).find("none.json"), std::string::npos);
  ASSERT_TRUE(write_file(dir / "bad.json", "{\"name\": "));
  const auto broken = load_model(dir / "bad.json");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().what.find("not JSON"), std::string::npos);
  std::filesystem::remove_all(dir);
}

// Files of before have the smallest message's time under latency_s; a file whose latency was changed by hand
// says that it follows from the rest.
TEST(ModelJson, LatencyFollowsFromTheRest) {
  json file = to_json(complete());
  const double latency_s = file["links"][0]["latency_s"], smallest_s = file["links"][0]["smallest_s"];
  EXPECT_NEAR(latency_s, 2.5e-6 - 1e-6, 1e-12);         // LogGOPSim's L, of which the wire is busy for g
  EXPECT_NEAR(smallest_s, 2.5e-6 + 2 * 1.5e-6, 1e-12);  // ... and o twice
  EXPECT_TRUE(model_from_json(file)->flags == complete().flags);
  file["links"][0]["latency_s"] = 5e-6;
  const auto edited = model_from_json(file);
  ASSERT_TRUE(edited);
  EXPECT_NE(edited->flags.back().find("links[0].latency_s is 5.00 us"), std::string::npos);
  EXPECT_NE(edited->flags.back().find("leave 1.50 us, which counts"), std::string::npos);
  EXPECT_EQ(to_json(*edited)["links"][0]["latency_s"], latency_s);
  for (json& link : file["links"]) {
    link["latency_s"] = link["smallest_s"];
    for (const char* key : {"smallest_s", "smallest_ci_s"}) link.erase(key);
  }
  const auto of_before = model_from_json(file);
  ASSERT_TRUE(of_before);
  EXPECT_EQ(to_json(*of_before)["links"][0]["latency_s"], latency_s);
  EXPECT_EQ(of_before->links[0].latency_s, smallest_s);
}

// Each damage to a good model must be refused with the path of the damaged key.
TEST(ModelJson, EveryProblemNamesItsKey) {
  struct Case {
    std::function<void(json&)> damage;
    std::string where, says;
  };
  const std::vector<Case> cases{
      {[](json& m) { m.erase("links"); }, "links", "missing"},
      {[](json& m) { m["links"] = json::array(); }, "links", "without a link"},
      {[](json& m) { m["links"][1]["between"] = "inter"; }, "links[1].between", "second"},
      {[](json& m) { m["links"][0]["between"] = "outer"; }, "links[0].between", "unknown places"},
      {[](json& m) { m["links"][0].erase("latency_s"); }, "links[0].latency_s", "missing"},
      {[](json& m) { m["links"][0]["segments"] = json::array(); }, "links[0].segments", "without a segment"},
      {[](json& m) { m["links"][0]["segments"][0]["base_s"] = "1"; }, "links[0].segments[0].base_s",
       "string"},
      {[](json& m) { m["links"][0]["segments"][0]["base_s"] = -1; }, "links[0].segments[0]", "negative time"},
      {[](json& m) {
         m["links"][0]["segments"][0]["base_ci_s"] = {2, 1};
       },
       "base_ci_s", "low end"},
      {[](json& m) { m["links"][0]["segments"][0]["from_bytes"] = -5; }, "from_bytes", "too small"},
      {[](json& m) { m["links"][0]["segments"].push_back(m["links"][0]["segments"][0]); },
       "segments[1].from_bytes", "begins before"},
      {[](json& m) { m["links"][0]["wire"]["stages"] = 0; }, "links[0].wire.stages", "too small"},
      {[](json& m) { m["links"][0]["wire"]["stage"] = 2; }, "links[0].wire.stage", "unknown key"},
      {[](json& m) { m["latencies"] = 3; }, "latencies", "unknown key"},
      {[](json& m) { m["costs"]["G"] = json::array(); }, "costs.G", "unknown key"},
      {[](json& m) { m["flags"] = {1}; }, "flags", "number where a text"},
      {[](json& m) { m["links"][1]["points"][0].erase("median_s"); }, "links[1].points[0].median_s",
       "missing"},
  };
  for (const Case& one : cases) {
    json model = to_json(complete());
    one.damage(model);
    const auto result = model_from_json(model);
    ASSERT_FALSE(result) << one.where;
    EXPECT_NE(result.error().where.find(one.where), std::string::npos) << to_string(result.error());
    EXPECT_NE(result.error().what.find(one.says), std::string::npos) << to_string(result.error());
  }
}

TEST(ModelJson, UnknownKeyNamesTheNearestKnownOne) {
  json model = to_json(complete());
  model["links"][0]["wire"]["second_per_bytes"] = 1;
  const auto result = model_from_json(model);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().remedy, "did you mean 'seconds_per_byte'?");
}

// Damaged text never crashes the reader, and what it accepts can be written and read again.
TEST(ModelJson, MutationsAreReadOrRefused) {
  const std::string good = to_json(complete()).dump();
  std::mt19937 random(20260706);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = good;
    for (auto edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 20);
          break;
        case 2:
          text.insert(at, 1, "0123456789-eE.,:[]{}\"n"[random() % 22]);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
      }
      if (text.empty()) text = "{";
    }
    const json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded()) continue;
    const auto result = model_from_json(parsed);
    if (!result) {
      ++refused;
      EXPECT_FALSE(result.error().where.empty());
      continue;
    }
    ASSERT_TRUE(model_from_json(to_json(*result)));
  }
  EXPECT_GT(refused, 50);  // 3000 random edits of which many keep the JSON well-formed
}

}  // namespace
}  // namespace ww
