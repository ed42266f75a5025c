#include "trace/packed.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "trace/however_loaded.hpp"
#include "trace/packed_bytes.hpp"
#include "trace/score_p_fixture.hpp"
#include "trace/spool_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww {
namespace {

Result<Trace> unpacked(const std::string& bytes) {
  return unpack(bytes);
}

template <class T>
void expect_same_records(const Column<T>& a, const Column<T>& b, const auto& of) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(of(a[i]), of(b[i])) << i;
}

// What expect_same leaves out.
void expect_same_beside(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.source.parent_path().filename() / a.source.filename(), b.source);
  EXPECT_EQ(a.meanings, b.meanings);
  EXPECT_EQ(a.user.regions, b.user.regions);
  EXPECT_EQ(std::tuple(a.calls_timed, a.volumes_told, a.predicted, a.dilation, a.causality.remaining,
                       a.causality.largest_shift_ns),
            std::tuple(b.calls_timed, b.volumes_told, b.predicted, b.dilation, b.causality.remaining,
                       b.causality.largest_shift_ns));
  for (std::size_t r = 0; r < a.ranks.size(); ++r) {
    const RankTrace &one = a.ranks[r], &other = b.ranks[r];
    EXPECT_EQ(one.host, other.host);
    EXPECT_EQ(one.address, other.address);
    expect_same_records(one.nested, other.nested, [](const NestedCall& c) {
      return std::tuple(c.enter_ns, c.leave_ns, c.call, c.region, c.around);
    });
    expect_same_records(one.waits, other.waits, [](const KnownWait& w) {
      return std::tuple(w.call, w.from_ns, w.begun_ns, w.to_ns, w.by);
    });
    expect_same_records(one.ways, other.ways,
                        [](const KnownWay& w) { return std::tuple(w.action, w.left_ns, w.arrived_ns); });
    expect_same_records(one.user.regions, other.user.regions, [](const UserRegion& u) {
      return std::tuple(u.enter_ns, u.leave_ns, u.region, u.thread);
    });
    expect_same_records(one.user.values, other.user.values,
                        [](const UserValue& u) { return std::tuple(u.at_ns, u.name, u.thread, u.bits); });
    expect_same_records(one.user.markers, other.user.markers,
                        [](const UserMarker& u) { return std::tuple(u.at_ns, u.text, u.thread); });
  }
  ASSERT_EQ(a.one_sided.ranks.size(), b.one_sided.ranks.size());
  ASSERT_EQ(a.one_sided.windows.size(), b.one_sided.windows.size());
  for (std::size_t w = 0; w < a.one_sided.windows.size(); ++w) {
    EXPECT_EQ(a.one_sided.windows[w].name, b.one_sided.windows[w].name);
    EXPECT_EQ(a.one_sided.windows[w].comm, b.one_sided.windows[w].comm);
  }
  for (std::size_t r = 0; r < a.one_sided.ranks.size(); ++r) {
    expect_same_records(a.one_sided.ranks[r].transfers, b.one_sided.ranks[r].transfers,
                        [](const Transfer& t) {
                          return std::tuple(t.call, t.done_call, t.remote_done_call, t.window, t.target,
                                            t.kind, t.bytes_out, t.bytes_in);
                        });
    expect_same_records(a.one_sided.ranks[r].syncs, b.one_sided.ranks[r].syncs,
                        [](const WindowSync& s) { return std::tuple(s.call, s.window, s.target, s.kind); });
  }
  EXPECT_EQ(a.file_io.files, b.file_io.files);
  ASSERT_EQ(a.file_io.ranks.size(), b.file_io.ranks.size());
  for (std::size_t r = 0; r < a.file_io.ranks.size(); ++r) {
    expect_same_records(a.file_io.ranks[r].operations, b.file_io.ranks[r].operations,
                        [](const FileOperation& o) {
                          return std::tuple(o.call, o.done_call, o.handle, o.writes, o.collective, o.blocking,
                                            o.bytes_wanted, o.bytes, o.offset);
                        });
    expect_same_records(a.file_io.ranks[r].events, b.file_io.ranks[r].events, [](const FileEvent& e) {
      return std::tuple(e.call, e.change, e.file, e.handle, e.mode);
    });
  }
  EXPECT_EQ(a.run.program, b.run.program);
  EXPECT_EQ(a.run.launch, b.run.launch);
  EXPECT_EQ(a.run.lasting, b.run.lasting);
  for (std::size_t r = 0; r < a.run.ranks.size(); ++r) {
    EXPECT_EQ(a.run.ranks[r].grid_dims, b.run.ranks[r].grid_dims);
    EXPECT_EQ(a.run.ranks[r].grid_periods, b.run.ranks[r].grid_periods);
  }
  EXPECT_EQ(a.run.daemons, b.run.daemons);
  ASSERT_EQ(a.run.ranks.size(), b.run.ranks.size());
  for (std::size_t r = 0; r < a.run.ranks.size(); ++r) {
    EXPECT_EQ(a.run.ranks[r].rank, b.run.ranks[r].rank);
    EXPECT_EQ(a.run.ranks[r].waited_s, b.run.ranks[r].waited_s);
    EXPECT_EQ(a.run.ranks[r].arithmetic_s, b.run.ranks[r].arithmetic_s);
    const auto functions = [&](const Trace& trace) {
      std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, double, double, bool>> all;
      for (const RunRecord::Function& one : trace.run.ranks[r].functions)
        all.emplace_back(one.name, one.calls, one.recorded, one.own_s, one.all_s, one.thinned);
      return all;
    };
    EXPECT_EQ(functions(a), functions(b));
    EXPECT_EQ(a.run.ranks[r].functions_only_counted, b.run.ranks[r].functions_only_counted);
    const auto memory = [&](const Trace& trace) {
      const RunRecord::Memory& of = trace.run.ranks[r].memory;
      return std::tuple(of.peak_bytes, of.recorder_code_bytes, of.recorder_data_bytes,
                        of.spools_resident_bytes, of.spools_bytes);
    };
    EXPECT_EQ(memory(a), memory(b));
    const auto tcp = [&](const Trace& trace) {
      const RunRecord::Tcp& of = trace.run.ranks[r].tcp;
      return std::tuple(of.sent, of.retransmitted, of.timeouts, of.probes, of.no_room,
                        of.delayed_acknowledgements);
    };
    EXPECT_EQ(tcp(a), tcp(b));
  }
}

