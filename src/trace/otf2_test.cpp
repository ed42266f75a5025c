// Archives written here and read back, and one written by hand with libotf2 as Score-P writes its own.
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

#include "trace/otf2_read.hpp"
#include "trace/otf2_write.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

// libotf2 3.0.2 loses the file handles of an archive that it refuses to open, and asks for as much memory as
// a damaged anchor says (and handles it when there is not so much). Both happen below on purpose.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libopen-trace-format2";
}
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1:print_suppressions=0";
}

namespace ww {
namespace {

using spool::TestDir;

TEST(Otf2, WhatIsWrittenIsReadBack) {
  TraceBuilder builder(3, 0);
  builder.trace().comms.push_back({"pair", {2, 0}, 0});
  builder.trace().comms.push_back({"between", {0, 1, 2}, 1});  // {0} and {1, 2}
  for (std::size_t r = 0; r < 3; ++r) {
    builder.trace().ranks[r].host = r == 2 ? "beta" : "alpha";
    builder.call(r, "MPI_Init", 0, 50);
  }
  Action send = message_action(ActionKind::send, 0, 7, 123, 0, action_synchronous);
  send.comm = 1;
  builder.call(2, "MPI_Ssend", 100, 110, {send});
  Action receive = message_action(ActionKind::recv, 2, 7, 123, 0, action_wildcard_source);
  receive.comm = 1;
  builder.call(0, "MPI_Recv", 90, 120, {receive});
  Action across = message_action(ActionKind::isend, 0, 1, 1, 1);
  across.comm = 2;
  builder.call(2, "MPI_Isend", 130, 131, {across});
  builder.call(2, "MPI_Iprobe", 132, 133, {message_action(ActionKind::test_failed, -1, 0, 0)});
  across.kind = ActionKind::isend_done;
  builder.call(2, "MPI_Test", 134, 135, {[&] {
                 Action failed = message_action(ActionKind::test_failed, -1, 0, 0, 1);
                 return failed;
               }()});
  builder.call(2, "MPI_Wait", 136, 140, {across});
  // Room of 1000 bytes, 1 arrives; and one that stays open.
  Action posted = message_action(ActionKind::irecv, 2, 1, 1000, 1, action_wildcard_tag);
  posted.comm = 2;
  builder.call(0, "MPI_Irecv", 125, 126, {posted});
  builder.call(0, "MPI_Irecv", 127, 128, {message_action(ActionKind::irecv, 1, 9, 77, 2)});
  Action done = message_action(ActionKind::irecv_done, 2, 1, 1, 1);
  done.comm = 2;
  builder.call(0, "MPI_Waitany", 129, 150, {done});
  for (std::size_t r = 0; r < 3; ++r) {
    Action in_place = collective_action(64, 128, 1);
    in_place.flags = action_in_place;
    builder.call(r, "MPI_Reduce", 200, 210, {in_place});
    builder.call(r, "MPI_Ibarrier", 220, 221, {{ActionKind::icollective, -1, 0, 0, 0, 0, 5, 0}});
    builder.call(r, "MPI_Wait", 230, 240, {{ActionKind::icollective_done, -1, 0, 0, 0, 0, 5, 0}});
  }
  const Trace written = builder.matched();
  const TestDir dir;
  const auto result = otf2::write_archive(written, dir.path());
  ASSERT_TRUE(result) << to_string(result.error());
  auto read = otf2::read_archive(dir.path() / "traces.otf2");
  ASSERT_TRUE(read) << to_string(read.error());
  match(*read);

  ASSERT_EQ(read->ranks.size(), 3u);
  EXPECT_EQ(read->regions, written.regions);
  ASSERT_EQ(read->comms.size(), 3u);
  EXPECT_EQ(read->comms[1].ranks, written.comms[1].ranks);
  EXPECT_EQ(read->comms[2].first_group, 1u);
  for (std::size_t r = 0; r < 3; ++r) {
    const RankTrace &a = written.ranks[r], &b = read->ranks[r];
    EXPECT_EQ(a.host, b.host);
    EXPECT_EQ(a.enter_ns, b.enter_ns);
    EXPECT_EQ(a.leave_ns, b.leave_ns);
    EXPECT_EQ(a.region, b.region);
    EXPECT_EQ(a.first_action, b.first_action);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.peer, b.peer);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.comm, b.comm);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.bytes_received, b.bytes_received);
    EXPECT_EQ(a.flags, b.flags);
    EXPECT_EQ(a.match, b.match);
  }
  EXPECT_EQ(read->messages.size(), 2u);
  EXPECT_TRUE(read->messages[0].synchronous);
  EXPECT_EQ(read->collectives.size(), 2u);
  EXPECT_EQ(read->unmatched_receives, 1u);
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// Score-P's form: the program's own regions around MPI's, a second thread in each process, communicators
// numbered locally with mapping tables, request numbers used again, ticks of half a nanosecond, clock offsets
// to be applied.
void write_like_score_p(const std::filesystem::path& dir) {
  OTF2_Archive* archive = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  const OTF2_FlushCallbacks callbacks{flush, nullptr};
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  constexpr OTF2_RegionRef main_region = 0, init = 1, send = 2, irecv = 3, wait = 4, compute = 5;
  constexpr OTF2_CommRef local_world = 0;
  constexpr std::uint64_t base = 1000000;
  const OTF2_LocationRef rank0 = 7, rank1 = 3;  // ranks are not in the order of locations
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, rank0);
  OTF2_EvtWriter_Enter(writer, nullptr, base, main_region);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 100, init);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 200, init);
  for (std::uint64_t i = 0; i < 2; ++i) {
    OTF2_EvtWriter_Enter(writer, nullptr, base + 1000 + 1000 * i, send);
    OTF2_EvtWriter_MpiSend(writer, nullptr, base + 1010 + 1000 * i, 1, local_world, 5, 64);
    OTF2_EvtWriter_Leave(writer, nullptr, base + 1100 + 1000 * i, send);
  }
  OTF2_EvtWriter_Leave(writer, nullptr, base + 9000, main_region);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  writer = OTF2_Archive_GetEvtWriter(archive, rank1);
  OTF2_EvtWriter_Enter(writer, nullptr, base, main_region);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 100, init);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 200, init);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::uint64_t at = base + 500 + 2000 * i;
    OTF2_EvtWriter_Enter(writer, nullptr, at, irecv);
    OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, at + 10, 42);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 20, irecv);
    OTF2_EvtWriter_Enter(writer, nullptr, at + 30, compute);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 40, compute);
    OTF2_EvtWriter_Enter(writer, nullptr, at + 50, wait);
    OTF2_EvtWriter_MpiIrecv(writer, nullptr, at + 1000, 0, local_world, 5, 64, 42);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 1010, wait);
  }
  OTF2_EvtWriter_Leave(writer, nullptr, base + 9000, main_region);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  writer = OTF2_Archive_GetEvtWriter(archive, 8);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 5, compute);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 6, compute);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseEvtFiles(archive);

  OTF2_Archive_OpenDefFiles(archive);
  for (const OTF2_LocationRef location : {rank0, rank1, OTF2_LocationRef{8}}) {
    OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive, location);
    const std::uint64_t comm_map[] = {4};  // local 0 is global 4
    OTF2_IdMap* map = OTF2_IdMap_CreateFromUint64Array(1, comm_map, false);
    OTF2_DefWriter_WriteMappingTable(definitions, OTF2_MAPPING_COMM, map);
    OTF2_IdMap_Free(map);
    const std::int64_t offset = location == rank1 ? 600 : 0;
    OTF2_DefWriter_WriteClockOffset(definitions, base, offset, 20);
    OTF2_DefWriter_WriteClockOffset(definitions, base + 10000, offset, 20);
    OTF2_Archive_CloseDefWriter(archive, definitions);
  }
  OTF2_Archive_CloseDefFiles(archive);

  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(global, 2000000000, base, 10000, 0);
  const char* names[] = {"",         "main",    "MPI_Init", "MPI_Send", "MPI_Irecv",
                         "MPI_Wait", "compute", "node1",    "world"};
  for (OTF2_StringRef i = 0; i < 9; ++i) OTF2_GlobalDefWriter_WriteString(global, i, names[i]);
  for (OTF2_RegionRef i = 0; i < 6; ++i)
    OTF2_GlobalDefWriter_WriteRegion(global, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 7, 7, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (OTF2_LocationGroupRef i = 0; i < 2; ++i)
    OTF2_GlobalDefWriter_WriteLocationGroup(global, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  OTF2_GlobalDefWriter_WriteLocation(global, rank0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 10, 0);
  OTF2_GlobalDefWriter_WriteLocation(global, rank1, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 20, 1);
  OTF2_GlobalDefWriter_WriteLocation(global, 8, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2, 0);
  const std::uint64_t locations[] = {rank0, rank1}, members[] = {0, 1};
  OTF2_GlobalDefWriter_WriteGroup(global, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteGroup(global, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, members);
  OTF2_GlobalDefWriter_WriteComm(global, 4, 8, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_Archive_CloseGlobalDefWriter(archive, global);
  OTF2_Archive_Close(archive);
}

TEST(Otf2, ReadsArchivesOfOtherTools) {
  const TestDir dir;
  write_like_score_p(dir.path());
  const auto trace = load_trace(dir.path() / "traces.otf2");
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 2u);
  EXPECT_EQ(trace->ranks[0].host, "node1");
  EXPECT_EQ(trace->events, 32u);
  EXPECT_EQ(trace->ranks[0].calls(), 3u);  // MPI_Init and two sends; the program's regions are no calls
  EXPECT_EQ(trace->ranks[1].calls(), 5u);
  EXPECT_EQ(trace->ranks[0].enter_ns[0], 50);   // 100 ticks of half a nanosecond
  EXPECT_EQ(trace->ranks[1].enter_ns[0], 350);  // and 600 ticks of clock offset
  EXPECT_EQ(trace->ranks[0].begin_ns, 100);
  EXPECT_EQ(trace->ranks[0].end_ns, 4500);                               // no MPI_Finalize: the last event
  EXPECT_DOUBLE_EQ(trace->clock_uncertainty_s, 10e-9 * std::sqrt(3.0));  // 20 ticks of deviation
  EXPECT_FALSE(trace->diagnostics.has("threads-interleaved"));           // the second thread has no MPI calls
  ASSERT_EQ(trace->messages.size(), 2u);
  EXPECT_EQ(trace->messages[0].send_call, 1u);
  EXPECT_EQ(trace->messages[0].recv_post_call, 1u);
  EXPECT_EQ(trace->messages[0].recv_done_call, 2u);
  EXPECT_EQ(trace->messages[1].recv_post_call, 3u);  // the same request number, another operation
  EXPECT_EQ(trace->messages[1].recv_done_call, 4u);
  EXPECT_EQ(trace->comms[trace->messages[0].comm].name, "world");
}

// Whatever is written over an archive, reading it ends with an error or with columns that hold together.
TEST(Otf2, DamagedArchivesNeverBreakTheReader) {
  const TestDir good;
  write_like_score_p(good.path());
  const std::vector<std::string> files = {"traces.otf2",  "traces.def",   "traces/3.evt",
                                          "traces/7.evt", "traces/3.def", "traces/7.def"};
  std::mt19937 random(42);
  const auto pick = [&](std::size_t most) { return static_cast<std::size_t>(random()) % most; };
  std::size_t refused = 0;
  for (int round = 0; round < 150; ++round) {
    const TestDir dir;
    std::filesystem::copy(good.path(), dir.path(), std::filesystem::copy_options::recursive);
    const auto file = dir.path() / files[pick(files.size())];
    std::string bytes;
    {
      std::ifstream stream(file, std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(stream), {});
    }
    ASSERT_FALSE(bytes.empty());
    const std::size_t at = pick(bytes.size()), length = std::min(bytes.size() - at, 1 + pick(50));
    switch (pick(4)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.replace(at, length, length, '\0');
        break;
      case 2:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << pick(8)));
        break;
      default:
        for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
    }
    spool::write_bytes(file, bytes);
    const auto trace = load_trace(dir.path());
    if (!trace) {
      ++refused;
      EXPECT_NE(trace.error().remedy, "");
      continue;
    }
    for (const RankTrace& rank : trace->ranks) {
      ASSERT_EQ(rank.first_action.size(), rank.calls() + 1);
      for (std::size_t call = 0; call < rank.calls(); ++call)
        ASSERT_LE(rank.enter_ns[call], rank.leave_ns[call]);
      for (std::size_t a = 0; a < rank.actions(); ++a) ASSERT_LT(rank.comm[a], trace->comms.size());
    }
  }
  EXPECT_GT(refused, 30u);
}

}  // namespace
}  // namespace ww
