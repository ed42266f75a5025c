// Spools as the recorder writes them, with a call that has not returned: the recorder's own are in tests/e2e/viewing.py.
#include "view/live.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <nlohmann/json.hpp>

#include "trace/spool_fixture.hpp"

namespace ww::view {
namespace {

using namespace spool;

// The thread is in it; ticks are microseconds.
void stay_in(SpoolWriter& writer, const std::string& call, std::uint64_t enter, Kind kind, std::int32_t peer,
             std::int32_t tag, std::uint32_t comm = 0, std::uint64_t operations = 0) {
  writer.add("", enter, 0, kind, peer, tag, operations, call_number(call), 0, comm);
}

std::vector<SpoolWriter> begun(int size) {
  std::vector<SpoolWriter> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    ranks[static_cast<std::size_t>(r)].standard(r, size);
    ranks[static_cast<std::size_t>(r)].add("MPI_Init", 10, 20);
  }
  return ranks;
}

TEST(Live, NamesTheRingOfThoseThatWaitForEachOther) {
  const TestDir dir;
  auto ranks = begun(3);
  stay_in(ranks[0], "MPI_Recv", 1000, Kind::recv, 2, 5);
  stay_in(ranks[1], "MPI_Ssend", 2000, Kind::send, 0, 6);
  stay_in(ranks[2], "MPI_Waitall", 3000, Kind::irecv_done, 1, any_tag, 0, 4);
  write_spools(dir.path(), ranks);
  const Live live = look_live(dir.path()).value();
  EXPECT_FALSE(live.running);
  EXPECT_EQ(live.ring, (std::vector<std::int32_t>{0, 2, 1}));
  ASSERT_EQ(live.ranks.size(), 3u);
  const LiveCall& recv = *live.ranks[0].threads[0].call;
  EXPECT_EQ(recv.name, "MPI_Recv");
  EXPECT_EQ(recv.peer, 2);
  EXPECT_EQ(recv.tag, 5);
  EXPECT_EQ(recv.comm, "MPI_COMM_WORLD");
  EXPECT_NEAR(recv.entered_s, 1e-3, 1e-9);
  EXPECT_EQ(live.ranks[0].threads[0].records, 1u);
  const LiveCall& waitall = *live.ranks[2].threads[0].call;
  EXPECT_EQ(waitall.tag, -1);
  EXPECT_EQ(waitall.operations, 4u);
  const nlohmann::json json = to_json(live);
  EXPECT_EQ(json["ranks"][1]["call"], "MPI_Ssend");
  EXPECT_EQ(json["ranks"][1]["peer"], 0);
  EXPECT_EQ(json["ranks"][1]["since_ns"], 2'000'000);
}

TEST(Live, AnExchangeThatJustBeganIsNoRing) {
  const TestDir dir;
  auto ranks = begun(2);
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (int r = 0; r < 2; ++r) {
    SpoolWriter& writer = ranks[static_cast<std::size_t>(r)];
    for (auto& line : writer.definitions)
      if (line["def"] == "process") line["realtime_ns"] = std::int64_t{now.tv_sec} * 1000000000;
    stay_in(writer, "MPI_Sendrecv", 1000, Kind::recv, 1 - r, 5);
  }
  write_spools(dir.path(), ranks);
  const Live live = look_live(dir.path()).value();
  ASSERT_TRUE(live.ranks[0].threads[0].call);
  EXPECT_LT(live.now_s, 60);
  EXPECT_EQ(live.ring.empty(), live.now_s < 1.001);
}

TEST(Live, TellsWhoHasNotEnteredACollective) {
  const TestDir dir;
  auto ranks = begun(3);
  stay_in(ranks[0], "MPI_Allreduce", 1000, Kind::collective, no_peer, 0);
  ranks[1].add("MPI_Comm_rank", 100, 200);
  stay_in(ranks[2], "MPI_Allreduce", 1100, Kind::collective, no_peer, 0);
  write_spools(dir.path(), ranks);
  const Live live = look_live(dir.path()).value();
  EXPECT_EQ(live.ranks[0].threads[0].call->not_entered, std::vector<std::int32_t>{1});
  EXPECT_FALSE(live.ranks[0].threads[0].call->peer);
  EXPECT_FALSE(live.ranks[1].threads[0].call);
  EXPECT_NEAR(live.ranks[1].threads[0].since_s, 200e-6, 1e-9);
}

TEST(Live, TheNotesOfEndedRanksAndDamagedSpoolsAreNoCalls) {
  const TestDir dir;
  auto ranks = begun(2);
  ranks[0].add("MPI_Finalize", 100, 110);
  ranks[0].end(120);
  // A record that is just being stored has its leaving already.
  ranks[1].add("", 500, 600, Kind::recv, 0, 1, 0, call_number("MPI_Recv"));
  write_spools(dir.path(), ranks);
  const Live live = look_live(dir.path()).value();
  EXPECT_EQ(live.ranks[0].state, LiveRank::State::ended);
  EXPECT_FALSE(live.ranks[0].threads[0].call);
  EXPECT_FALSE(live.ranks[1].threads[0].call);

  stay_in(ranks[1], "MPI_Recv", 700, Kind::recv, 99, 1, 77);
  ranks[1].records.erase(ranks[1].records.begin() + 1);
  ranks[1].records.back().operation = ~std::uint64_t{0};  // a call that there is not
  write_spools(dir.path(), ranks);
  const Live damaged = look_live(dir.path()).value();
  ASSERT_TRUE(damaged.ranks[1].threads[0].call);
  EXPECT_EQ(damaged.ranks[1].threads[0].call->peer, -1);
  EXPECT_FALSE(look_live(dir.path() / "none"));
}

}  // namespace
}  // namespace ww::view
