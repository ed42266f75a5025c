// Threads in the spool: several at a time in files of their own, one after another in one file, at work when
// their process exits. Expected values are those that were written; ticks are microseconds, and time 0 is the
// entry of MPI_Init.
#include <gtest/gtest.h>

#include <algorithm>

#include "trace/however_loaded.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

SpoolWriter one_rank(const char* reason) {
  SpoolWriter writer;
  writer.standard(0, 1);
  writer.clock(0, 0, 0, true);
  writer.name(1, "region", "solve");
  writer.name(2, "region", "load");
  writer.add("MPI_Init", 1000, 1100);
  writer.end(2000);
  writer.definitions.back()["reason"] = reason;
  return writer;
}

void next_thread(SpoolWriter& writer, std::uint64_t at, std::uint64_t number) {
  writer.records.push_back({at, at, 0, number, spool::no_peer, 0, 0,
                            static_cast<std::uint8_t>(Kind::thread_begins), 0, spool::no_call});
}

Result<Trace> loaded(const SpoolWriter& first, const std::vector<SpoolWriter>& others) {
  const TestDir dir;
  spool::write_spools(dir.path(), {first});
  for (std::size_t t = 0; t < others.size(); ++t)
    spool::write_bytes(dir.path() / "spool" / ("rank-0.thread-" + std::to_string(t + 1) + ".spool"),
                       others[t].spool_bytes(0, 3, static_cast<int>(t + 1)));
  return load_in_all_ways(dir.path());
}

std::vector<std::int64_t> entries_of(const Trace& trace, const std::string& call) {
  std::vector<std::int64_t> entries;
  const auto& rank = trace.ranks[0];
  for (std::size_t i = 0; i < rank.calls(); ++i)
    if (trace.regions[rank.region[i]] == call) entries.push_back(rank.enter_ns[i] / 1000);
  return entries;
}

// The second thread of the file neither ends nor inherits the regions of the first.
TEST(Threads, RegionsEndWithTheirThreadAndNotWithItsSuccessor) {
  SpoolWriter file;
  file.say(Kind::region_begin, 1200, 1);
  file.add("MPI_Comm_rank", 1210, 1220);
  next_thread(file, 1220, 3);
  file.add("MPI_Comm_rank", 1300, 1310);
  file.say(Kind::region_begin, 1320, 2);
  file.say(Kind::region_end, 1330, 2);
  file.say(Kind::region_end, 1340, 1);
  const auto trace = loaded(one_rank("finalize"), {file});
  ASSERT_TRUE(trace) << to_string(trace.error());
  const auto& regions = trace->ranks[0].user.regions;
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(trace->user.regions[regions[0].region], "solve");
  EXPECT_EQ(regions[0].leave_ns, 220000);
  EXPECT_EQ(regions[1].leave_ns, 330000);
  EXPECT_EQ(entries_of(*trace, "MPI_Comm_rank"), (std::vector<std::int64_t>{210, 300}));
  EXPECT_FALSE(trace->diagnostics.has("damaged-record"));
  for (const Diagnostic& diagnostic : trace->diagnostics.all()) {
    if (diagnostic.name == "region-left-open" || diagnostic.name == "region-not-open") {
      EXPECT_EQ(diagnostic.count, 1u) << diagnostic.name;
    }
  }
  EXPECT_TRUE(trace->diagnostics.has("region-left-open"));
  EXPECT_TRUE(trace->diagnostics.has("region-not-open"));
}

// A thread that takes over has its first call long after what other threads did meanwhile: files are merged by
// time all the same, so that an operation begins before another thread completes it.
TEST(Threads, CallsOfManyFilesAreTakenInTheOrderOfTime) {
  constexpr int files = 40;
  std::vector<SpoolWriter> others(files);
  for (std::uint64_t i = 0; i < 400; ++i) {
    SpoolWriter& begins = others[i * 7 % files];
    SpoolWriter& completes = others[(i * 7 + 3) % files];
    if (i % 50 == 49) next_thread(begins, 1200 + 10 * i, i);
    begins.add("MPI_Irecv", 1200 + 10 * i, 1202 + 10 * i, Kind::irecv, 0, 5, 8, i + 1);
    completes.add("MPI_Wait", 1206 + 10 * i, 1208 + 10 * i, Kind::irecv_done, 0, 5, 8, i + 1);
  }
  SpoolWriter first = one_rank("exit");
  const auto trace = loaded(first, others);
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(entries_of(*trace, "MPI_Irecv").size(), 400u);
  EXPECT_FALSE(trace->diagnostics.has("unknown-operation"));
  EXPECT_FALSE(trace->diagnostics.has("damaged-record"));
}

// exit() notes the end while other threads are still at work: what they did until the process was gone is
// theirs. Behind MPI_Finalize there are no calls, so that later times are damage.
TEST(Threads, CallsAfterTheNoteOfAnExitAreTaken) {
  SpoolWriter thread;
  thread.add("MPI_Comm_rank", 1990, 1999);
  thread.add("MPI_Comm_rank", 2000, 2010);
  thread.add("MPI_Comm_rank", 2020, 2030);
  for (const char* reason : {"exit", "abort", "finalize"}) {
    const auto trace = loaded(one_rank(reason), {thread});
    ASSERT_TRUE(trace) << to_string(trace.error());
    const bool finalized = std::string(reason) == "finalize";
    EXPECT_EQ(entries_of(*trace, "MPI_Comm_rank").size(), finalized ? 1u : 3u) << reason;
    EXPECT_EQ(trace->diagnostics.has("damaged-record"), finalized) << reason;
  }
}

}  // namespace
}  // namespace ww