void expect_round(const Trace& trace) {
  const std::string bytes = pack(trace);
  const auto again = unpacked(bytes);
  ASSERT_TRUE(again) << again.error().what;
  expect_same(trace, *again);
  expect_same_beside(trace, *again);
  EXPECT_EQ(pack(*again), bytes);
}

// Everything that a trace can hold, with values that no default has.
Trace with_everything() {
  TraceBuilder builder(2, 9000);
  using enum ActionKind;
  builder.call(0, "MPI_Isend", 100, 120, {message_action(isend, 1, 7, 1 << 20, 1, action_synchronous)});
  builder.call(0, "MPI_Wait", 130, 900, {message_action(isend_done, 1, 7, 1 << 20, 1)});
  builder.call(0, "MPI_Alltoallv", 950, 990, {collective_action(24, 40), {sent_to, 1, 0, 0, 24, 0, 0, 0}});
  builder.call(1, "MPI_Irecv", 90, 95, {message_action(irecv, 0, 7, 1 << 21, 1, action_wildcard_source)});
  builder.call(1, "MPI_Test", 96, 97, {message_action(test_failed, -1, 0, 0)});
  builder.call(1, "MPI_Wait", 98, 910, {message_action(irecv_done, 0, 7, 1 << 20, 1)});
  builder.call(1, "MPI_Alltoallv", 960, 990, {collective_action(40, 24), {sent_to, 0, 0, 0, 40, 0, 0, 0}});
  Trace trace = builder.matched();
  trace.source = "/tmp/a/traces.otf2";
  trace.meanings = {{CallRole::p2p, CollectiveOp::other, CallPhase::within, CallManner::polls}};
  trace.user = {{"solve"}, {{"residual", "m", false}, {"step", "", true}}, {"restart"}};
  trace.volumes_told = true, trace.events = 77, trace.clock_uncertainty_s = 1e-7, trace.dilation = 2.5;
  trace.causality = {3, 1, -40};
  trace.diagnostics.add("clock-violation", 3);
  RankTrace& rank = trace.ranks[1];
  rank.address = 0x40002;
  rank.begin_ns = -50;
  rank.thread = {0, 0, 1, 0};
  rank.nested.push_back({98, 99, 2, 1, 0});
  rank.waits.push_back({2, 98, 500, 905, 0});
  trace.ranks[0].ways.push_back({0, 300, 905});
  rank.user.regions.push_back({10, 8000, 0, 0});
  rank.user.values.push_back({20, 0, 1, std::bit_cast<std::uint64_t>(-0.125)});
  rank.user.markers.push_back({30, 0, 0});
  trace.one_sided.windows = {{"w", 0}};
  trace.one_sided.ranks.resize(2);
  trace.one_sided.ranks[0].transfers.push_back({0, 1, no_call_number, 0, 1, TransferKind::fetch, 8, 16});
  trace.one_sided.ranks[1].syncs.push_back({1, 0, -1, SyncKind::lock});
  trace.file_io.files = {"out.dat"};
  trace.file_io.handles = {{0, 0}};
  trace.file_io.ranks.resize(2);
  trace.file_io.ranks[1].operations.push_back(
      {1, 2, 0, true, false, true, 100, 90, FileOperation::unknown_offset});
  trace.file_io.ranks[1].events.push_back({0, FileChange::opened, 0, 0, FileMode::write});
  trace.run.program = "p", trace.run.launch = {"mpirun", "p"}, trace.run.lasting = "{}",
  trace.run.daemons = "{}";
  trace.run.ranks.resize(1);
  trace.run.ranks[0].rank = 1, trace.run.ranks[0].waited_s = 0.5,
  trace.run.ranks[0].arithmetic_s = {1e-3, 2e-3};
  trace.run.ranks[0].functions = {{"solve", 7, 3, 0.25, 0.5, true}, {"", 9, 0, 0.125, 0, false}};
  trace.run.ranks[0].functions_only_counted = true;
  trace.run.ranks[0].memory = {5e7, 1e6, 2e5, 49152, 4576};
  trace.run.ranks[0].grid_dims = {2, 1}, trace.run.ranks[0].grid_periods = {0, 1};
  return trace;
}

