// S4's replay input of calls that were put together by hand; the lines are worked out by hand from what s4_stations.cpp says of each.
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "trace/export/export.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr std::int64_t us = 1000;

// Calls inside of calls: by name, in the order of the calls around them.
void add_nested(Trace& trace, std::size_t rank, std::uint32_t call, const std::string& name,
                std::int64_t enter_us, std::int64_t leave_us) {
  auto at = std::find(trace.regions.begin(), trace.regions.end(), name);
  if (at == trace.regions.end()) at = trace.regions.insert(at, name);
  trace.ranks[rank].nested.push_back({enter_us * us, leave_us * us, call,
                                      static_cast<std::uint16_t>(at - trace.regions.begin()),
                                      trace.ranks[rank].region[call]});
}

// 0 multicasts 68 bytes to 1 and 2, who send it 9,968 and 168 back, which it takes in one call, and then sends each another amount in one.
Trace rounds() {
  TraceBuilder builder(3, 1'000'000);
  const auto sends = [](int to, int tag, std::uint64_t bytes) {
    return message_action(ActionKind::send, to, tag, bytes);
  };
  const auto receives = [](int from, int tag, std::uint64_t bytes) {
    return message_action(ActionKind::recv, from, tag, bytes);
  };
  builder.call(0, "pvm_mcast", 100 * us, 150 * us, {sends(1, 1, 68), sends(2, 1, 68)});
  builder.call(0, "pvm_gather", 200 * us, 900 * us, {receives(1, 2, 9968), receives(2, 2, 168)});
  builder.call(0, "pvm_scatter", 1000 * us, 1100 * us, {sends(1, 3, 68), sends(2, 3, 268)});
  for (std::size_t rank = 1; rank < 3; ++rank) {
    builder.call(rank, "pvm_recv", 10 * us, 200 * us, {receives(0, 1, 68)});
    builder.call(rank, "pvm_send", 250 * us, 400 * us, {sends(0, 2, rank == 1 ? 9968 : 168)});
    builder.call(rank, "pvm_recv", 500 * us, 1200 * us, {receives(0, 3, rank == 1 ? 68 : 268)});
  }
  Trace trace = builder.matched();
  add_nested(trace, 0, 0, "write", 110, 140);
  add_nested(trace, 0, 1, "select", 210, 800);
  add_nested(trace, 0, 1, "read", 810, 851);     // 41 us: 40.16 of 10,000 bytes and 0.8 of 200
  add_nested(trace, 0, 2, "write", 1010, 1050);  // 40 us: 10 of 100 bytes and 30 of 300
  for (const std::int64_t begin_us : {300, 310, 320})
    add_nested(trace, 1, 1, "write", begin_us, begin_us + 10);
  return trace;
}

std::string file(const std::filesystem::path& directory, const char* name) {
  return read_file(directory / name).value_or("");
}

TEST(S4, EachMessageOfACallHasItsLines) {
  const spool::TestDir dir;
  const auto out = dir.path() / "out";
  const auto done = export_trace(rounds(), *export_format_named("s4"), out);
  ASSERT_TRUE(done) << to_string(done.error());
  EXPECT_EQ(file(out, "station.0"),
            "c 120 0 0 0\nm 30 100 0 1 2\nc 50 0 0 0\n"
            "r 0 16 1 0\nr 40 9984 1 0\nr 0 16 2 0\nr 1 184 2 0\n"
            "c 160 0 0 0\ns 10 100 0 1\ns 30 300 0 2\n");
  // 10,000 bytes in three writes, of 4,080 each as long as there are so many; 30 us by their bytes
  EXPECT_EQ(file(out, "station.1"),
            "c 10 0 0 0\nr 0 16 0 1\nr 0 84 0 1\nc 170 0 0 0\n"
            "s 12 4080 1 0\ns 12 4080 1 0\ns 6 1840 1 0\nc 100 0 0 0\nr 0 16 0 1\nr 0 84 0 1\n");
  EXPECT_EQ(file(out, "overhead.0"),
            "pvm_mcast 100 50\npvm_gather 200 700\nselect 210 590\npvm_scatter 1000 100\n");
}

}  // namespace
}  // namespace ww
