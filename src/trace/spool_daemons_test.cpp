// Spools of two daemons by hand, a tick a microsecond, beside one task's. Every expected time and count is a sum of those written here.
#include "trace/spool_daemons.hpp"

#include <gtest/gtest.h>

#include "base/run_record.hpp"
#include "trace/daemon_packets.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace {

using nlohmann::json;
using spool::DaemonKind;
using spool::DaemonPacket;
using spool::Record;
using spool::SpoolWriter;

constexpr std::uint16_t select_call = 1, recvfrom_call = 2, sendto_call = 3, read_call = 4, write_call = 5;
constexpr std::uint8_t data = DaemonPacket::begins | DaemonPacket::ends | DaemonPacket::has_data;
constexpr std::uint32_t task_a = 0x40001, task_b = 0x80001, daemon_a = 0x80040000u, daemon_b = 0x80080000u;
constexpr std::uint64_t address_a = 0x0a4d00010000ull + 1000, address_b = 0x0a4d00020000ull + 2000;

struct DaemonWriter : SpoolWriter {
  DaemonWriter(const std::string& on, std::uint64_t socket, std::uint64_t other,
               const std::string& boot = "b") {
    host = on;
    standard(0, 1);
    definitions.resize(2);
    definitions[0]["names"] = {"", "select", "recvfrom", "sendto", "read", "write", "accept"};
    definitions[1]["boot_id"] = boot;
    definitions.push_back({{"def", "fact"}, {"name", "socket"}, {"address", hex(socket)}});
    peer(0, hex(other));
  }
  static std::string hex(std::uint64_t address) {
    char text[20];
    snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(address));
    return text;
  }
  void put(std::uint16_t call, std::uint64_t enter, std::uint64_t leave, DaemonKind kind = DaemonKind::call,
           std::uint64_t bytes = 0, std::uint64_t operation = 0, std::uint32_t from = 0,
           std::uint32_t to = 0) {
    records.push_back({enter, leave, bytes, operation, 0, static_cast<std::int32_t>(to), from,
                       static_cast<std::uint8_t>(kind), 0, call});
  }
  void packet(bool sent, std::uint64_t enter, std::uint64_t leave, std::uint16_t sequence, std::uint32_t from,
              std::uint32_t to, std::uint64_t bytes) {
    put(sent ? sendto_call : recvfrom_call, enter, leave,
        sent ? DaemonKind::packet_sent : DaemonKind::packet_received, bytes,
        DaemonPacket{sequence, 0, data}.packed(), from, to);
  }
  void acknowledgement(bool sent, std::uint64_t enter, std::uint64_t leave, std::uint16_t of,
                       std::uint32_t from, std::uint32_t to) {
    put(sent ? sendto_call : recvfrom_call, enter, leave,
        sent ? DaemonKind::packet_sent : DaemonKind::packet_received, 16,
        DaemonPacket{0, of, DaemonPacket::acknowledges}.packed(), from, to);
  }
};

// One fragment of 100 bytes, whose packet the first daemon sends twice, as its acknowledgement comes late; it waits in select for 5000, of which
// 4000 lie within the program's time of [1000, 9000].
std::vector<DaemonWriter> two_daemons(const std::string& boot_of_second = "b") {
  std::vector<DaemonWriter> both{{"alpha", address_a, address_b},
                                 {"beta", address_b, address_a, boot_of_second}};
  DaemonWriter& a = both[0];
  a.put(select_call, 0, 5000);
  a.put(read_call, 5000, 5010, DaemonKind::fragment_read, 16, 100, task_a, task_b);
  a.put(read_call, 5010, 5020, DaemonKind::call, 100);
  a.packet(true, 5100, 5110, 0xffff, task_a, task_b, 116);
  a.packet(true, 6000, 6010, 0xffff, task_a, task_b, 116);
  a.acknowledgement(false, 6500, 6510, 0xffff, daemon_b, daemon_a);
  a.acknowledgement(true, 6510, 6520, 3, daemon_a, daemon_b);
  a.end(10000);
  DaemonWriter& b = both[1];
  b.packet(false, 5290, 5300, 0xffff, task_a, task_b, 116);
  b.put(write_call, 5320, 5330, DaemonKind::fragment_written, 56, 40, task_a,
        task_b);  // of a message to several tasks
  b.put(write_call, 5340, 5350, DaemonKind::fragment_written, 116, 100, task_a, task_b);
  b.packet(false, 6190, 6200, 0xffff, task_a, task_b, 116);
  b.acknowledgement(true, 6200, 6210, 0xffff, daemon_b, daemon_a);
  return both;
}

