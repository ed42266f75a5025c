// One-sided communication and file I/O: totals are sums over each hand-built trace's own numbers.
#include <gtest/gtest.h>

#include "analyze/file_totals.hpp"
#include "analyze/one_sided_totals.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

constexpr double ns = 1e-9;

Trace with_window() {
  TraceBuilder builder(2, 10000);
  Trace& trace = builder.trace();
  trace.comms.push_back({"window", {0, 1}, 0});
  trace.one_sided.windows.push_back({"halo", 1});
  trace.one_sided.ranks.resize(2);
  Action fence;
  fence.kind = ActionKind::collective;
  fence.comm = 1;
  builder.call(0, "MPI_Put", 100, 130);
  builder.call(0, "MPI_Win_flush", 200, 260);
  builder.call(0, "MPI_Fetch_and_op", 300, 310);
  builder.call(0, "MPI_Win_fence", 400, 900, {fence});
  builder.call(1, "MPI_Win_fence", 700, 1000, {fence});
  Transfer put{0, 1, 1, 0, 1, TransferKind::put, 64, 0}, fetch{2, 3, 3, 0, 0, TransferKind::fetch, 8, 8};
  trace.one_sided.ranks[0].transfers = {put, fetch};
  trace.one_sided.ranks[0].syncs = {{1, 0, 1, SyncKind::memory}, {3, 0, -1, SyncKind::fence}};
  trace.one_sided.ranks[1].syncs = {{0, 0, -1, SyncKind::fence}};
  return builder.matched();
}

TEST(OneSided, TotalsByWindowAndTarget) {
  const Trace trace = with_window();
  const auto windows = find_one_sided(trace, break_down(trace, nullptr));
  ASSERT_EQ(windows.size(), 1u);
  const WindowTotal& window = windows[0];
  EXPECT_EQ(window.puts, 1u);
  EXPECT_EQ(window.atomics, 1u);
  EXPECT_EQ(window.bytes_out, 72u);
  EXPECT_EQ(window.bytes_in, 8u);
  EXPECT_EQ(window.syncs, 3u);
  EXPECT_NEAR(window.issue_s, 40 * ns, 1e-15);
  EXPECT_NEAR(window.sync_s, (60 + 500 + 300) * ns, 1e-15);
  EXPECT_NEAR(window.waited_s, 300 * ns, 1e-15);  // rank 0 in the fence, from 400 until 700
  ASSERT_EQ(window.targets.size(), 2u);
  EXPECT_EQ(window.targets.at(1).bytes_out, 64u);
  EXPECT_NEAR(window.targets.at(1).sync_s, 60 * ns, 1e-15);
  EXPECT_EQ(window.targets.at(0).bytes_in, 8u);
  EXPECT_EQ(window.targets.at(0).syncs, 0u);
}

// Rank 0 reads from 100 to 400 without blocking and writes together with rank 1, which comes late and is
// short.
Trace with_file() {
  TraceBuilder builder(2, 10000);
  Trace& trace = builder.trace();
  trace.comms.push_back({"file", {0, 1}, 0});
  trace.file_io.files = {"in.dat"};
  trace.file_io.handles = {{0, 1}};
  trace.file_io.ranks.resize(2);
  Action together;
  together.kind = ActionKind::collective;
  together.comm = 1;
  builder.call(0, "MPI_File_iread", 100, 110);
  builder.call(0, "MPI_Wait", 350, 400);
  builder.call(0, "MPI_File_write_all", 500, 900, {together});
  builder.call(1, "MPI_File_write_all", 600, 950, {together});
  FileOperation read{0, 1, 0, false, false, false, 100, 100, 0}, write{2, 2, 0, true, true, true, 50, 50, -1};
  trace.file_io.ranks[0].operations = {read, write};
  write.call = write.done_call = 0;
  write.bytes = 20;
  trace.file_io.ranks[1].operations = {write};
  trace.file_io.ranks[1].events = {};
  return builder.matched();
}

TEST(Files, RateIsBytesOverTheTimeWithAnOperationUnderWay) {
  const Trace trace = with_file();
  const Breakdown breakdown = break_down(trace, nullptr);
  const auto files = find_files(trace, breakdown);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].reads, 1u);
  EXPECT_EQ(files[0].writes, 2u);
  EXPECT_EQ(files[0].bytes_read, 100u);
  EXPECT_EQ(files[0].bytes_written, 70u);
  EXPECT_EQ(files[0].short_operations, 1u);
  EXPECT_NEAR(files[0].time_s, (10 + 50 + 400 + 350) * ns, 1e-15);
  EXPECT_NEAR(files[0].waited_s, 100 * ns, 1e-15);
  EXPECT_NEAR(files[0].active_s, (300 + 450) * ns, 1e-15);  // 100 to 400, 500 to 950
  EXPECT_NEAR(files[0].bytes_per_s(), 170 / (750 * ns), 1);
  // What follows the last entry is the file's time and not another rank's: library.
  EXPECT_NEAR(breakdown.ranks[0].blocked_s, 100 * ns, 1e-15);
  EXPECT_NEAR(breakdown.ranks[1].blocked_s, 0, 1e-15);
}

}  // namespace
}  // namespace ww