TEST(Packed, HoldsEverything) {
  expect_round(with_everything());
}

TEST(Packed, HoldsArchivesOfOthers) {
  const spool::TestDir dir;
  write_like_score_p(dir.path());
  const auto trace = load_trace(dir.path());
  ASSERT_TRUE(trace) << trace.error().what;
  expect_round(*trace);
}

TEST(Packed, HoldsWhatNoLongerFollowsFromTheActions) {
  Trace trace = with_everything();
  trace.messages[0].wildcard = false;
  expect_round(trace);
}

TEST(Packed, EmptyRanks) {
  Trace trace;
  trace.ranks.resize(3);
  expect_round(trace);
}

// A ring of 1000 rounds with sizes that alternate, as halos have: gap and duration take two bytes each below 8192 ns, which these are, the
// kind of call one.
TEST(Packed, IsCompact) {
  TraceBuilder builder(2, 100000000);
  std::mt19937 random(3);
  for (std::size_t r = 0; r < 2; ++r) {
    std::int64_t now = 0;
    for (int round = 0; round < 1000; ++round)
      for (const bool sends : {r == 0, r != 0}) {
        const std::int64_t enter = now + 100 + static_cast<std::int64_t>(random() % 8000);
        now = enter + 70 + static_cast<std::int64_t>(random() % 8000);
        builder.call(r, sends ? "MPI_Send" : "MPI_Recv", enter, now,
                     {message_action(sends ? ActionKind::send : ActionKind::recv,
                                     static_cast<std::int32_t>(1 - r), 0, round % 2 == 0 ? 1024 : 4096)});
      }
  }
  EXPECT_LT(pack(builder.matched()).size(), 4000U * 5 + 500);
}

TEST(Packed, SaysWhatItIsNot) {
  EXPECT_EQ(unpacked("something else that is long enough").error().what, "no packed trace");
  std::string bytes = pack(with_everything());
  bytes[14] = 99;
  EXPECT_EQ(unpacked(bytes).error().what, "a packed trace of another version");
  EXPECT_EQ(unpacked(pack(with_everything()) + "x").error().what, "the packed trace is damaged");
}

// Whatever is done to the bytes, unpack ends, with an error or with a trace whose indexes point into it (packed anew, all are followed).
TEST(Packed, DamageIsAnError) {
  Trace unlike = with_everything();
  unlike.messages[0].wildcard = false;
  std::mt19937_64 random(11);
  int refused = 0, taken = 0;
  for (const std::string& whole : {pack(with_everything()), pack(unlike)}) {
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_FALSE(unpacked(whole.substr(0, length)));
    for (int round = 0; round < 20000; ++round) {
      std::string bytes = whole;
      for (std::size_t change = 1 + random() % 3; change > 0; --change) {
        const std::size_t at = 15 + random() % (bytes.size() - 15);
        switch (random() % 3) {
          case 0:
            bytes[at] = static_cast<char>(random());
            break;
          case 1:
            bytes.erase(at, 1 + random() % 4);
            break;
          default:
            bytes.insert(at, 1, static_cast<char>(random() % 2 == 0 ? 0xff : random()));
            break;
        }
        if (bytes.size() < 17) break;
      }
      const auto trace = unpacked(bytes);
      ++(trace ? taken : refused);
      if (!trace) continue;
      for (const RankTrace& rank : trace->ranks)
        for (std::size_t call = 0; call < rank.calls(); ++call)
          ASSERT_LT(rank.region[call], trace->regions.size());
      for (const Message& message : trace->messages) {
        ASSERT_LT(message.send_call, trace->ranks[static_cast<std::size_t>(message.source)].calls());
        ASSERT_LT(message.recv_done_call,
                  trace->ranks[static_cast<std::size_t>(message.destination)].calls());
      }
      EXPECT_FALSE(pack(*trace).empty());
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(taken, 1000);
}

TEST(PackedBytes, NumbersComeBack) {
  packed::Writer out;
  const std::vector<std::int64_t> values{0,
                                         1,
                                         -1,
                                         63,
                                         64,
                                         -64,
                                         -65,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
  for (const std::int64_t value : values)
    out.whole(value), out.step(static_cast<std::uint64_t>(value), 5), out.real(1e300 / 7);
  const std::string bytes = out.take();
  packed::Reader in(bytes);
  for (const std::int64_t value : values) {
    EXPECT_EQ(in.whole(), value);
    EXPECT_EQ(in.step(static_cast<std::uint64_t>(value)), 5U);
    EXPECT_EQ(in.real(), 1e300 / 7);
  }
  EXPECT_TRUE(in.is_over());
  EXPECT_EQ(in.number(), 0U);
  EXPECT_TRUE(in.failed());
}

}  // namespace
}  // namespace ww
