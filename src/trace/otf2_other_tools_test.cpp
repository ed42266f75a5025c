// Archives as other tools write them, made here with libotf2. Expected calls and messages are those that each
// was written from.
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <functional>
#include <map>

#include "trace/however_loaded.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

using spool::TestDir;

constexpr std::uint64_t base = 5000;  // ticks of a nanosecond

// A process for each rank, `threads` locations in each; location = rank + 100 thread. Regions by name.
class Archive {
 public:
  Archive(std::filesystem::path dir, std::size_t ranks, std::size_t threads)
      : dir_(std::move(dir)), ranks_(ranks), threads_(threads) {
    archive_ = OTF2_Archive_Open(dir_.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                 OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    static const OTF2_FlushCallbacks callbacks{
        [](void*, OTF2_FileType, OTF2_LocationRef, void*, bool) -> OTF2_FlushType { return OTF2_FLUSH; },
        nullptr};
    OTF2_Archive_SetFlushCallbacks(archive_, &callbacks, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive_);
    OTF2_Archive_OpenEvtFiles(archive_);
    string("");
  }
  OTF2_EvtWriter* at(std::size_t rank, std::size_t thread = 0) {
    return OTF2_Archive_GetEvtWriter(archive_, rank + 100 * thread);
  }
  OTF2_RegionRef region(const std::string& name) {
    return static_cast<OTF2_RegionRef>(regions_.try_emplace(name, regions_.size()).first->second);
  }
  void enter(std::uint64_t time, std::size_t rank, const std::string& name, std::size_t thread = 0) {
    OTF2_EvtWriter_Enter(at(rank, thread), nullptr, base + time, region(name));
  }
  void leave(std::uint64_t time, std::size_t rank, const std::string& name, std::size_t thread = 0) {
    OTF2_EvtWriter_Leave(at(rank, thread), nullptr, base + time, region(name));
  }
  void metric(std::uint64_t time, std::size_t rank) {
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value;
    value.unsigned_int = time;
    OTF2_EvtWriter_Metric(at(rank), nullptr, base + time, 0, 1, &type, &value);
  }
  // A metric class of two members: the tool's own counter and a value of the program.
  void user_value(std::uint64_t time, std::size_t rank, double number, std::size_t thread = 0) {
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    OTF2_MetricValue values[2];
    values[0].unsigned_int = time;
    values[1].floating_point = number;
    OTF2_EvtWriter_Metric(at(rank, thread), nullptr, base + time, 1, 2, types, values);
  }
  void parameter(std::uint64_t time, std::size_t rank, const std::string& text) {
    OTF2_EvtWriter_ParameterString(at(rank), nullptr, base + time, 5, string(text));
  }
  Result<Trace> load() {
    write_definitions();
    OTF2_Archive_Close(archive_);
    return load_in_all_ways(dir_ / "traces.otf2");
  }

 private:
  OTF2_StringRef string(const std::string& text) {
    return static_cast<OTF2_StringRef>(strings_.try_emplace(text, strings_.size()).first->second);
  }
  void write_definitions() {
    std::map<OTF2_LocationRef, std::uint64_t> events;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      for (std::size_t thread = 0; thread < threads_; ++thread) {
        OTF2_EvtWriter* writer = at(rank, thread);
        OTF2_EvtWriter_GetNumberOfEvents(writer, &events[rank + 100 * thread]);
        OTF2_Archive_CloseEvtWriter(archive_, writer);
      }
    OTF2_Archive_CloseEvtFiles(archive_);
    OTF2_Archive_OpenDefFiles(archive_);
    for (const auto& [location, count] : events)
      OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, location));
    OTF2_Archive_CloseDefFiles(archive_);
    for (const auto& [name, ref] : regions_) string(name);
    for (const char* name : {"node", "world", "counter", "residual", "phase"}) string(name);
    OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive_);
    OTF2_GlobalDefWriter_WriteClockProperties(global, 1000000000, base, 1000000, 0);
    for (const auto& [text, ref] : strings_)
      OTF2_GlobalDefWriter_WriteString(global, static_cast<OTF2_StringRef>(ref), text.c_str());
    for (const auto& [name, ref] : regions_)
      OTF2_GlobalDefWriter_WriteRegion(global, static_cast<OTF2_RegionRef>(ref), string(name), string(name),
                                       0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                       OTF2_REGION_FLAG_NONE, 0, 0, 0);
    OTF2_GlobalDefWriter_WriteMetricMember(global, 0, string("counter"), 0, OTF2_METRIC_TYPE_OTHER,
                                           OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0,
                                           0);
    const OTF2_MetricMemberRef members[] = {0, 1};
    OTF2_GlobalDefWriter_WriteMetricClass(global, 0, 1, members, OTF2_METRIC_ASYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
    OTF2_GlobalDefWriter_WriteMetricMember(global, 1, string("residual"), 0, OTF2_METRIC_TYPE_USER,
                                           OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
                                           0);
    OTF2_GlobalDefWriter_WriteMetricClass(global, 1, 2, members, OTF2_METRIC_ASYNCHRONOUS,
                                          OTF2_RECORDER_KIND_CPU);
    OTF2_GlobalDefWriter_WriteParameter(global, 5, string("phase"), OTF2_PARAMETER_TYPE_STRING);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, string("node"), 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    std::vector<std::uint64_t> masters, ranks;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      OTF2_GlobalDefWriter_WriteLocationGroup(global, static_cast<OTF2_LocationGroupRef>(rank), 0,
                                              OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                              OTF2_UNDEFINED_LOCATION_GROUP);
      masters.push_back(rank);
      ranks.push_back(rank);
      for (std::size_t thread = 0; thread < threads_; ++thread)
        OTF2_GlobalDefWriter_WriteLocation(global, rank + 100 * thread, 0, OTF2_LOCATION_TYPE_CPU_THREAD,
                                           events[rank + 100 * thread],
                                           static_cast<OTF2_LocationGroupRef>(rank));
    }
    const auto count = static_cast<std::uint32_t>(ranks_);
    OTF2_GlobalDefWriter_WriteGroup(global, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, count, masters.data());
    OTF2_GlobalDefWriter_WriteGroup(global, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                    OTF2_GROUP_FLAG_NONE, count, ranks.data());
    OTF2_GlobalDefWriter_WriteComm(global, 0, string("world"), 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    OTF2_Archive_CloseGlobalDefWriter(archive_, global);
  }

  std::filesystem::path dir_;
  std::size_t ranks_, threads_;
  OTF2_Archive* archive_;
  std::map<std::string, std::size_t> regions_, strings_;
};

