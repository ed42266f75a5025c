// Expected values are worked out by hand from the records written: ticks are microseconds, and time 0 is the
// entry of the first call.
#include <gtest/gtest.h>

#include "base/subprocess.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

// Rank 0 sends 100 bytes and, without waiting, 200; rank 1 receives the first from anyone and the second by a
// Waitall.
std::vector<SpoolWriter> two_ranks() {
  std::vector<SpoolWriter> ranks(2);
  for (int r = 0; r < 2; ++r) {
    ranks[r].standard(r, 2);
    ranks[r].clock(0, 0, 0, true);
    ranks[r].add("MPI_Init", 1000, 1100);
  }
  ranks[0].add("MPI_Send", 1200, 1210, Kind::send, 1, 7, 100);
  ranks[0].add("MPI_Isend", 1300, 1301, Kind::isend, 1, 8, 200, 41);
  ranks[0].add("MPI_Waitall", 1400, 1450, Kind::done_range, spool::no_peer, 0, 1, 41);
  ranks[1].add("MPI_Irecv", 1150, 1151, Kind::irecv, 0, 8, 4096, 77);
  ranks[1].add("MPI_Recv", 1160, 1230, Kind::recv, 0, 7, 100, 0, spool::flag_wildcard);
  ranks[1].add("MPI_Waitall", 1240, 1320, Kind::done_range, spool::no_peer, 0, 1, 77);
  for (int r = 0; r < 2; ++r) {
    ranks[r].add("MPI_Allreduce", 1500, 1510 + r, Kind::collective, spool::no_peer, 0, 8, 8);
    ranks[r].add("MPI_Finalize", 1600, 1700);
    ranks[r].end(1800);
  }
  return ranks;
}

TEST(Unify, MakesAnArchiveOfTheSpools) {
  const TestDir dir;
  spool::write_spools(dir.path(), two_ranks());
  const auto unified = unify(dir.path(), {{"launch", "mpirun ./a.out"}});
  ASSERT_TRUE(unified) << to_string(unified.error());
  EXPECT_TRUE(unified->all().empty());
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "spool"));

  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 2u);
  EXPECT_TRUE(trace->diagnostics.all().empty()) << trace->diagnostics.all().front().name;
  EXPECT_EQ(trace->run["launch"], "mpirun ./a.out");
  EXPECT_EQ(trace->run["mpi"], "openmpi");
  EXPECT_EQ(trace->ranks[0].host, "alpha");
  EXPECT_EQ(trace->ranks[0].calls(), 6u);
  EXPECT_EQ(trace->ranks[0].begin_ns, 100000);
  EXPECT_EQ(trace->ranks[0].end_ns, 600000);
  EXPECT_EQ(trace->ranks[0].enter_ns[1], 200000);
  EXPECT_EQ(trace->ranks[0].leave_ns[1], 210000);
  ASSERT_EQ(trace->messages.size(), 2u);
  const Message& first = trace->messages[0];
  EXPECT_EQ(first.bytes, 100u);
  EXPECT_EQ(first.tag, 7);
  EXPECT_TRUE(first.wildcard);
  EXPECT_EQ(first.send_call, 1u);
  EXPECT_EQ(first.recv_post_call, 2u);
  const Message& second = trace->messages[1];
  EXPECT_EQ(second.bytes, 200u);
  EXPECT_EQ(second.send_call, 2u);
  EXPECT_EQ(second.send_done_call, 3u);
  EXPECT_EQ(second.recv_post_call, 1u);
  EXPECT_EQ(second.recv_done_call, 3u);
  EXPECT_FALSE(second.wildcard);
  EXPECT_EQ(trace->wildcard_receives, 1u);
  // The posted room stays what was asked for, the completion is what arrived.
  EXPECT_EQ(trace->ranks[1].bytes[0], 4096u);
  EXPECT_EQ(trace->ranks[1].bytes[2], 200u);
  ASSERT_EQ(trace->collectives.size(), 1u);
  EXPECT_EQ(trace->collectives[0].op, CollectiveOp::allreduce);
  ASSERT_EQ(trace->collectives[0].members.size(), 2u);
  EXPECT_EQ(trace->collectives[0].members[1].bytes_sent, 8u);
}

}  // namespace
}  // namespace ww
