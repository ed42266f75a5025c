// Which communicators and messages are the same: by the calls that made or took them. Expectations: the MPI
// standard's own order (3.1, sections 6.4 and 3.8.2), which the order of completion does not tell.
#include "trace/spool_comms.hpp"

#include <gtest/gtest.h>

#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

using Made = std::vector<std::pair<std::uint32_t, std::optional<std::int64_t>>>;  // id, by which call

spool::RankSpool with_comms(const Made& made) {
  spool::RankSpool rank;
  for (const auto& [id, by] : made) {
    spool::CommDefinition comm;
    comm.id = id;
    comm.kind = "intra";
    comm.ranks = {0, 1};
    comm.made = by;
    rank.definitions.comms.push_back(std::move(comm));
  }
  return rank;
}

// What one rank, and the other, say of communicators of the same two members.
spool::CommNumbers numbered(const Made& first, const Made& second, std::vector<Comm>& comms) {
  std::vector<spool::RankSpool> ranks;
  ranks.push_back(with_comms(first));
  ranks.push_back(with_comms(second));
  return spool::number_comms(ranks, 2, comms);
}

// Two MPI_Comm_idup that completed in another order on each rank.
TEST(CommNumbers, AreTheSameByTheCallsThatMadeThem) {
  std::vector<Comm> comms;
  const auto numbers = numbered({{5, 31}, {6, 32}}, {{9, 32}, {4, 31}}, comms);
  EXPECT_EQ(comms.size(), 2u);
  EXPECT_EQ(numbers[0].at(5), numbers[1].at(4));
  EXPECT_EQ(numbers[0].at(6), numbers[1].at(9));
  EXPECT_NE(numbers[0].at(5), numbers[0].at(6));
}

// Where that is not said, as in traces of before, the order of the definitions counts, and by itself.
TEST(CommNumbers, AreTheSameByTheirOrderOtherwise) {
  std::vector<Comm> comms;
  const auto numbers = numbered({{5, {}}, {7, 0}, {6, {}}}, {{7, 0}, {9, {}}, {4, {}}}, comms);
  EXPECT_EQ(comms.size(), 3u);
  EXPECT_EQ(numbers[0].at(5), numbers[1].at(9));
  EXPECT_EQ(numbers[0].at(6), numbers[1].at(4));
  EXPECT_EQ(numbers[0].at(7), numbers[1].at(7));
}

// Rank 1 takes the first of two messages of one tag by MPI_Mprobe, receives the second, and then the first.
TEST(MatchedProbes, TakeTheirMessageAtOnce) {
  SpoolWriter sender, receiver;
  sender.standard(0, 2);
  receiver.standard(1, 2);
  for (SpoolWriter* writer : {&sender, &receiver}) {
    writer->clock(0, 0, 0, true);
    writer->add("MPI_Init", 1000, 1100);
  }
  sender.add("MPI_Send", 1200, 1205, Kind::send, 1, 4, 100);
  sender.add("MPI_Send", 1210, 1215, Kind::send, 1, 4, 200);
  receiver.add("MPI_Iprobe", 1300, 1301, Kind::probe, 0, 4, 100, 0,
               spool::flag_found | spool::flag_continued);
  receiver.add("MPI_Iprobe", 1300, 1301, Kind::irecv, 0, 4, 100, 1);
  receiver.add("MPI_Recv", 1310, 1320, Kind::recv, 0, 4, 200);
  receiver.add("MPI_Wait", 1330, 1340, Kind::irecv_done, 0, 4, 100, 1);
  for (SpoolWriter* writer : {&sender, &receiver}) {
    writer->add("MPI_Finalize", 1400, 1410);
    writer->end(1500);
  }
  const TestDir dir;
  spool::write_spools(dir.path(), {sender, receiver});
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->messages.size(), 2u);
  EXPECT_FALSE(trace->diagnostics.has("message-size-mismatch"));
  for (const Message& message : trace->messages) {
    const bool first = trace->ranks[0].enter_ns[message.send_call] == 200'000;  // of time since MPI_Init
    EXPECT_EQ(message.bytes, first ? 100u : 200u);
    EXPECT_EQ(trace->ranks[1].leave_ns[message.recv_done_call], first ? 340'000 : 320'000);
  }
}

}  // namespace
}  // namespace ww
