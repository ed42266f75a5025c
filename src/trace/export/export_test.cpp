// The files are read back here by other means than they were written with; what must be in them is what the
// trace was built from.
#include "trace/export/export.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/files.hpp"
#include "trace/export/formats.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

using spool::TestDir;

Trace small() {
  TraceBuilder builder(2, 1'000'000);
  builder.trace().comms[0].name = "a \"comm\", quoted";
  builder.call(0, "MPI_Send", 1001, 2002, {message_action(ActionKind::send, 1, 7, 64)});
  builder.call(0, "MPI_Send", 3000, 3000, {message_action(ActionKind::send, 1, 8, 32)});
  builder.call(1, "MPI_Irecv", 500, 600, {message_action(ActionKind::irecv, 0, 7, 64, 1)});
  builder.call(1, "MPI_Irecv", 700, 800, {message_action(ActionKind::irecv, 0, 8, 32, 2)});
  builder.call(1, "MPI_Waitall", 900, 4000,
               {message_action(ActionKind::irecv_done, 0, 7, 64, 1),
                message_action(ActionKind::irecv_done, 0, 8, 32, 2)});
  for (std::size_t r = 0; r < 2; ++r) builder.call(r, "MPI_Barrier", 5000, 6000, {collective_action(0, 0)});
  return builder.matched();
}

std::string exported(const Trace& trace, const char* name) {
  const TestDir dir;
  const auto done = export_trace(trace, *export_format_named(name), dir.path() / "out");
  EXPECT_TRUE(done) << to_string(done.error());
  return read_file(dir.path() / "out").value_or("");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Export, DecimalsAreExact) {
  EXPECT_EQ(exporting::decimal(1'000'000'123, 9), "1.000000123");
  EXPECT_EQ(exporting::decimal(1'000'000'123, 3), "1000000.123");
  EXPECT_EQ(exporting::decimal(-5, 3), "-0.005");
  EXPECT_EQ(exporting::decimal(9'007'199'254'740'993, 3), "9007199254740.993");  // no double holds it
}

TEST(Export, ChromeHasASliceACallAndAFlowAMessage) {
  const Trace trace = small();
  const auto json = nlohmann::json::parse(exported(trace, "chrome"));
  std::map<std::string, std::vector<nlohmann::json>> by_kind;
  for (const auto& event : json.at("traceEvents")) by_kind[event.at("ph")].push_back(event);
  EXPECT_EQ(by_kind["X"].size(), 7u);
  EXPECT_EQ(by_kind["M"].size(), 6u);
  ASSERT_EQ(by_kind["s"].size(), 2u);
  ASSERT_EQ(by_kind["f"].size(), 2u);
  EXPECT_DOUBLE_EQ(by_kind["X"][0].at("ts"), 1.001);
  EXPECT_DOUBLE_EQ(by_kind["X"][0].at("dur"), 1.001);
  EXPECT_EQ(by_kind["X"][0].at("args").at("to 1").at("bytes"), 64);
  for (const char* end : {"s", "f"})
    for (const auto& flow : by_kind[end]) {  // each within a slice of its rank
      const double at = flow.at("ts");
      const bool inside =
          std::any_of(by_kind["X"].begin(), by_kind["X"].end(), [&](const nlohmann::json& slice) {
            const double from = slice.at("ts"), length = slice.at("dur");
            return slice.at("pid") == flow.at("pid") && from <= at && at <= from + length;
          });
      EXPECT_TRUE(inside) << flow;
    }
}

TEST(Export, PajeIsInTimeAndBalanced) {
  const auto lines = lines_of(exported(small(), "paje"));
  double last = 0;
  std::map<std::string, int> open;
  std::map<std::string, int> links;
  int states = 0;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string event, time, type, container, a, b, key;
    words >> event >> time >> type >> container >> a >> b >> key;
    if (event.empty() || event[0] == '%' || event < "4") continue;
    EXPECT_GE(std::stod(time), last) << line;
    last = std::stod(time);
    if (event == "6") {
      ++open[container];
      ++states;
    }
    if (event == "7") {
      EXPECT_GE(--open[container], 0) << line;
    }
    if (event == "8") links[b + " " + key] += 1;
  }
  EXPECT_EQ(states, 7);
  for (const auto& [container, depth] : open) EXPECT_EQ(depth, 0) << container;
  const std::string text = exported(small(), "paje");
  EXPECT_NE(text.find("8 0.000001001 M p r0 m 0\n"), std::string::npos);
  EXPECT_NE(text.find("9 0.000004000 M p r1 m 1\n"), std::string::npos);
}

TEST(Export, CsvOfCallsAndMessages) {
  const auto calls = lines_of(exported(small(), "csv"));
  ASSERT_EQ(calls.size(), 8u);
  EXPECT_EQ(calls[1], "0,alpha,MPI_Send,0.000001001,0.000002002,1,64,0,0,0,0,1,7,\"a \"\"comm\"\", quoted\"");
  EXPECT_EQ(calls[6],
            "1,alpha,MPI_Waitall,0.000000900,0.000004000,0,0,2,96,0,0,0,,\"a \"\"comm\"\", quoted\"");
  const auto messages = lines_of(exported(small(), "csv-messages"));
  ASSERT_EQ(messages.size(), 3u);
  EXPECT_EQ(
      messages[1],
      "0,0,1,7,\"a \"\"comm\"\", quoted\",64,0,0,MPI_Send,0.000001001,0.000002002,0.000002002,0.000000500,"
      "MPI_Waitall,0.000000900,0.000004000");
}

TEST(Export, WhatCannotBeWrittenLeavesNothing) {
  const TestDir dir;
  const auto format = *export_format_named("csv");
  EXPECT_FALSE(export_trace(small(), format, dir.path() / "no" / "such" / "place"));
  EXPECT_FALSE(export_trace(small(), format, dir.path()));  // a directory
  EXPECT_FALSE(export_trace(small(), format, "/dev/full/x"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  EXPECT_EQ(export_format_named("nonsense"), nullptr);
}

TEST(Export, EveryFormatTakesAnEmptyTrace) {
  for (const ExportFormat& format : export_formats()) EXPECT_FALSE(exported(Trace{}, format.name).empty());
}

}  // namespace
}  // namespace ww
