#include "measure/samples.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "base/files.hpp"
#include "measure/fit.hpp"

namespace ww::measure {
namespace {

const char* const output =
    "some banner of the launcher\n"
    "@ww {\"kind\":\"host\",\"rank\":0,\"host\":\"a\",\"clock_hz\":2e9}\n"
    "[1,0]<stdout>:@ww "
    "{\"kind\":\"pingpong\",\"between\":\"inter\",\"bytes\":8,\"check\":false,\"one_way_s\":[1e-6,2e-6]}\n"
    "@ww {\"kind\":\"pingpong\",\"between\":\"inter\",\"bytes\":8}\n"
    "@ww {\"kind\":\"eager-thr";

TEST(Samples, RecordsAreFoundAmongOtherOutput) {
  const Samples samples = parse_output(output);
  EXPECT_EQ(samples.records.size(), 2u);
  EXPECT_FALSE(samples.complete);
  EXPECT_EQ(samples.environment["damaged_records"], 2);  // one without times, one cut off
  EXPECT_EQ(samples.of_kind("pingpong", "inter").size(), 1u);
  EXPECT_TRUE(samples.of_kind("pingpong", "intra").empty());
  EXPECT_TRUE(parse_output("@ww {\"kind\":\"end\"}\n").complete);
}

TEST(Samples, FileRoundTrip) {
  const Samples samples = parse_output(output);
  const auto file =
      std::filesystem::temp_directory_path() / ("ww-samples-" + std::to_string(getpid()) + ".json");
  ASSERT_TRUE(save_samples(samples, file));
  const auto back = load_samples(file);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_json(*back), to_json(samples));
  ASSERT_TRUE(write_file(file, "{}"));
  EXPECT_FALSE(load_samples(file));
  std::filesystem::remove(file);
}

TEST(Samples, ABadRecordIsNamed) {
  nlohmann::json json = to_json(parse_output(output));
  json["records"][1]["one_way_s"][1] = -1;
  const auto result = samples_from_json(json);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().where, "key records[1]");
  EXPECT_NE(result.error().what.find("one_way_s"), std::string::npos);
}

// Whatever is done to a file of samples, it is refused or gives a model or an error.
TEST(Samples, MutationsAreReadOrRefused) {
  Samples samples = parse_output(output);
  for (const int bytes : {1, 64, 1000, 2000, 30000, 70000})
    samples.records.push_back({{"kind", "pingpong"},
                               {"between", "inter"},
                               {"bytes", bytes},
                               {"check", false},
                               {"one_way_s", {1e-6 * bytes, 1.1e-6 * bytes}}});
  samples.records.push_back({{"kind", "wire-bytes"},
                             {"between", "inter"},
                             {"bytes", 2000},
                             {"messages", 2},
                             {"mtu_bytes", 1500},
                             {"sent_bytes", 4400},
                             {"sent_frames", 4},
                             {"received_bytes", 300},
                             {"received_frames", 4}});
  samples.records.push_back({{"kind", "eager-threshold"},
                             {"between", "inter"},
                             {"low_bytes", 5},
                             {"high_bytes", 6},
                             {"threshold_bytes", 5}});
  samples.records.push_back(
      {{"kind", "cost"}, {"between", "inter"}, {"term", "F"}, {"bytes", 5}, {"seconds", {1e-6}}});
  const std::string good = to_json(samples).dump();
  std::mt19937 random(20260705);
  int fitted = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = good;
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = static_cast<char>(random() % 256);
        break;
      case 1:
        text.erase(at, 1 + random() % 10);
        break;
      default:
        text.insert(at, 1, "0123456789-e.,\"n"[random() % 16]);
        break;
    }
    const auto parsed = nlohmann::json::parse(text, nullptr, false);
    if (parsed.is_discarded()) continue;
    if (const auto read = samples_from_json(parsed)) fitted += fit_model(*read, "x").has_value();
  }
  EXPECT_GT(fitted, 20);  // most one-character edits of numbers leave a file that can be fitted
}

}  // namespace
}  // namespace ww::measure