struct Recorded {
  spool::TestDir dir;
  DaemonRecord record;
  Diagnostics diagnostics;
  json run;

  explicit Recorded(const std::vector<DaemonWriter>& daemons) {
    SpoolWriter task;
    task.task("0000000000040001", 1000);
    task.definitions[1]["ticks"] = 1000;
    task.add("pvm_mytid", 900, 1000), task.add("pvm_exit", 9000, 9000), task.end(9000);
    spool::write_tasks(dir.path(), {{"0000000000040001", task}});
    for (std::size_t d = 0; d < daemons.size(); ++d) {
      const std::string stem = "daemon-" + std::to_string(d + 1);
      spool::write_bytes(dir.path() / "spool" / stem, "");
      spool::write_bytes(dir.path() / "spool" / (stem + ".thread-0.spool"), daemons[d].spool_bytes(-1));
      spool::write_bytes(dir.path() / "spool" / (stem + ".defs"), daemons[d].definition_bytes());
    }
    const auto unified = unify(dir.path(), json::object());
    EXPECT_TRUE(unified) << to_string(unified.error());
    if (unified) diagnostics = *unified;
    run = read_run(dir.path());
    if (auto found = daemons_from(run_from_json(run).daemons)) record = *std::move(found);
  }
};

TEST(Daemons, AreNoRanksAndTheirTimeIsThatOfTheProgram) {
  const Recorded recorded(two_daemons());
  const auto trace = load_trace(recorded.dir.path());
  ASSERT_TRUE(trace) << to_string(trace.error());
  EXPECT_EQ(trace->ranks.size(), 1u);
  ASSERT_EQ(recorded.record.daemons.size(), 2u);
  const DaemonFacts& a = recorded.record.daemons[0];
  EXPECT_EQ(std::tie(a.host, a.address), std::tuple("alpha", "10.77.0.1:1000"));
  EXPECT_EQ(a.tid, daemon_a);
  EXPECT_TRUE(a.ended);
  EXPECT_DOUBLE_EQ(a.life.time_s, 10e-3);
  EXPECT_DOUBLE_EQ(a.life.waiting_s, 5e-3);
  ASSERT_TRUE(a.program);
  EXPECT_DOUBLE_EQ(a.program->time_s, 8e-3);
  EXPECT_DOUBLE_EQ(a.program->waiting_s, 4e-3);
  EXPECT_NEAR(a.program->own_s, 8e-3 - 4e-3 - 6 * 10e-6, 1e-12);
  ASSERT_EQ(a.busy_over_time.size(), 100u);
  EXPECT_DOUBLE_EQ(a.bin_s, 80e-6);
  EXPECT_NEAR(a.busy_over_time[49], 0, 1e-9);  // [4920, 5000)
  EXPECT_NEAR(a.busy_over_time[50], 1, 1e-9);
}

