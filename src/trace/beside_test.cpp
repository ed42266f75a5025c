// Windows and files from spools to values, by way of an archive. What must come out is what the records say;
// which operations a call completes is MPI 3.1, 11.5.
#include <gtest/gtest.h>

#include "trace/however_loaded.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;
using spool::WindowCall;

constexpr std::uint32_t window = 7, file = 8;

class Ranks {
 public:
  explicit Ranks(int size) : writers_(static_cast<std::size_t>(size)) {
    for (int r = 0; r < size; ++r) {
      writers_[static_cast<std::size_t>(r)].standard(r, size);
      writers_[static_cast<std::size_t>(r)].object("window", window, size, "window");
      writers_[static_cast<std::size_t>(r)].object("file", file, size, "out.dat",
                                                   spool::file_create | spool::file_write_only);
      writers_[static_cast<std::size_t>(r)].add("MPI_Init", 1, 2);
    }
  }
  SpoolWriter& operator[](std::size_t rank) { return writers_[rank]; }
  Trace load() {
    for (SpoolWriter& writer : writers_) {
      writer.add("MPI_Finalize", 9000, 9001);
      writer.end(9100);
    }
    const TestDir dir;
    spool::write_spools(dir.path(), writers_);
    auto trace = load_in_all_ways(dir.path());
    EXPECT_TRUE(trace) << to_string(trace.error());
    return trace ? *std::move(trace) : Trace{};
  }

 private:
  std::vector<SpoolWriter> writers_;
};

std::string call_name(const Trace& trace, std::size_t rank, std::uint32_t call) {
  return call == none ? "none" : trace.regions[trace.ranks[rank].region[call]];
}

TEST(OneSided, FlushUnlockAndWaitCompleteWhatTheyReach) {
  Ranks ranks(3);
  SpoolWriter& zero = ranks[0];
  zero.definitions.push_back({{"def", "window"}, {"id", window}, {"name", "halo"}});
  zero.window_call("MPI_Win_lock", 10, 11, WindowCall::lock_shared, 1);
  zero.window_call("MPI_Win_lock", 12, 13, WindowCall::lock_exclusive, 2);
  zero.add("MPI_Put", 20, 21, Kind::put, 1, 0, 100, 0, 0, window);
  zero.add("MPI_Put", 22, 23, Kind::put, 2, 0, 200, 0, 0, window);
  zero.add("MPI_Rget", 24, 25, Kind::get, 2, 0, 300, 5, 0, window);
  zero.add("MPI_Wait", 26, 27, Kind::one_sided_done, 2, 0, 300, 5, 0, window);
  zero.window_call("MPI_Win_flush_local", 30, 31, WindowCall::flush_local, 1);
  zero.window_call("MPI_Win_flush", 32, 33, WindowCall::flush, 2);
  zero.add("MPI_Fetch_and_op", 34, 35, Kind::atomic, 1, static_cast<std::int32_t>(spool::Atomic::fetch), 8, 0,
           0, window);
  zero.window_call("MPI_Win_unlock", 36, 37, WindowCall::unlock, 1);
  zero.window_call("MPI_Win_unlock", 38, 39, WindowCall::unlock, 2);
  const Trace trace = ranks.load();
  ASSERT_EQ(trace.one_sided.windows.size(), 1u);
  EXPECT_EQ(trace.one_sided.windows[0].name, "halo");
  EXPECT_EQ(trace.comms[trace.one_sided.windows[0].comm].ranks, (std::vector<std::int32_t>{0, 1, 2}));
  const auto& transfers = trace.one_sided.ranks[0].transfers;
  ASSERT_EQ(transfers.size(), 4u);
  struct Wanted {
    TransferKind kind;
    std::int32_t target;
    std::uint64_t out, in;
    const char *done, *done_there;
  };
  const Wanted wanted[] = {{TransferKind::put, 1, 100, 0, "MPI_Win_flush_local", "MPI_Win_unlock"},
                           {TransferKind::put, 2, 200, 0, "MPI_Win_flush", "MPI_Win_flush"},
                           {TransferKind::get, 2, 0, 300, "MPI_Wait", "MPI_Win_flush"},
                           {TransferKind::fetch, 1, 0, 8, "MPI_Win_unlock", "MPI_Win_unlock"}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(transfers[i].kind, wanted[i].kind) << i;
    EXPECT_EQ(transfers[i].target, wanted[i].target) << i;
    EXPECT_EQ(transfers[i].bytes_out, wanted[i].out) << i;
    EXPECT_EQ(transfers[i].bytes_in, wanted[i].in) << i;
    EXPECT_EQ(call_name(trace, 0, transfers[i].done_call), wanted[i].done) << i;
    EXPECT_EQ(call_name(trace, 0, transfers[i].remote_done_call), wanted[i].done_there) << i;
  }
  std::vector<std::pair<SyncKind, std::int32_t>> syncs;
  for (const WindowSync& sync : trace.one_sided.ranks[0].syncs) syncs.emplace_back(sync.kind, sync.target);
  const std::vector<std::pair<SyncKind, std::int32_t>> wanted_syncs = {
      {SyncKind::lock, 1},   {SyncKind::lock, 2},   {SyncKind::memory, 1},
      {SyncKind::memory, 2}, {SyncKind::unlock, 1}, {SyncKind::unlock, 2}};
  EXPECT_EQ(syncs, wanted_syncs);
  EXPECT_FALSE(trace.diagnostics.has("unknown-operation"));
}

