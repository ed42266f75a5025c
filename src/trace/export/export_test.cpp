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

// The same with a region of each kind of place, two values and a marker, on rank 0.
Trace marked() {
  Trace trace = small();
  trace.user = {{"solve", "in, it"}, {{"residual", "", false}, {"step", "", true}}, {"half \"way\""}};
  UserEvents& user = trace.ranks[0].user;
  user.regions = {{1000, 4000, 0, 0}, {1500, 1600, 0, 1}, {2500, 3500, 1, 0}};
  user.values = {{2600, 0, 0, std::bit_cast<std::uint64_t>(0.25)},
                 {2700, 1, 0, std::bit_cast<std::uint64_t>(std::int64_t{-2})}};
  user.markers = {{4500, 0, 0}};
  return trace;
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

// The same with a get of rank 0 from rank 1's window, begun in its first call and there in its second, and a
// write of rank 1 alike, which transferred less than it was asked for.
Trace with_window_and_file() {
  Trace trace = small();
  trace.one_sided.windows.push_back({"halo, north", 0});
  trace.one_sided.ranks.resize(2);
  trace.one_sided.ranks[0].transfers.push_back({0, 1, none, 0, 1, TransferKind::get, 0, 512});
  trace.one_sided.ranks[0].syncs.push_back({1, 0, 1, SyncKind::memory});
  trace.file_io.files = {"out.dat"};
  trace.file_io.handles = {{0, 0}};
  trace.file_io.ranks.resize(2);
  trace.file_io.ranks[1].operations.push_back({0, 1, 0, true, false, false, 80, 64, 4096});
  return trace;
}

TEST(Export, TransfersAndFilesAreALineEach) {
  const Trace trace = with_window_and_file();
  const auto transfers = lines_of(exported(trace, "csv-one-sided"));
  ASSERT_EQ(transfers.size(), 2u);
  EXPECT_EQ(transfers[1], "0,1,0,\"halo, north\",get,MPI_Send,0,512,0.000001001,0.000002002,0.000003000,");
  const auto accesses = lines_of(exported(trace, "csv-files"));
  ASSERT_EQ(accesses.size(), 2u);
  EXPECT_EQ(accesses[1], "1,out.dat,write,MPI_Irecv,0,0,4096,80,64,0.000000500,0.000000600,0.000000800");
}

TEST(Export, ChromeSaysWhatCallsDoToWindowsAndFiles) {
  using nlohmann::json;
  const auto all = json::parse(exported(with_window_and_file(), "chrome")).at("traceEvents");
  std::map<std::pair<int, double>, json> arguments;  // by rank and begin
  std::vector<json> flows;
  for (const json& event : all) {
    if (event.at("ph") == "X") arguments[{event.at("pid"), event.at("ts")}] = event.value("args", json());
    if (event.contains("id") && event.at("cat") != "message") flows.push_back(event);
  }
  EXPECT_EQ(
      (arguments[{0, 1.001}].at("get 2")),  // behind the message
      (json{{"window", 0}, {"name", "halo, north"}, {"target", 1}, {"bytes_out", 0}, {"bytes_in", 512}}));
  EXPECT_EQ((arguments[{0, 3.0}].at("synchronises 2")),
            (json{{"window", 0}, {"name", "halo, north"}, {"target", 1}}));
  EXPECT_EQ((arguments[{1, 0.5}]),
            (json{{"write 1", {{"file", "out.dat"}, {"offset", 4096}, {"bytes_wanted", 80}}}}));
  EXPECT_EQ((arguments[{1, 0.7}].at("written 1").at("bytes")), 64);
  ASSERT_EQ(flows.size(), 4u);
  EXPECT_EQ(flows[0].at("id"), flows[1].at("id"));
  EXPECT_EQ(flows[2].at("id"), flows[3].at("id"));
  EXPECT_NE(flows[0].at("id"), flows[2].at("id"));
  EXPECT_EQ(flows[0].at("name"), "get");
  EXPECT_EQ(flows[2].at("name"), "write");
  EXPECT_DOUBLE_EQ(flows[2].at("ts"), 0.5);
  EXPECT_DOUBLE_EQ(flows[3].at("ts"), 0.799);  // within the call that ends at 0.8
}

TEST(Export, PajeLinksTransfersInTheDirectionOfTheirBytes) {
  std::vector<std::string> links, bytes;
  for (const std::string& line : lines_of(exported(with_window_and_file(), "paje"))) {
    if (line.find(" T p ") != std::string::npos) links.push_back(line);
    if (line.starts_with("11 ") && line.find(" F ") != std::string::npos) bytes.push_back(line);
  }
  EXPECT_EQ(links, (std::vector<std::string>{"8 0.000001001 T p r1 t1 0_0", "9 0.000003000 T p r0 t1 0_0"}));
  EXPECT_EQ(bytes, (std::vector<std::string>{"11 0.000000500 F r1 80", "11 0.000000800 F r1 0"}));
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

TEST(Export, ChromeShowsWhatTheProgramMarked) {
  const auto json = nlohmann::json::parse(exported(marked(), "chrome"));
  std::vector<nlohmann::json> regions, counters, points;
  for (const auto& event : json.at("traceEvents")) {
    if (event.value("cat", "") == "region") regions.push_back(event);
    if (event.at("ph") == "C") counters.push_back(event);
    if (event.at("ph") == "i") points.push_back(event);
  }
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions[1].at("tid"), 1);
  EXPECT_EQ(regions[2].at("name"), "in, it");
  EXPECT_EQ(regions[2].at("ts"), 2.5);
  EXPECT_EQ(regions[2].at("dur"), 1.0);
  ASSERT_EQ(counters.size(), 2u);
  EXPECT_EQ(counters[0].at("args").at("value"), 0.25);
  EXPECT_EQ(counters[1].at("args").at("value"), -2);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].at("name"), "half \"way\"");
  EXPECT_EQ(points[0].at("ts"), 4.5);
}