std::vector<std::string> calls_of(const Trace& trace, std::size_t rank) {
  std::vector<std::string> names;
  for (const std::uint16_t region : trace.ranks[rank].region) names.push_back(trace.regions[region]);
  return names;
}

// Score-P: the program's functions around and between calls, metrics everywhere, MPI_RECV inside ENTER and
// LEAVE of MPI_Recv, collectives with begin and end, MPI_Sendrecv with both records.
TEST(Otf2OfOthers, BlockingCallsAmongFunctionsAndMetrics) {
  const TestDir dir;
  Archive archive(dir.path(), 2, 1);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto other = static_cast<std::uint32_t>(1 - rank);
    archive.enter(0, rank, "main");
    archive.metric(0, rank);
    archive.enter(10, rank, "MPI_Init");
    archive.leave(20, rank, "MPI_Init");
    archive.enter(30, rank, "exchange");
    const std::string call = rank == 0 ? "MPI_Send" : "MPI_Recv";
    archive.enter(100, rank, call);
    archive.metric(105, rank);
    if (rank == 0)
      OTF2_EvtWriter_MpiSend(archive.at(rank), nullptr, base + 110, other, 0, 7, 64);
    else
      OTF2_EvtWriter_MpiRecv(archive.at(rank), nullptr, base + 180, other, 0, 7, 64);
    archive.metric(190, rank);
    archive.leave(200, rank, call);
    archive.leave(210, rank, "exchange");
    archive.enter(300, rank, "MPI_Sendrecv");
    OTF2_EvtWriter_MpiSend(archive.at(rank), nullptr, base + 310, other, 0, 8, 16);
    OTF2_EvtWriter_MpiRecv(archive.at(rank), nullptr, base + 390, other, 0, 8, 16);
    archive.leave(400, rank, "MPI_Sendrecv");
    archive.enter(500, rank, "MPI_Allreduce");
    OTF2_EvtWriter_MpiCollectiveBegin(archive.at(rank), nullptr, base + 510);
    OTF2_EvtWriter_MpiCollectiveEnd(archive.at(rank), nullptr, base + 590, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                    OTF2_UNDEFINED_UINT32, 8, 8);
    archive.leave(600, rank, "MPI_Allreduce");
    archive.enter(700, rank, "MPI_Finalize");
    archive.leave(800, rank, "MPI_Finalize");
    archive.leave(900, rank, "main");
  }
  const auto trace = archive.load();
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(calls_of(*trace, 0), (std::vector<std::string>{"MPI_Init", "MPI_Send", "MPI_Sendrecv",
                                                           "MPI_Allreduce", "MPI_Finalize"}));
  EXPECT_EQ(calls_of(*trace, 1)[1], "MPI_Recv");
  // regions of the program stay apart from calls, and the tool's own metrics from values of the program
  EXPECT_EQ(trace->user.regions, (std::vector<std::string>{"main", "exchange"}));
  ASSERT_EQ(trace->ranks[1].user.regions.size(), 2u);
  EXPECT_EQ(trace->ranks[1].user.regions[0].leave_ns, 900);
  EXPECT_EQ(trace->ranks[1].user.regions[1].enter_ns, 30);
  EXPECT_EQ(trace->ranks[1].user.regions[1].leave_ns, 210);
  EXPECT_TRUE(trace->user.values.size() == 1 && trace->ranks[0].user.values.empty());
  EXPECT_EQ(trace->ranks[1].enter_ns[1], 100);
  EXPECT_EQ(trace->ranks[1].leave_ns[1], 200);
  EXPECT_EQ(trace->ranks[0].begin_ns, 20);
  EXPECT_EQ(trace->ranks[0].end_ns, 700);
  ASSERT_EQ(trace->messages.size(), 3u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  const Message& first = trace->messages[1];  // of those to rank 1 the first
  EXPECT_EQ(first.tag, 7);
  EXPECT_EQ(first.bytes, 64u);
  EXPECT_EQ(first.send_call, 1u);
  EXPECT_EQ(first.recv_post_call, 1u);
  ASSERT_EQ(trace->collectives.size(), 1u);
  EXPECT_EQ(trace->collectives[0].op, CollectiveOp::allreduce);
  EXPECT_EQ(trace->collectives[0].members[1].bytes_received, 8u);
}

