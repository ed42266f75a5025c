#include "trace/call_meaning.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "trace/spool_fixture.hpp"

namespace ww {
namespace {

TEST(CallMeaning, IsReadAsItIsWritten) {
  for (int role = 0; role <= static_cast<int>(CallRole::io); ++role) {
    for (int op = 0; op <= static_cast<int>(CollectiveOp::other); ++op) {
      const CallMeaning meaning{static_cast<CallRole>(role), static_cast<CollectiveOp>(op), CallPhase::within,
                                CallManner::blocks};
      EXPECT_EQ(meaning_of_text(to_text(meaning)), meaning) << to_text(meaning);
    }
    for (const CallManner manner : {CallManner::polls, CallManner::probes}) {
      const CallMeaning meaning{static_cast<CallRole>(role), CollectiveOp::other, CallPhase::within, manner};
      EXPECT_EQ(meaning_of_text(to_text(meaning)), meaning) << to_text(meaning);
    }
    for (const CallPhase phase : {CallPhase::begins, CallPhase::ends}) {
      const CallMeaning meaning{static_cast<CallRole>(role), CollectiveOp::other, phase};
      EXPECT_EQ(meaning_of_text(to_text(meaning)), meaning) << to_text(meaning);
    }
  }
  // As spool_format.hpp and generate.py spell them.
  EXPECT_EQ(meaning_of_text("collective reduce_scatter"),
            (CallMeaning{CallRole::collective, CollectiveOp::reduce_scatter, CallPhase::within}));
  EXPECT_EQ(meaning_of_text("frame ends"),
            (CallMeaning{CallRole::frame, CollectiveOp::other, CallPhase::ends}));
  EXPECT_EQ(meaning_of_text("p2p polls"),
            (CallMeaning{CallRole::p2p, CollectiveOp::other, CallPhase::within, CallManner::polls}));
  for (const char* nonsense : {"", "MPI_Send", "collective sum", "frame begins twice", " p2p", "p2p "})
    EXPECT_EQ(meaning_of_text(nonsense), std::nullopt) << nonsense;
}

// Two ranks that exchange a message and make an allreduce; what they call these, `name` says of MPI's names.
Trace recorded(bool meanings_told, const std::function<std::string(const std::string&)>& name) {
  const spool::TestDir dir;
  std::vector<spool::SpoolWriter> ranks(2);
  for (int r = 0; r < 2; ++r) {
    spool::SpoolWriter& rank = ranks[static_cast<std::size_t>(r)];
    rank.standard(r, 2);
    rank.add("MPI_Init", 10, 20);
    rank.add(r == 0 ? "MPI_Send" : "MPI_Recv", 30, 40, r == 0 ? spool::Kind::send : spool::Kind::recv, 1 - r,
             7, 100);
    rank.add("MPI_Allreduce", 50, 60, spool::Kind::collective, spool::no_peer, 0, 8, 8);
    rank.add("MPI_Finalize", 70, 80);
    rank.end(80);
    auto& calls = rank.definitions.front();
    auto meanings = nlohmann::json::array();
    for (auto& one : calls["names"]) {
      meanings.push_back(to_text(meaning_by_name(one.get<std::string>())));
      one = name(one.get<std::string>());
    }
    if (meanings_told) calls["meanings"] = meanings;
  }
  spool::write_spools(dir.path(), ranks);
  EXPECT_TRUE(unify(dir.path(), {}));
  auto trace = load_trace(dir.path());
  EXPECT_TRUE(trace) << to_string(trace.error());
  return trace ? std::move(*trace) : Trace{};
}

// The next library's calls are not called MPI_. Told what they mean, the same records give the same trace.
TEST(CallMeaning, TellsCallsOfAnyName) {
  const Trace mpi = recorded(false, [](const std::string& name) { return name; });
  const Trace other = recorded(true, [](const std::string& name) {
    return name.empty() ? name : "x_" + std::to_string(std::hash<std::string>()(name));
  });
  for (const Trace* trace : {&mpi, &other}) {
    ASSERT_EQ(trace->ranks.size(), 2u);
    EXPECT_EQ(trace->ranks[0].calls(), 4u);
    EXPECT_EQ(trace->ranks[0].begin_ns, 10000);  // the first event, at 10 us, is 0
    EXPECT_EQ(trace->ranks[0].end_ns, 60000);
    ASSERT_EQ(trace->meanings.size(), trace->regions.size());
    ASSERT_EQ(trace->messages.size(), 1u);
    EXPECT_EQ(trace->messages[0].bytes, 100u);
    ASSERT_EQ(trace->collectives.size(), 1u);
    EXPECT_EQ(trace->collectives[0].op, CollectiveOp::allreduce);
    EXPECT_TRUE(trace->diagnostics.all().empty());
  }
  EXPECT_TRUE(mpi.regions[0].starts_with("MPI_"));
  EXPECT_TRUE(other.regions[0].starts_with("x_"));
}

// Older archives and those of other tools.
TEST(CallMeaning, GoesByMpisNamesWhereItIsNotTold) {
  EXPECT_EQ(meaning_by_name("MPI_Init_thread").phase, CallPhase::begins);
  EXPECT_EQ(meaning_by_name("MPI_Iallreduce"),
            (CallMeaning{CallRole::collective, CollectiveOp::allreduce, CallPhase::within}));
  EXPECT_EQ(meaning_by_name("MPI_Get_accumulate").role, CallRole::one_sided);
  EXPECT_EQ(meaning_by_name("MPI_Get_count").role, CallRole::other);
  EXPECT_EQ(meaning_by_name("MPI_Waitall").role, CallRole::p2p);
  EXPECT_EQ(meaning_by_name("MPI_Testsome").manner, CallManner::polls);
}

// Archives that were made before manners were told say of MPI_Iprobe that it is p2p and no more.
TEST(CallMeaning, GoesByMpisNamesWhereOnlyTheMannerIsNotTold) {
  EXPECT_EQ(meaning_told("p2p", "MPI_Iprobe").manner, CallManner::polls);
  EXPECT_EQ(meaning_told("p2p", "MPI_Mprobe").manner, CallManner::probes);
  EXPECT_EQ(meaning_told("p2p", "x_probe").manner, CallManner::blocks);
  EXPECT_EQ(meaning_told("p2p probes", "x_probe").manner, CallManner::probes);
  EXPECT_EQ(meaning_told("collective bcast", "x_bcast").op, CollectiveOp::bcast);
}

}  // namespace
}  // namespace ww