TEST(OneSided, EpochsEndAtTheOriginAndNobodyTellsOfTheTarget) {
  Ranks ranks(2);
  ranks[0].window_call("MPI_Win_start", 10, 11, WindowCall::start, 1);
  ranks[0].add("MPI_Put", 20, 21, Kind::put, 1, 0, 100, 0, 0, window);
  ranks[0].window_call("MPI_Win_complete", 30, 31, WindowCall::complete);
  ranks[1].window_call("MPI_Win_post", 10, 11, WindowCall::post, 0);
  ranks[1].window_call("MPI_Win_wait", 12, 40, WindowCall::wait);
  const Trace trace = ranks.load();
  const auto& transfers = trace.one_sided.ranks[0].transfers;
  ASSERT_EQ(transfers.size(), 1u);
  EXPECT_EQ(call_name(trace, 0, transfers[0].done_call), "MPI_Win_complete");
  EXPECT_EQ(transfers[0].remote_done_call, none);
  for (std::size_t r = 0; r < 2; ++r) {
    ASSERT_EQ(trace.one_sided.ranks[r].syncs.size(), 2u);
    EXPECT_EQ(trace.one_sided.ranks[r].syncs[0].kind, SyncKind::epoch_begin);
    EXPECT_EQ(trace.one_sided.ranks[r].syncs[1].kind, SyncKind::epoch_end);
  }
}

TEST(OneSided, AFenceIsACollectiveUnlessSomebodyLeftItBeforeTheLastCame) {
  Ranks ranks(2);
  for (std::size_t r = 0; r < 2; ++r) {
    ranks[r].window_call("MPI_Win_create", 100 + 10 * r, 150, WindowCall::created);
    ranks[r].window_call("MPI_Win_fence", r == 0 ? 200 : 300, r == 0 ? 210 : 310, WindowCall::fence);
    ranks[r].add("MPI_Put", 400, 401, Kind::put, 1 - static_cast<int>(r), 0, 8, 0, 0, window);
    ranks[r].window_call("MPI_Win_fence", r == 0 ? 500 : 600, 610, WindowCall::fence);
    ranks[r].window_call("MPI_Win_free", 700, 710, WindowCall::freed);
  }
  const Trace trace = ranks.load();
  ASSERT_EQ(trace.collectives.size(), 3u);  // not the first fence
  for (const Collective& collective : trace.collectives) {
    EXPECT_EQ(collective.op, CollectiveOp::window);
    EXPECT_EQ(collective.members.size(), 2u);
    EXPECT_EQ(collective.comm, trace.one_sided.windows[0].comm);
  }
  EXPECT_EQ(trace.one_sided.ranks[0].syncs.size(), 4u);
  EXPECT_EQ(call_name(trace, 0, trace.one_sided.ranks[0].transfers.at(0).remote_done_call), "MPI_Win_fence");
}

