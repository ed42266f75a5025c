// Expected values are worked out by hand from the records written: ticks are microseconds, and time 0 is the
// entry of the first call.
#include "trace/unify.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/subprocess.hpp"
#include "trace/otf2_write.hpp"
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
  EXPECT_EQ(read_run(dir.path())["launch"], "mpirun ./a.out");
  EXPECT_EQ(read_run(dir.path())["mpi"], "openmpi");
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

TEST(Unify, CorrectsTheClocksOfOtherHosts) {
  const TestDir dir;
  auto ranks = two_ranks();
  ranks[1].host = "beta";
  // Rank 1's counter is 5000 ticks behind rank 0's at its tick 1000 and gains 10 in 1000.
  ranks[1].definitions.clear();
  ranks[1].standard(1, 2);
  ranks[1].clock(1000, 5000, 3, false);
  ranks[1].clock(2000, 4990, 4, false);
  spool::write_spools(dir.path(), ranks);
  ASSERT_TRUE(unify(dir.path(), nullptr));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks[1].host, "beta");
  EXPECT_EQ(trace->ranks[0].enter_ns[0], 0);
  EXPECT_EQ(trace->ranks[1].enter_ns[0], 5000000);  // 1000 + 5000 - rank 0's 1000
  EXPECT_EQ(trace->ranks[1].enter_ns[1], 5148500);  // 1150 + 5000 - 1.5 - 1000
  EXPECT_DOUBLE_EQ(trace->clock_uncertainty_s, 4e-6);
  EXPECT_TRUE(trace->diagnostics.has("rank-ended-early"));  // no "end" was written for rank 1
  EXPECT_EQ(read_run(dir.path())["clock"]["same_clock"], false);
}

TEST(Unify, SaysWhenMessagesArriveBeforeTheyWereSent) {
  const TestDir dir;
  auto ranks = two_ranks();
  for (auto& record : ranks[0].records) record.enter_ticks += 200, record.leave_ticks += 200;
  spool::write_spools(dir.path(), ranks);
  const auto trace = load_trace(dir.path());  // not unified before: done now
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_TRUE(trace->diagnostics.has("clock-violation"));
  // Both ranks are on one host, so no clock is known badly: rank 0's calls are 200 us late, far beyond what
  // reading a counter can be off by. Ticks are microseconds.
  const auto said = trace->diagnostics.all();
  const auto found =
      std::find_if(said.begin(), said.end(), [](const Diagnostic& d) { return d.name == "clock-violation"; });
  EXPECT_EQ(found->remedy.find("known to"), std::string::npos) << found->remedy;
  EXPECT_EQ(found->remedy.find(" 0.0 us"), std::string::npos) << found->remedy;
  EXPECT_NE(found->remedy.find("within one host"), std::string::npos) << found->remedy;
  EXPECT_NE(found->remedy.find("matched with other sends"), std::string::npos) << found->remedy;
}

TEST(Unify, TakesACrashedRankAsFarAsItGoes) {
  const TestDir dir;
  auto ranks = two_ranks();
  ranks[1].records.resize(3);  // killed in MPI_Waitall
  ranks[1].definitions.pop_back();
  spool::write_spools(dir.path(), ranks);
  const auto unified = unify(dir.path(), nullptr);
  ASSERT_TRUE(unified) << to_string(unified.error());
  ASSERT_TRUE(unified->has("rank-ended-early"));
  EXPECT_NE(unified->all()[0].remedy.find("rank 1"), std::string::npos);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks[1].calls(), 3u);
  EXPECT_EQ(trace->ranks[1].end_ns, 230000);  // its last event: the receive returned at 1230
  EXPECT_EQ(trace->messages.size(), 1u);
  EXPECT_EQ(trace->unmatched_receives, 1u);  // posted, never completed
  EXPECT_EQ(trace->ranks[1].peer[0], 0);     // but what it asked for is known
  EXPECT_EQ(trace->ranks[1].tag[0], 8);
  EXPECT_TRUE(trace->diagnostics.has("incomplete-collective"));
}

TEST(Unify, ReadsTheCallsOfOtherThreadsAmongThoseOfTheFirst) {
  const TestDir dir;
  const auto ranks = two_ranks();
  spool::write_spools(dir.path(), ranks);
  SpoolWriter thread;
  thread.add("MPI_Comm_rank", 1205, 1206);
  spool::write_bytes(dir.path() / "spool" / "rank-0.thread-1.spool", thread.spool_bytes(0, 3, 1));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  const auto& regions = trace->ranks[0].region;
  EXPECT_EQ(std::count_if(regions.begin(), regions.end(),
                          [&](std::uint16_t region) { return trace->regions[region] == "MPI_Comm_rank"; }),
            1);
  EXPECT_EQ(trace->ranks[0].calls(),
            8u);  // the call of the first thread in which it lies is shown in two pieces
  EXPECT_TRUE(trace->diagnostics.has("threads-interleaved"));
}

