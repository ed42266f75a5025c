// Spools as two MPI_COMM_WORLDs leave them, by hand: two ranks of the launch spawn three; expected numbers
// follow from their order (the launch first) and from the places in the groups below.
#include <gtest/gtest.h>

#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using nlohmann::json;
using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

constexpr std::uint32_t bridge = 2, merged = 3;

// Only the root of the spawn, rank 1, knows its name. Rank 0 sends 100 bytes to the spawned rank 2 over the
// intercommunicator; over the merged one (parents first) the spawned rank 0 sends 200 to rank 1 of the
// launch.
void write_family(const TestDir& dir, bool children_too) {
  std::vector<SpoolWriter> parents(2), children(3);
  for (int r = 0; r < 2; ++r) {
    SpoolWriter& rank = parents[static_cast<std::size_t>(r)];
    rank.standard(r, 2);
    rank.clock(0, 0, 0, true);
    rank.definitions.push_back({{"def", "comm"},
                                {"id", bridge},
                                {"kind", "inter"},
                                {"ranks", {0, 1}},
                                {"remote_ranks", {-1, -1, -1}},
                                {"other_world", r == 1 ? "0.1.1" : ""},
                                {"name", ""}});
    rank.definitions.push_back({{"def", "comm"},
                                {"id", merged},
                                {"kind", "intra"},
                                {"ranks", {0, 1, -1, -1, -1}},
                                {"foreign", {2, bridge, 0, 3, bridge, 1, 4, bridge, 2}},
                                {"name", ""}});
    rank.add("MPI_Init", 1000, 1100);
  }
  parents[0].add("MPI_Send", 1200, 1210, Kind::send, 2, 7, 100, 0, 0, bridge);
  parents[1].add("MPI_Recv", 1300, 1350, Kind::recv, 2, 8, 200, 0, 0, merged);
  for (int r = 0; r < 3; ++r) {
    SpoolWriter& rank = children[static_cast<std::size_t>(r)];
    rank.standard(r, 3);
    for (json& line : rank.definitions)
      if (line["def"] == "process") line["spawned_by"] = "0.1.1";
    rank.clock(0, 0, 0, true);
    rank.definitions.push_back({{"def", "comm"},
                                {"id", bridge},
                                {"kind", "inter"},
                                {"ranks", {0, 1, 2}},
                                {"remote_ranks", {-1, -1}},
                                {"other_world", "parents"},
                                {"name", ""}});
    rank.definitions.push_back({{"def", "comm"},
                                {"id", merged},
                                {"kind", "intra"},
                                {"ranks", {-1, -1, 0, 1, 2}},
                                {"foreign", {0, bridge, 0, 1, bridge, 1}},
                                {"name", ""}});
    rank.add("MPI_Init", 1110, 1120);
  }
  children[2].add("MPI_Recv", 1190, 1220, Kind::recv, 0, 7, 100, 0, 0, bridge);
  children[0].add("MPI_Send", 1310, 1320, Kind::send, 1, 8, 200, 0, 0, merged);
  for (auto* world : {&parents, &children})
    for (SpoolWriter& rank : *world) {
      rank.add("MPI_Finalize", 1600, 1700);
      rank.end(1800);
    }
  spool::write_spools(dir.path(), parents);
  if (!children_too) return;
  spool::write_spools(dir.path() / "children", children);
  std::filesystem::rename(dir.path() / "children" / "spool", dir.path() / "spool" / "world-1");
}

TEST(SpawnedWorlds, FollowTheLaunchInTheTrace) {
  const TestDir dir;
  write_family(dir, true);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  ASSERT_EQ(unified->all().size(), 1u);
  EXPECT_EQ(unified->all().front().name, "spawned-processes");
  EXPECT_EQ(unified->all().front().count, 3u);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 5u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  ASSERT_EQ(trace->messages.size(), 2u);
  const auto& messages = trace->messages;  // by destination
  EXPECT_EQ(std::tie(messages[0].source, messages[0].destination, messages[0].bytes),
            std::make_tuple(2, 1, 200u));
  EXPECT_EQ(std::tie(messages[1].source, messages[1].destination, messages[1].bytes),
            std::make_tuple(0, 4, 100u));
  const json last = read_run(dir.path())["ranks"][3];
  EXPECT_EQ(last["world"], 1);
  EXPECT_EQ(last["world_rank"], 1);
}

TEST(SpawnedWorlds, ThatWereNotRecordedAreNamed) {
  const TestDir dir;
  write_family(dir, false);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  ASSERT_EQ(unified->all().size(), 1u);
  EXPECT_EQ(unified->all().front().name, "unknown-process");
  EXPECT_EQ(unified->all().front().count, 2u);  // one message of each rank of the launch
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks.size(), 2u);
  EXPECT_EQ(trace->ranks[0].calls(), 3u);  // the calls themselves are there
}

}  // namespace
}  // namespace ww