// Two threads of rank 0 take turns: one begins a send and posts a receive, the other completes both.
TEST(Otf2OfOthers, OperationsThatAnotherThreadCompletes) {
  const TestDir dir;
  Archive archive(dir.path(), 2, 2);
  archive.enter(0, 0, "main");
  archive.enter(100, 0, "MPI_Isend", 1);
  OTF2_EvtWriter_MpiIsend(archive.at(0, 1), nullptr, base + 110, 1, 0, 3, 32, 1);
  archive.leave(120, 0, "MPI_Isend", 1);
  archive.enter(130, 0, "MPI_Irecv", 1);
  OTF2_EvtWriter_MpiIrecvRequest(archive.at(0, 1), nullptr, base + 135, 2);
  archive.leave(140, 0, "MPI_Irecv", 1);
  archive.enter(200, 0, "MPI_Waitall");
  OTF2_EvtWriter_MpiIsendComplete(archive.at(0), nullptr, base + 250, 1);
  OTF2_EvtWriter_MpiIrecv(archive.at(0), nullptr, base + 290, 1, 0, 4, 48, 2);
  archive.leave(300, 0, "MPI_Waitall");
  archive.leave(900, 0, "main");
  archive.enter(50, 1, "MPI_Recv");
  OTF2_EvtWriter_MpiRecv(archive.at(1), nullptr, base + 150, 0, 0, 3, 32);
  archive.leave(160, 1, "MPI_Recv");
  archive.enter(170, 1, "MPI_Send");
  OTF2_EvtWriter_MpiSend(archive.at(1), nullptr, base + 175, 0, 0, 4, 48);
  archive.leave(180, 1, "MPI_Send");
  archive.enter(185, 1, "work", 1);
  archive.leave(190, 1, "work", 1);
  const auto trace = archive.load();
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(calls_of(*trace, 0), (std::vector<std::string>{"MPI_Isend", "MPI_Irecv", "MPI_Waitall"}));
  EXPECT_EQ(calls_of(*trace, 1), (std::vector<std::string>{"MPI_Recv", "MPI_Send"}));
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  ASSERT_EQ(trace->messages.size(), 2u);
  EXPECT_EQ(trace->messages[0].recv_post_call, 1u);
  EXPECT_EQ(trace->messages[0].recv_done_call, 2u);
  EXPECT_EQ(trace->messages[1].send_call, 0u);
  EXPECT_EQ(trace->messages[1].send_done_call, 2u);
  EXPECT_FALSE(trace->diagnostics.has("threads-interleaved"));
  EXPECT_FALSE(trace->diagnostics.has("threads-not-read"));
}