TEST(Unify, RecognisesCommunicatorsAcrossRanks) {
  const TestDir dir;
  auto ranks = two_ranks();
  // Two duplicates of the world under different local ids; rank 1 sends on its second, rank 0 receives on its
  // second.
  for (int r = 0; r < 2; ++r) {
    for (int i = 0; i < 2; ++i)
      ranks[r].definitions.push_back({{"def", "comm"},
                                      {"id", r == 0 ? 10 + i : 30 - i},
                                      {"kind", "intra"},
                                      {"ranks", {0, 1}},
                                      {"name", "dup"}});
    ranks[r].records.pop_back();
  }
  ranks[1].add("MPI_Send", 1520, 1525, Kind::send, 0, 3, 16, 0, 0, 29);
  ranks[0].add("MPI_Recv", 1520, 1530, Kind::recv, 1, 3, 16, 0, 0, 11);
  spool::write_spools(dir.path(), ranks);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->messages.size(), 3u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
}

TEST(Unify, PeersOfIntercommunicatorsAreInTheOtherGroup) {
  const TestDir dir;
  auto ranks = two_ranks();
  for (int r = 0; r < 2; ++r) {
    ranks[r].definitions.push_back({{"def", "comm"},
                                    {"id", 4},
                                    {"kind", "inter"},
                                    {"ranks", {r}},
                                    {"remote_ranks", {1 - r}},
                                    {"name", ""}});
    ranks[r].records.pop_back();
  }
  ranks[1].add("MPI_Send", 1520, 1525, Kind::send, 0, 3, 16, 0, 0, 4);
  ranks[0].add("MPI_Recv", 1520, 1530, Kind::recv, 0, 3, 16, 0, 0, 4);
  spool::write_spools(dir.path(), ranks);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->messages.size(), 3u);
  EXPECT_EQ(trace->messages[0].source, 1);
  EXPECT_EQ(trace->messages[0].destination, 0);
}

TEST(Unify, WritesWhatOtf2PrintReads) {
  if (!find_program("otf2-print")) GTEST_SKIP() << "otf2-print is not installed";
  const TestDir dir;
  spool::write_spools(dir.path(), two_ranks());
  ASSERT_TRUE(unify(dir.path(), nullptr));
  const auto printed = run({.arguments = {"otf2-print", (dir.path() / "traces.otf2").string()},
                            .output = Command::Output::capture,
                            .capture_errors = true,
                            .time_limit_s = 20});
  ASSERT_TRUE(printed);
  EXPECT_EQ(printed->exit_code, 0);
  EXPECT_EQ(printed->errors, "");
  const auto count = [&](const std::string& event) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = printed->output.find("\n" + event + " ", at)) != std::string::npos; ++at)
      ++found;
    return found;
  };
  EXPECT_EQ(count("ENTER"), 12u);
  EXPECT_EQ(count("LEAVE"), 12u);
  EXPECT_EQ(count("MPI_SEND"), 1u);
  EXPECT_EQ(count("MPI_RECV"), 1u);
  EXPECT_EQ(count("MPI_ISEND"), 1u);
  EXPECT_EQ(count("MPI_ISEND_COMPLETE"), 1u);
  EXPECT_EQ(count("MPI_IRECV_REQUEST"), 1u);
  EXPECT_EQ(count("MPI_IRECV"), 1u);
  EXPECT_EQ(count("MPI_COLLECTIVE_END"), 2u);
}

TEST(Unify, LeavesTheSpoolWhenItCannotWrite) {
  const TestDir dir;
  std::filesystem::create_directories(dir.path() / "spool");
  const auto unified = unify(dir.path(), nullptr);
  ASSERT_FALSE(unified);
  EXPECT_EQ(unified.error().what, "nothing was recorded");
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "spool"));
  EXPECT_FALSE(std::filesystem::exists(dir.path() / "traces.otf2"));
}

TEST(Load, RefusesWhatIsNoTrace) {
  const TestDir dir;
  EXPECT_EQ(load_trace(dir.path() / "missing").error().what, "no such trace");
  EXPECT_EQ(load_trace(dir.path()).error().what, "not a trace directory");
  spool::write_bytes(dir.path() / "traces.otf2", "this is no archive");
  EXPECT_EQ(load_trace(dir.path()).error().what, "not an OTF2 archive");
}

