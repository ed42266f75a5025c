// Spools of processes that have addresses and no ranks, by hand, as a recorder of PVM leaves them. Expected ranks
// follow from the rule in spool_tasks.hpp, times and nesting from the records.
#include "trace/spool_tasks.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using nlohmann::json;
using spool::flag_nested;
using spool::Kind;
using spool::SpoolWriter;
using spool::TestDir;

// Later started than the next, and of the same instant as the one after it.
const std::string second = "000000000004000c", first = "000000000004000b", third = "fffffffffffffff0",
                  daemon_address = "0000000080000000";

std::map<std::string, SpoolWriter> three_tasks() {
  std::map<std::string, SpoolWriter> tasks;
  tasks[second].task(second, 2000);
  tasks[first].task(first, 1000);
  tasks[third].task(third, 2000);
  for (auto& [address, task] : tasks) task.add("pvm_mytid", 1000, 1100);
  return tasks;
}

TEST(Tasks, AreNumberedByTheirStartAndThenByAddress) {
  using spool::TaskStart;
  std::vector<TaskStart> tasks{{7, std::nullopt}, {9, 20}, {8, 20}, {10, 10}, {6, std::nullopt}};
  spool::sort_tasks(tasks);
  std::vector<std::uint64_t> order;
  for (const TaskStart& task : tasks) order.push_back(task.address);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{10, 8, 9, 6, 7}));
}

TEST(Tasks, MeetByTheirAddresses) {
  const TestDir dir;
  auto tasks = three_tasks();
  // Each has numbers of its own for the others.
  tasks[second].peer(0, first);
  tasks[second].peer(1, third);
  tasks[first].peer(5, second);
  tasks[third].peer(0, second);
  tasks[second].add("pvm_send", 1200, 1210, Kind::send, 0, 7, 100);
  tasks[first].add("pvm_recv", 1150, 1230, Kind::recv, 5, 7, 100);
  tasks[third].add("pvm_send", 1300, 1310, Kind::send, 0, 8, 200);
  tasks[second].add("pvm_recv", 1250, 1330, Kind::recv, 1, 8, 200);
  for (auto& [address, task] : tasks) task.add("pvm_exit", 2000, 2100), task.end(2100);
  spool::write_tasks(dir.path(), tasks);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  EXPECT_TRUE(unified->all().empty());
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 3u);
  EXPECT_EQ(trace->ranks[0].address, 0x4000bu);
  EXPECT_EQ(trace->ranks[1].address, 0x4000cu);
  EXPECT_EQ(trace->ranks[2].address, 0xfffffffffffffff0u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  ASSERT_EQ(trace->messages.size(), 2u);
  const auto& messages = trace->messages;  // by destination
  EXPECT_EQ(std::tie(messages[0].source, messages[0].destination, messages[0].bytes),
            std::make_tuple(1, 0, 100u));
  EXPECT_EQ(std::tie(messages[1].source, messages[1].destination, messages[1].bytes),
            std::make_tuple(2, 1, 200u));
  EXPECT_EQ(trace->comms[messages[0].comm].name, "PVM");
  EXPECT_EQ(trace->ranks[0].begin_ns, 100'000);  // pvm_mytid begins the program: its return
  EXPECT_EQ(trace->ranks[0].end_ns, 1'000'000);
  EXPECT_EQ(read_run(dir.path())["ranks"][2]["address"], third);
}

// Two messages of one tag, the first in a context, whose number is as high as PVM's own are; the other one is received first.
TEST(Tasks, ReceiveTheMessagesOfTheirContext) {
  const TestDir dir;
  auto tasks = three_tasks();
  constexpr std::uint32_t context = 0x7ffffffeu;
  for (auto* task : {&tasks[first], &tasks[second]}) {
    task->peer(0, task == &tasks[first] ? second : first);
    task->definitions.push_back({{"def", "comm"},
                                 {"id", context},
                                 {"kind", "context"},
                                 {"name", "PVM, context -2"},
                                 {"made", context}});
  }
  tasks[second].add("pvm_send", 1200, 1210, Kind::send, 0, 7, 100, 0, 0, context);
  tasks[second].add("pvm_send", 1220, 1230, Kind::send, 0, 7, 200);
  tasks[first].add("pvm_recv", 1150, 1300, Kind::recv, 0, 7, 200);
  tasks[first].add("pvm_recv", 1310, 1320, Kind::recv, 0, 7, 100, 0, 0, context);
  for (auto& [address, task] : tasks) task.add("pvm_exit", 2000, 2100), task.end(2100);
  spool::write_tasks(dir.path(), tasks);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  EXPECT_TRUE(unified->all().empty());  // no message-size-mismatch
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->messages.size(), 2u);
  EXPECT_EQ(trace->unmatched_sends + trace->unmatched_receives, 0u);
  for (const auto& message : trace->messages)
    EXPECT_EQ(trace->comms[message.comm].name, message.bytes == 100 ? "PVM, context -2" : "PVM");
}