// While one thread of rank 0 waits in MPI_Recv from 100 to 700, another sends at 200 and at 400. The sends
// keep their times; the receive is shown in the pieces between.
TEST(Otf2OfOthers, ThreadsInsideMpiAtOnce) {
  const TestDir dir;
  Archive archive(dir.path(), 2, 2);
  archive.enter(100, 0, "MPI_Recv");
  OTF2_EvtWriter_MpiRecv(archive.at(0), nullptr, base + 690, 1, 0, 1, 8);
  archive.leave(700, 0, "MPI_Recv");
  for (const std::uint64_t at : {200, 400}) {
    archive.enter(at, 0, "MPI_Send", 1);
    OTF2_EvtWriter_MpiSend(archive.at(0, 1), nullptr, base + at + 10, 1, 0, 2, 8);
    archive.leave(at + 50, 0, "MPI_Send", 1);
    archive.enter(at, 1, "MPI_Recv");
    OTF2_EvtWriter_MpiRecv(archive.at(1), nullptr, base + at + 90, 0, 0, 2, 8);
    archive.leave(at + 100, 1, "MPI_Recv");
  }
  archive.enter(600, 1, "MPI_Send");
  OTF2_EvtWriter_MpiSend(archive.at(1), nullptr, base + 610, 0, 0, 1, 8);
  archive.leave(650, 1, "MPI_Send");
  const auto trace = archive.load();
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(calls_of(*trace, 0),
            (std::vector<std::string>{"MPI_Recv", "MPI_Send", "MPI_Recv", "MPI_Send", "MPI_Recv"}));
  const std::int64_t origin = -100;  // the first event is at 100
  EXPECT_EQ(trace->ranks[0].enter_ns, (std::vector<std::int64_t>{100 + origin, 200 + origin, 250 + origin,
                                                                 400 + origin, 450 + origin}));
  EXPECT_EQ(trace->ranks[0].leave_ns, (std::vector<std::int64_t>{200 + origin, 250 + origin, 400 + origin,
                                                                 450 + origin, 700 + origin}));
  EXPECT_EQ(trace->ranks[0].thread, (std::vector<std::uint32_t>{0, 1, 0, 1, 0}));
  EXPECT_EQ(trace->messages.size(), 3u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  EXPECT_EQ(trace->messages[0].recv_done_call, 4u);
  EXPECT_TRUE(trace->diagnostics.has("threads-interleaved"));
}

TEST(Otf2OfOthers, ValuesAndParametersOfThePrograms) {
  const TestDir dir;
  Archive archive(dir.path(), 1, 2);
  archive.enter(0, 0, "main");
  archive.enter(10, 0, "worker", 1);
  archive.user_value(20, 0, 0.5);
  archive.user_value(30, 0, 0.25, 1);
  archive.parameter(40, 0, "solve");
  archive.leave(50, 0, "worker", 1);
  archive.enter(60, 0, "MPI_Finalize");
  archive.leave(70, 0, "MPI_Finalize");
  archive.enter(80, 0, "lost");  // no leave of it, nor of main
  const auto trace = archive.load();
  ASSERT_TRUE(trace) << to_string(trace.error());
  const UserEvents& user = trace->ranks[0].user;
  ASSERT_EQ(trace->user.values.size(), 1u);
  EXPECT_EQ(trace->user.values[0].name, "residual");
  ASSERT_EQ(user.values.size(), 2u);
  EXPECT_EQ(user.values[0].at_ns, 20);
  EXPECT_EQ(user.values[0].number(trace->user.values[0]), 0.5);
  EXPECT_EQ(user.values[1].thread, 1u);
  ASSERT_EQ(user.markers.size(), 1u);
  EXPECT_EQ(trace->user.texts[user.markers[0].text], "phase: solve");
  ASSERT_EQ(user.regions.size(), 3u);
  EXPECT_EQ(user.regions[0].leave_ns, 80);
  EXPECT_EQ(user.regions[1].thread, 1u);
  EXPECT_EQ(user.regions[1].leave_ns, 50);
}

}  // namespace
}  // namespace ww