TEST(Load, RefusesTruncatedArchivesWithoutHanging) {
  const TestDir dir;
  spool::write_spools(dir.path(), two_ranks());
  ASSERT_TRUE(unify(dir.path(), nullptr));
  for (const char* name : {"traces.otf2", "traces.def", "traces/0.evt", "traces/1.evt"}) {
    const auto file = dir.path() / name;
    const auto size = std::filesystem::file_size(file);
    const TestDir safe;
    std::filesystem::copy_file(file, safe.path() / "whole");
    for (const std::uintmax_t left : {std::uintmax_t{0}, std::uintmax_t{10}, size / 3, size / 2, size - 1}) {
      std::filesystem::resize_file(file, left);
      const auto trace = load_trace(dir.path());
      if (trace) continue;  // what was cut carried nothing
      EXPECT_NE(trace.error().remedy, "") << name << " cut to " << left;
    }
    std::filesystem::resize_file(file, size / 2);
    EXPECT_FALSE(load_trace(dir.path())) << name;
    std::filesystem::copy_file(safe.path() / "whole", file,
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(load_trace(dir.path())) << name;
  }
}

// Rank 0 gives itself 8 and rank 1 16 bytes, rank 1 both 4: then nothing more is recorded than the sum.
TEST(Unify, KeepsWhatACollectiveSendsToEach) {
  const TestDir dir;
  std::vector<SpoolWriter> ranks(2);
  for (int r = 0; r < 2; ++r) {
    ranks[r].standard(r, 2);
    ranks[r].clock(0, 0, 0, true);
    ranks[r].add("MPI_Init", 1000, 1100);
  }
  ranks[0].add("MPI_Alltoallv", 1200, 1300, Kind::collective, spool::no_peer, 0, 24, 12,
               spool::flag_continued);
  ranks[0].add("MPI_Alltoallv", 1200, 1300, Kind::sent_to, 0, 1, 8, 16);
  ranks[1].add("MPI_Alltoallv", 1200, 1300, Kind::collective, spool::no_peer, 0, 8, 20);
  for (int r = 0; r < 2; ++r) ranks[r].end(1800);
  spool::write_spools(dir.path(), ranks);
  ASSERT_TRUE(unify(dir.path(), nlohmann::json::object()));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  const RankTrace& first = trace->ranks[0];
  ASSERT_EQ(first.actions(), 3u);
  EXPECT_EQ(first.kind,
            (std::vector<ActionKind>{ActionKind::collective, ActionKind::sent_to, ActionKind::sent_to}));
  EXPECT_EQ(first.peer[1], 0);
  EXPECT_EQ(first.bytes[1], 8u);
  EXPECT_EQ(first.peer[2], 1);
  EXPECT_EQ(first.bytes[2], 16u);
  EXPECT_EQ(trace->ranks[1].actions(), 1u);
  ASSERT_EQ(trace->collectives.size(), 1u);
  EXPECT_EQ(trace->collectives[0].op, CollectiveOp::alltoallv);
  EXPECT_TRUE(trace->volumes_told);
  // what was read is written and read again alike
  const TestDir again;
  ASSERT_TRUE(otf2::write_archive(*trace, again.path()));
  const auto copy = load_trace(again.path());
  ASSERT_TRUE(copy) << to_string(copy.error());
  EXPECT_EQ(copy->ranks[0].kind, first.kind);
  EXPECT_EQ(copy->ranks[0].bytes, first.bytes);
}

// A started one across an intercommunicator: rank 0's other group is ranks 1 and 2, of which the second gets
// all. A message in flight beside it finds its receive: nothing of this is taken for a message.
TEST(Unify, KeepsWhatAStartedCollectiveSendsAcross) {
  const TestDir dir;
  std::vector<SpoolWriter> ranks(3);
  for (int r = 0; r < 3; ++r) {
    SpoolWriter& rank = ranks[r];
    rank.standard(r, 3);
    rank.clock(0, 0, 0, true);
    const std::vector<int> left{0}, right{1, 2};
    rank.definitions.push_back({{"def", "comm"},
                                {"id", 4},
                                {"kind", "inter"},
                                {"ranks", r == 0 ? left : right},
                                {"remote_ranks", r == 0 ? right : left},
                                {"name", "between"}});
    rank.add("MPI_Init", 1000, 1100);
    const auto call = spool::call_number("MPI_Alltoallv");
    const bool goes_on = r == 0;
    rank.add("MPI_Start", 1200, 1210, Kind::icollective, spool::no_peer, call, r == 0 ? 48 : 0, 5,
             goes_on ? spool::flag_continued : std::uint8_t{0}, 4);
    if (goes_on) rank.add("MPI_Start", 1200, 1210, Kind::sent_to, 1, spool::no_peer, 48, 0, 0, 4);
    if (r == 0) rank.add("MPI_Send", 1220, 1230, Kind::send, 1, 7, 3, 0, 0, 4);
    if (r == 2) rank.add("MPI_Recv", 1220, 1240, Kind::recv, 0, 7, 3, 0, 0, 4);
    rank.add("MPI_Wait", 1300, 1310, Kind::icollective_done, spool::no_peer, 0, r == 2 ? 48 : 0, 5, 0, 4);
    rank.end(1800);
  }
  spool::write_spools(dir.path(), ranks);
  ASSERT_TRUE(unify(dir.path(), nlohmann::json::object()));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_TRUE(trace->diagnostics.all().empty());
  const RankTrace& first = trace->ranks[0];
  ASSERT_EQ(first.kind, (std::vector<ActionKind>{ActionKind::icollective, ActionKind::sent_to,
                                                 ActionKind::send, ActionKind::icollective_done}));
  EXPECT_EQ(first.peer[1], 2);
  EXPECT_EQ(first.bytes[1], 48u);
  EXPECT_EQ(first.operation[1], first.operation[0]);
  EXPECT_EQ(first.comm[1], first.comm[3]);
  ASSERT_EQ(trace->messages.size(), 1u);
  EXPECT_EQ(trace->messages[0].bytes, 3u);
  ASSERT_EQ(trace->collectives.size(), 1u);
  EXPECT_EQ(trace->collectives[0].op, CollectiveOp::alltoallv);
  EXPECT_EQ(trace->collectives[0].members.size(), 3u);
}

// What is said of a collective that cannot be taken (its communicator is not defined), or beyond the members
// of one that can, is damage and nothing else.
TEST(Unify, TakesNoVolumesWithoutTheirCollective) {
  const TestDir dir;
  SpoolWriter rank;
  rank.standard(0, 1);
  rank.add("MPI_Init", 1000, 1100);
  rank.add("MPI_Alltoallv", 1200, 1300, Kind::collective, spool::no_peer, 0, 8, 8, spool::flag_continued, 9);
  rank.add("MPI_Alltoallv", 1200, 1300, Kind::sent_to, 0, spool::no_peer, 8, 0, 0, 9);
  rank.add("MPI_Alltoallv", 1400, 1500, Kind::collective, spool::no_peer, 0, 8, 8, spool::flag_continued);
  rank.add("MPI_Alltoallv", 1400, 1500, Kind::sent_to, 0, 1, 8, 9);
  rank.end(1800);
  spool::write_spools(dir.path(), {rank});
  ASSERT_TRUE(unify(dir.path(), nlohmann::json::object()));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks[0].kind, (std::vector<ActionKind>{ActionKind::collective, ActionKind::sent_to}));
  const auto& said = trace->diagnostics.all();
  const auto count = [&](const char* name) {
    for (const auto& one : said)
      if (one.name == name) return one.count;
    return std::uint64_t{0};
  };
  EXPECT_EQ(count("unknown-communicator"), 1u);
  EXPECT_EQ(count("damaged-record"), 1u);
}

// MPI_Start does not say what it starts: its record names the call that made the persistent operation.
TEST(Unify, KnowsWhatAStartedCollectiveIs) {
  const TestDir dir;
  SpoolWriter rank;
  rank.standard(0, 1);
  rank.add("MPI_Init", 1000, 1100);
  rank.add("MPI_Allreduce_init", 1110, 1120);
  rank.add("MPI_Start", 1200, 1210, Kind::icollective, spool::no_peer,
           spool::call_number("MPI_Allreduce_init"), 8, 5);
  rank.add("MPI_Wait", 1300, 1310, Kind::icollective_done, spool::no_peer, 0, 8, 5);
  rank.end(1800);
  spool::write_spools(dir.path(), {rank});
  ASSERT_TRUE(unify(dir.path(), nlohmann::json::object()));
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->collectives.size(), 1u);
  EXPECT_EQ(trace->collectives[0].op, CollectiveOp::allreduce);
  EXPECT_EQ(trace->collectives[0].members[0].bytes_sent, 8u);
}

}  // namespace
}  // namespace ww