TEST(Tasks, ThatWereNotRecordedLeaveTheirMessagesUnmatched) {
  const TestDir dir;
  auto tasks = three_tasks();
  tasks[first].peer(0, daemon_address);
  tasks[first].peer(1, second);
  tasks[second].peer(0, first);
  tasks[first].add("pvm_recv", 1150, 1160, Kind::recv, 0, 7, 10);
  tasks[first].add("pvm_send", 1170, 1180, Kind::send, 0, 7, 20);
  tasks[first].add("pvm_recv", 1190, 1230, Kind::recv, 1, 7, 100);
  tasks[first].add("pvm_send", 1240, 1250, Kind::send, 2, 7, 1);  // an index without a definition
  tasks[second].add("pvm_send", 1200, 1210, Kind::send, 0, 7, 100);
  for (auto& [address, task] : tasks) task.end(2100);
  spool::write_tasks(dir.path(), tasks);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  ASSERT_EQ(unified->all().size(), 2u);
  std::map<std::string, std::uint64_t> met;
  for (const Diagnostic& one : unified->all()) met[one.name] = one.count;
  EXPECT_EQ(met["task-not-recorded"], 1u);
  EXPECT_EQ(met["damaged-record"], 1u);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  ASSERT_EQ(trace->ranks.size(), 4u);
  EXPECT_EQ(trace->ranks[3].address, 0x80000000u);
  EXPECT_EQ(trace->ranks[3].calls(), 0u);
  EXPECT_EQ(trace->unmatched_sends, 1u);
  EXPECT_EQ(trace->unmatched_receives, 1u);
  ASSERT_EQ(trace->messages.size(), 1u);
  EXPECT_EQ(trace->messages[0].bytes, 100u);
}

TEST(Tasks, BesideRanksAreAnotherJob) {
  const TestDir dir;
  std::vector<SpoolWriter> ranks(1);
  ranks[0].standard(0, 1);
  ranks[0].add("MPI_Init", 1000, 1100);
  ranks[0].end(1100);
  spool::write_spools(dir.path(), ranks);
  spool::write_tasks(dir.path(), three_tasks());
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  ASSERT_EQ(unified->all().size(), 1u);
  EXPECT_EQ(unified->all().front().name, "other-job");
  EXPECT_EQ(unified->all().front().count, 3u);
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks.size(), 1u);
  EXPECT_FALSE(trace->ranks[0].address);
}

// What tasks and their departures left there goes with the spool once there is an archive.
TEST(Tasks, LeaveNoSpoolBehind) {
  const TestDir dir;
  spool::write_tasks(dir.path(), three_tasks());
  std::ofstream(dir.path() / "spool" / "stamps-tasks") << "shared";
  ASSERT_TRUE(unify(dir.path(), json::object()));
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name != "spool" && !name.starts_with('.')) << name;
  }
}

// pvm_precv receives by pvm_recv and unpacks; its record comes last.
TEST(NestedCalls, AreInTheArchiveWithinTheCallAroundThem) {
  const TestDir dir;
  std::map<std::string, SpoolWriter> tasks;
  SpoolWriter& sender = tasks[first];
  SpoolWriter& receiver = tasks[second];
  sender.task(first, 1000);
  receiver.task(second, 2000);
  sender.peer(0, second);
  receiver.peer(0, first);
  sender.add("pvm_send", 600, 620, Kind::send, 0, 7, 100);
  receiver.add("pvm_recv", 110, 650, Kind::recv, 0, 7, 100, 0, flag_nested);
  receiver.add("pvm_pkbyte", 661, 662, Kind::call, -1, 0, 0, 0, flag_nested);
  receiver.add("pvm_upkbyte", 660, 690, Kind::call, -1, 0, 0, 0, flag_nested);
  receiver.add("pvm_precv", 100, 700);
  receiver.add("pvm_pkbyte", 800, 810, Kind::call, -1, 0, 0, 0, flag_nested);  // killed in what is around it
  spool::write_tasks(dir.path(), tasks);
  const auto unified = unify(dir.path(), json::object());
  ASSERT_TRUE(unified) << to_string(unified.error());
  for (const Diagnostic& one : unified->all()) EXPECT_EQ(one.name, "rank-ended-early");
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  const RankTrace& rank = trace->ranks[1];
  const auto name = [&](std::uint16_t region) { return trace->regions[region]; };
  ASSERT_EQ(rank.calls(), 2u);  // time 0 is the entry of pvm_precv
  EXPECT_EQ(name(rank.region[0]), "pvm_precv");
  EXPECT_EQ(std::pair(rank.enter_ns[0], rank.leave_ns[0]), std::pair(std::int64_t{0}, std::int64_t{600'000}));
  EXPECT_EQ(name(rank.region[1]), "pvm_pkbyte");
  EXPECT_EQ(rank.enter_ns[1], 700'000);
  ASSERT_EQ(rank.nested.size(), 3u);
  const std::tuple<std::string, std::string, std::int64_t, std::int64_t> expected[] = {
      {"pvm_recv", "pvm_precv", 10'000, 550'000},
      {"pvm_upkbyte", "pvm_precv", 560'000, 590'000},
      {"pvm_pkbyte", "pvm_upkbyte", 561'000, 562'000}};
  for (std::size_t i = 0; i < 3; ++i) {
    const NestedCall& call = rank.nested[i];
    EXPECT_EQ(std::make_tuple(name(call.region), name(call.around), call.enter_ns, call.leave_ns),
              expected[i]);
    EXPECT_EQ(call.call, 0u);
  }
  ASSERT_EQ(trace->messages.size(), 1u);
  EXPECT_EQ(trace->messages[0].recv_done_call, 0u);
}

}  // namespace
}  // namespace ww