TEST(Daemons, CountPacketsAcknowledgementsAndWhatWasSentAgain) {
  const Recorded recorded(two_daemons());
  ASSERT_EQ(recorded.record.daemons.size(), 2u);
  const DaemonTraffic a = recorded.record.daemons[0].life.all(), b = recorded.record.daemons[1].life.all();
  EXPECT_EQ(std::tuple(a.packets_sent, a.bytes_sent, a.acknowledgements_sent, a.sent_again),
            std::tuple(3u, 248u, 1u, 1u));
  EXPECT_EQ(std::tuple(a.packets_received, a.bytes_received, a.acknowledgements_received, a.received_again),
            std::tuple(1u, 16u, 1u, 0u));
  EXPECT_EQ(std::tuple(b.packets_received, b.received_again, b.acknowledgements_sent),
            std::tuple(2u, 1u, 1u));
  EXPECT_EQ(recorded.record.daemons[0].life.peers.at(0).host, "beta");
}

TEST(Daemons, FollowAFragmentFromTaskToTask) {
  const Recorded recorded(two_daemons());
  ASSERT_EQ(recorded.record.ways.size(), 1u);
  const DaemonWay& way = recorded.record.ways[0];
  EXPECT_EQ(std::tuple(way.from, way.to, way.fragments, way.bytes), std::tuple("alpha", "beta", 1u, 100u));
  for (const DaemonStage* stage : {&way.held, &way.under_way, &way.delivered, &way.acknowledged})
    EXPECT_EQ(stage->fragments, 1u);
  EXPECT_NEAR(way.held.median_s, 90e-6, 1e-9);            // 5010 to 5100
  EXPECT_NEAR(way.under_way.total_s, 200e-6, 1e-9);       // 5100 to 5300
  EXPECT_NEAR(way.delivered.p90_s, 50e-6, 1e-9);          // 5300 to 5350
  EXPECT_NEAR(way.acknowledged.median_s, 1410e-6, 1e-9);  // 5100 to 6510
}

TEST(Daemons, OfAnotherClockAreNotComparedWithIt) {
  const Recorded recorded(two_daemons("another boot"));
  ASSERT_EQ(recorded.record.daemons.size(), 2u);
  EXPECT_TRUE(recorded.record.daemons[0].program);
  EXPECT_FALSE(recorded.record.daemons[1].program);
  EXPECT_TRUE(recorded.diagnostics.has("daemon-clock-unknown"));
  EXPECT_EQ(recorded.record.ways.at(0).under_way.fragments, 0u);
  EXPECT_EQ(recorded.record.ways.at(0).acknowledged.fragments, 1u);
}

TEST(Daemons, ThatWereKilledAreToldAndKept) {
  const Recorded recorded(two_daemons());  // the second said nothing of its end
  EXPECT_FALSE(recorded.record.daemons.at(1).ended);
  EXPECT_NEAR(recorded.record.daemons.at(1).life.time_s, 6210e-6, 1e-9);
  EXPECT_TRUE(recorded.diagnostics.has("daemon-ended-early"));
  EXPECT_FALSE(recorded.diagnostics.has("task-not-recorded"));
}

TEST(Daemons, SpoolsThatAreDamagedAreLeftOut) {
  auto daemons = two_daemons();
  daemons[1].definitions[1] = "no definition";
  const Recorded recorded(daemons);
  EXPECT_EQ(recorded.record.daemons.size(), 1u);
  EXPECT_EQ(recorded.record.daemons[0].life.peers.at(0).host, "");
  json run = recorded.run;
  run["daemons"]["daemons"][0]["life"].erase("udp");
  EXPECT_FALSE(daemons_from(run_from_json(run).daemons));
}

// 16 bits of a number that goes on: 65535 is followed by 0, and anything not beyond the latest has been there.
TEST(SequenceNumbers, GoOnBeyondTheirSixteenBits) {
  spool::SequenceNumbers numbers;
  EXPECT_FALSE(numbers.take(65534).again);
  EXPECT_FALSE(numbers.take(65535).again);
  const auto next = numbers.take(0);
  EXPECT_EQ(next.number, 65536);
  EXPECT_FALSE(next.again);
  EXPECT_TRUE(numbers.take(65535).again);
  EXPECT_EQ(numbers.number_of(65535), 65535);
}

}  // namespace
}  // namespace ww