TEST(Export, PajeShowsWhatTheProgramMarked) {
  const auto lines = lines_of(exported(marked(), "paje"));
  double last = 0;
  std::map<std::string, int> depth;  // by type and container
  std::vector<std::string> said;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string event, time, type, container;
    words >> event >> time >> type >> container;
    if (event != "6" && event != "7" && event != "8" && event != "9" && event != "11" && event != "13")
      continue;
    EXPECT_GE(std::stod(time), last) << line;
    last = std::stod(time);
    if (event == "6") ++depth[type + container];
    if (event == "7") {
      EXPECT_GE(--depth[type + container], 0) << line;
    }
    if (event == "11" || event == "13") said.push_back(line);
  }
  for (const auto& [state, open] : depth) EXPECT_EQ(open, 0) << state;
  EXPECT_EQ(depth.count("G1r0"), 1u);
  EXPECT_EQ(said, (std::vector<std::string>{"11 0.000002600 V0 r0 0.25", "11 0.000002700 V1 r0 -2",
                                            "13 0.000004500 E r0 e0"}));
}

TEST(Export, CsvOfWhatTheProgramMarked) {
  EXPECT_EQ(lines_of(exported(marked(), "csv-user")),
            (std::vector<std::string>{
                "rank,thread,kind,name,begin_s,end_s,value", "0,0,region,solve,0.000001000,0.000004000,",
                "0,1,region,solve,0.000001500,0.000001600,", "0,0,region,\"in, it\",0.000002500,0.000003500,",
                "0,0,value,residual,0.000002600,,0.25", "0,0,value,step,0.000002700,,-2",
                "0,0,marker,\"half \"\"way\"\"\",0.000004500,,"}));
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
  for (const ExportFormat* format : export_formats()) {
    if (format->directory != nullptr) continue;  // the next test
    EXPECT_FALSE(exported(Trace{}, format->name).empty());
  }
}

// A directory of ours, which a later one of the format may replace.
TEST(Export, ADirectoryOfAnEmptyTraceIsThereAndEmpty) {
  const TestDir dir;
  for (int time = 0; time < 2; ++time)
    ASSERT_TRUE(export_trace(Trace{}, *export_format_named("s4"), dir.path() / "out"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "out" / "station.0"));
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "out.old"));
}

}  // namespace
}  // namespace ww