TEST(FileIo, BytesOffsetsAndCollectivesAreThoseOfTheRecords) {
  Ranks ranks(2);
  const std::uint64_t far = (std::uint64_t{1} << 40) + 3;
  for (std::size_t r = 0; r < 2; ++r) {
    SpoolWriter& rank = ranks[r];
    rank.file_call("MPI_File_open", 10, 20, spool::FileCall::opened);
    rank.add("MPI_File_write_at_all", 30 + 10 * r, 60, Kind::file_write, 5, 1, 1000, far,
             spool::flag_collective, file);
    rank.add("MPI_File_read", 70, 75, Kind::file_read, 64, 0, 32,
             static_cast<std::uint64_t>(spool::no_offset), 0, file);
    rank.add("MPI_File_iread_at", 80, 81, Kind::file_iread, 3, 256, 48, 9, 0, file);
    rank.add("MPI_Test", 82, 83, Kind::test_failed, -1, 0, 0, 9, 0, file);
    rank.add("MPI_Wait", 84, 90, Kind::file_done, -1, 0, 40, 9, 0, file);
    rank.file_call("MPI_File_close", 100, 110, spool::FileCall::closed);
  }
  ranks[0].definitions.push_back({{"def", "file"}, {"id", 30}, {"name", "old.dat"}, {"mode", 0}});
  ranks[0].file_call("MPI_File_delete", 120, 121, spool::FileCall::deleted, 30);
  const Trace trace = ranks.load();
  EXPECT_EQ(trace.file_io.files, (std::vector<std::string>{"out.dat", "old.dat"}));
  ASSERT_EQ(trace.file_io.handles.size(), 1u);
  const RankFileIo& zero = trace.file_io.ranks[0];
  ASSERT_EQ(zero.operations.size(), 3u);
  EXPECT_TRUE(zero.operations[0].writes && zero.operations[0].collective && zero.operations[0].blocking);
  EXPECT_EQ(zero.operations[0].bytes_wanted, (std::uint64_t{1} << 32) + 5);
  EXPECT_EQ(zero.operations[0].bytes, 1000u);
  EXPECT_EQ(zero.operations[0].offset, static_cast<std::int64_t>(far));
  EXPECT_FALSE(zero.operations[1].writes || zero.operations[1].collective);
  EXPECT_EQ(zero.operations[1].offset, FileOperation::unknown_offset);
  EXPECT_EQ(zero.operations[1].bytes, 32u);
  EXPECT_FALSE(zero.operations[2].blocking);
  EXPECT_EQ(zero.operations[2].offset, (std::int64_t{256} << 32) + 3);
  EXPECT_EQ(zero.operations[2].bytes_wanted, 48u);
  EXPECT_EQ(zero.operations[2].bytes, 40u);
  EXPECT_EQ(call_name(trace, 0, zero.operations[2].call), "MPI_File_iread_at");
  EXPECT_EQ(call_name(trace, 0, zero.operations[2].done_call), "MPI_Wait");
  ASSERT_EQ(zero.events.size(), 3u);
  EXPECT_EQ(zero.events[0].mode, FileMode::write);
  EXPECT_EQ(zero.events[2].change, FileChange::deleted);
  EXPECT_EQ(zero.events[2].file, 1u);
  ASSERT_EQ(trace.collectives.size(), 3u);  // opened, written, closed together
  for (const Collective& collective : trace.collectives) EXPECT_EQ(collective.op, CollectiveOp::file);
}

TEST(AttributesBeside, WhatIsNotDefinedIsCounted) {
  Ranks ranks(1);
  ranks[0].add("MPI_Put", 20, 21, Kind::put, 0, 0, 100, 0, 0, 99);
  ranks[0].add("MPI_Put", 22, 23, Kind::put, 5, 0, 100, 0, 0, window);  // no such member
  ranks[0].file_call("MPI_File_open", 30, 31, spool::FileCall::opened, 99);
  ranks[0].add("MPI_Wait", 40, 41, Kind::file_done, -1, 0, 40, 9, 0, file);
  const Trace trace = ranks.load();
  for (const auto& [name, count] :
       {std::pair{"unknown-window", 2u}, {"unknown-file", 1u}, {"unknown-operation", 1u}}) {
    std::uint64_t counted = 0;
    for (const Diagnostic& d : trace.diagnostics.all())
      if (d.name == name) counted = d.count;
    EXPECT_EQ(counted, count) << name;
  }
}

}  // namespace
}  // namespace ww
