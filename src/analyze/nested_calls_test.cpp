// A call's own time is without those made inside of it: Figure 3.3b of S4 and its text, which subtracts 28 and 2770
// us from pvm_psend and leaves 289; the rest by hand from the same rule.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analyze/breakdown.hpp"
#include "analyze/library_time.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using spool::flag_nested;
using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

Trace unified_and_loaded(const TestDir& dir, const std::map<std::string, SpoolWriter>& tasks) {
  spool::write_tasks(dir.path(), tasks);
  const auto unified = unify(dir.path(), nlohmann::json::object());
  EXPECT_TRUE(unified) << to_string(unified.error());
  auto trace = load_trace(dir.path());
  EXPECT_TRUE(trace) << to_string(trace.error());
  return std::move(*trace);
}

void add_us(SpoolWriter& task, const char* call, std::uint64_t start, std::uint64_t duration,
            std::uint8_t flags = 0) {
  task.add(call, start, start + duration, Kind::call, -1, 0, 0, 0, flags);
}

TEST(NestedCalls, OfS4sExampleLeaveItsTimes) {
  const TestDir dir;
  std::map<std::string, SpoolWriter> tasks;
  SpoolWriter& task = tasks["000000000004000b"];
  task.task("000000000004000b", 1000);
  add_us(task, "pvm_pkbyte", 795294798, 28, flag_nested);
  add_us(task, "pvm_send", 795294918, 2770, flag_nested);
  add_us(task, "pvm_psend", 795294710, 3087);
  Trace trace = unified_and_loaded(dir, tasks);
  Breakdown breakdown = break_down(trace, nullptr);
  EXPECT_NEAR(breakdown.calls["pvm_psend"].time_s, 289e-6, 1e-12);
  EXPECT_EQ(breakdown.calls["pvm_psend"].count, 1u);
  EXPECT_NEAR(breakdown.calls["pvm_pkbyte"].time_s, 28e-6, 1e-12);
  EXPECT_EQ(breakdown.calls["pvm_pkbyte"].count, 1u);
  EXPECT_NEAR(breakdown.calls["pvm_send"].time_s, 2770e-6, 1e-12);
  // The same of the process by itself, the largest first.
  const auto of_ranks = find_library_times(trace, breakdown);
  ASSERT_EQ(of_ranks.size(), 1u);
  std::vector<std::pair<std::string, std::int64_t>> us;
  for (const LibraryTime& one : of_ranks[0])
    us.emplace_back(trace.regions[one.region], std::llround(one.library_s() * 1e6));
  EXPECT_EQ(us, (decltype(us){{"pvm_send", 2770}, {"pvm_psend", 289}, {"pvm_pkbyte", 28}}));
}

TEST(NestedCalls, OfTheWholeFigureAddUpToTheTimeInCalls) {
  const TestDir dir;
  std::map<std::string, SpoolWriter> tasks;
  SpoolWriter& task = tasks["000000000004000b"];
  task.task("000000000004000b", 1000);
  add_us(task, "pvm_pkbyte", 795294798, 28, flag_nested);
  add_us(task, "pvm_send", 795294918, 2770, flag_nested);
  add_us(task, "pvm_psend", 795294710, 3087);
  add_us(task, "pvm_recv", 795297915, 23276, flag_nested);
  add_us(task, "pvm_upkbyte", 795321282, 14, flag_nested);
  add_us(task, "pvm_precv", 795297905, 23496);
  add_us(task, "pvm_pkbyte", 795381651, 23, flag_nested);
  add_us(task, "pvm_send", 795381771, 3642, flag_nested);
  add_us(task, "pvm_psend", 795381544, 3983);
  Trace trace = unified_and_loaded(dir, tasks);
  Breakdown breakdown = break_down(trace, nullptr);
  EXPECT_NEAR(breakdown.calls["pvm_psend"].time_s, (289 + 3983 - 23 - 3642) * 1e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_precv"].time_s, (23496 - 23276 - 14) * 1e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_pkbyte"].time_s, (28 + 23) * 1e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_upkbyte"].time_s, 14e-6, 1e-12);
  const RankBreakdown& rank = breakdown.ranks[0];
  EXPECT_NEAR(rank.elapsed_s, (795381544 + 3983 - 795294710) * 1e-6, 1e-12);
  EXPECT_NEAR(rank.library_s, (3087 + 23496 + 3983) * 1e-6, 1e-12);
  EXPECT_NEAR(rank.compute_s, rank.elapsed_s - rank.library_s, 1e-12);
  double in_calls_s = 0;
  for (const auto& [name, call] : breakdown.calls) in_calls_s += call.program_s;
  EXPECT_NEAR(in_calls_s, rank.library_s + rank.blocked_s, 1e-12);
  EXPECT_EQ(to_json(breakdown, Part(trace))["ranks"][0]["address"], "000000000004000b");
}

// Entered at 100 us, the sender began at 600: 500 of algorithmic waiting; the 100 up to the return hold 30 of
// software. So 570 us were blocked, from the entry on: of pvm_recv all its 540, of pvm_upkbyte 660 to 670, of
// pvm_precv itself 100 to 110 and 650 to 660.
TEST(NestedCalls, ShareTheBlockedTimeOfTheCallAroundThem) {
  const TestDir dir;
  std::map<std::string, SpoolWriter> tasks;
  SpoolWriter& sender = tasks["000000000004000b"];
  SpoolWriter& receiver = tasks["000000000004000c"];
  sender.task("000000000004000b", 1000);
  receiver.task("000000000004000c", 2000);
  sender.peer(0, "000000000004000c");
  receiver.peer(0, "000000000004000b");
  sender.add("pvm_send", 600, 620, Kind::send, 0, 7, 8);
  receiver.add("pvm_recv", 110, 650, Kind::recv, 0, 7, 8, 0, flag_nested);
  receiver.add("pvm_upkbyte", 660, 690, Kind::call, -1, 0, 0, 0, flag_nested);
  receiver.add("pvm_precv", 100, 700);
  Trace trace = unified_and_loaded(dir, tasks);
  const auto flat = [](double seconds) { return Curve{{Segment{0, 1e9, seconds, 0, {}, {}}}}; };
  MachineModel machine;
  machine.costs.F = flat(15e-6);
  machine.costs.A = flat(10e-6);
  machine.costs.U = flat(20e-6);
  Breakdown breakdown = break_down(trace, &machine);
  EXPECT_NEAR(breakdown.ranks[1].blocked_s, 570e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_recv"].blocked_s, 540e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_upkbyte"].blocked_s, 10e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_precv"].blocked_s, 20e-6, 1e-12);
  EXPECT_NEAR(breakdown.calls["pvm_precv"].time_s, 30e-6, 1e-12);
}

}  // namespace
}  // namespace ww
