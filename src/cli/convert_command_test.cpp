// The commands on S5's worked example (trace/prase/prase_fixture.hpp); what they print is worked out by hand.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "cli/run.hpp"
#include "trace/prase/prase_fixture.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

std::string said_by(const std::vector<std::string>& words, int expected = 0) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  int problem = 0;
  EXPECT_EQ(cli::run(words, problem), expected);
  const std::string errors = testing::internal::GetCapturedStderr();
  return testing::internal::GetCapturedStdout() + (expected == 0 ? "" : errors);
}

class ConvertCommand : public testing::Test {
 protected:
  std::string at(const char* name) const { return (dir_.path() / name).string(); }
  void SetUp() override {
    ASSERT_TRUE(
        write_file(at("all"), std::string(prase::node_1_of_g) + prase::node_7_of_g + prase::node_12_of_g));
    said_by({"convert", at("all"), "--to", "prase", "-o", at("prase_data")});
  }
  spool::TestDir dir_;
};

TEST_F(ConvertCommand, ShowsRecordsAsPvDoes) {
  EXPECT_EQ(said_by({"convert", at("prase_data/n7_p0"), "--to", "prase-pv"}), prase::node_7_of_g);
}

TEST_F(ConvertCommand, TellsWhatItCorrelated) {
  const auto told = nlohmann::json::parse(
      said_by({"convert", at("prase_data"), "--to", "seecube", "-o", at("seecube"), "--json"}));
  EXPECT_EQ(told.at("processes"), 3);
  EXPECT_EQ(told.at("records"), 16);
  EXPECT_EQ(told.at("messages"), 8);
  EXPECT_EQ(told.at("unmatched_sends"), 0);
  EXPECT_EQ(told.at("diagnostics").at(0).at("name"), "instantaneous-event");
  EXPECT_EQ(said_by({"convert", at("seecube"), "--to", "prase-pv"}),
            std::string(prase::node_1_of_g) + prase::node_7_of_g + prase::node_12_of_g);
}

TEST_F(ConvertCommand, ImportMakesATraceOfThem) {
  const auto told = nlohmann::json::parse(said_by({"import", at("prase_data"), "-o", at("g.ww"), "--json"}));
  EXPECT_EQ(told.at("ranks"), 3);
  EXPECT_EQ(told.at("messages"), 8);
  const auto report = nlohmann::json::parse(said_by({"report", at("g.ww"), "--json"}));
  EXPECT_EQ(report.at("ranks").size(), 3u);
  EXPECT_EQ(report.at("calls").at("recvw").at("count"), 8);
  // S5 gives no times of waiting; from 543 to 620 ms the rows of the two tables reach, and the made-up receipts.
  EXPECT_NEAR(report.at("elapsed_s").get<double>(), 0.077, 1e-9);
}

TEST_F(ConvertCommand, WithoutADirectoryTextOnlyIsShown) {
  EXPECT_NE(said_by({"convert", at("prase_data"), "--to", "prase"}, 2).find("-o"), std::string::npos);
  EXPECT_NE(said_by({"convert", at("prase_data"), "--to", "prase-pv", "--json"}, 2).find("-o"),
            std::string::npos);
}

}  // namespace
}  // namespace ww
