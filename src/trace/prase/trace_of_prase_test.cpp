// Records as traces, and traces as records. Expected is S5's example (prase_fixture.hpp), and what trace_of_prase.hpp and prase_of_trace.hpp say, worked out by hand.
#include "trace/prase/trace_of_prase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "base/files.hpp"
#include "trace/call_meaning.hpp"
#include "trace/export/export.hpp"
#include "trace/prase/prase_fixture.hpp"
#include "trace/prase/prase_of_trace.hpp"
#include "trace/ring_fixture.hpp"
#include "trace/trace_fixture.hpp"

namespace ww::prase {
namespace {

using spool::TestDir;

// Written as an archive and loaded as users do.
Trace imported(const PraseRun& run) {
  const TestDir dir;
  auto made = trace_of(run);
  EXPECT_TRUE(made) << to_string(made.error());
  if (!made) return {};
  const auto written = write_imported(*made, "prase_data", dir.path());
  EXPECT_TRUE(written) << to_string(written.error());
  auto trace = load_trace(dir.path(), {1, Loading::Keep::memory});
  EXPECT_TRUE(trace) << to_string(trace.error());
  return trace ? *std::move(trace) : Trace();
}

std::uint64_t count_of(const Trace& trace, const std::string& name) {
  for (const Diagnostic& one : trace.diagnostics.all())
    if (one.name == name) return one.count;
  return 0;
}

// Messages by sender, receiver, tag, bytes, call that began the send, and call that completed the receipt.
using Found = std::vector<std::array<std::uint64_t, 6>>;
Found found_in(const Trace& trace) {
  Found out;
  for (const Message& one : trace.messages)
    out.push_back({static_cast<std::uint64_t>(one.source), static_cast<std::uint64_t>(one.destination),
                   static_cast<std::uint64_t>(one.tag), one.bytes, one.send_call, one.recv_done_call});
  std::sort(out.begin(), out.end());
  return out;
}

// Ranks 0, 1, 2 are nodes 1, 7, 12; calls are the lines of the printed tables.
TEST(TraceOfPrase, TheWorkedExampleOfAppendixGIsMatchedAsItSays) {
  const Trace trace = imported(example_of_g());
  ASSERT_EQ(trace.ranks.size(), 3u);
  EXPECT_EQ(trace.ranks[1].host, "node 7");
  EXPECT_EQ(found_in(trace), (Found{{0, 1, 100, 1024, 0, 0},     // A
                                    {0, 1, 100, 1024, 1, 3},     // B
                                    {0, 1, 100, 1024, 2, 4},     // C
                                    {0, 1, 200, 445, 3, 1},      // L
                                    {0, 1, 200, 768, 4, 2},      // M
                                    {0, 2, 100, 1024, 5, 0},     // X
                                    {0, 2, 100, 1024, 6, 1},     // Y
                                    {0, 2, 100, 1024, 7, 2}}));  // Z
  EXPECT_EQ(trace.unmatched_sends + trace.unmatched_receives + trace.half_left_out, 0u);
  EXPECT_EQ(trace.wildcard_receives, 8u);
  EXPECT_EQ(trace.ranks[0].enter_ns[0], 0);  // 543 ms, the earliest
  EXPECT_EQ(trace.ranks[1].enter_ns[0], 42'000'000);
  EXPECT_EQ(trace.ranks[1].leave_ns[4], 72'000'000);
  // The printed times of each node lie multiples of 5 ms apart: what S5 says of the node's clock (3.5.1).
  EXPECT_NEAR(trace.clock_uncertainty_s, 0.005, 1e-9);
}

// Recording begins later: the receiver's has messages 499 to 501, the sender's 501 and 502.
TEST(TraceOfPrase, CountsSayWhichMessageAPartOfARunHas) {
  const Trace trace =
      imported(run_of_text("sendw 0 0 100 105 1 9 501 501 1 0 -1\nsendw 0 0 110 115 1 9 502 502 1 0 -1\n"
                           "recvw 1 0 100 101 2 9 499 499 0 0 -1\nrecvw 1 0 102 103 2 9 500 500 0 0 -1\n"
                           "recvw 1 0 104 106 2 9 501 501 0 0 -1\n"));
  EXPECT_EQ(found_in(trace), (Found{{0, 1, 9, 501, 0, 2}}));
  EXPECT_EQ(trace.half_left_out, 2u);
  EXPECT_EQ(trace.unmatched_sends, 1u);
  EXPECT_EQ(count_of(trace, "calls-before-start"), 1u);
}

// Ends that are alone on both sides between two messages are not taken for one another.
TEST(TraceOfPrase, EndsThatAreAloneStayAlone) {
  const Trace trace =
      imported(run_of_text("sendw 0 0 1 2 1 9 1 1 1 0 -1\nsendw 0 0 3 4 1 9 2 2 1 0 -1\nsendw 0 0 5 6 1 9 5 "
                           "5 1 0 -1\nsendw 0 0 7 8 1 9 7 7 1 0 -1\n"
                           "recvw 1 0 1 2 2 9 1 1 0 0 -1\nrecvw 1 0 3 4 2 9 3 3 0 0 -1\nrecvw 1 0 4 5 2 9 4 "
                           "4 0 0 -1\nrecvw 1 0 5 6 2 9 5 5 0 0 -1\n"
                           "recvw 1 0 7 8 2 9 6 6 0 0 -1\n"));
  EXPECT_EQ(found_in(trace), (Found{{0, 1, 9, 1, 0, 0}, {0, 1, 9, 5, 2, 3}}));
  EXPECT_FALSE(trace.diagnostics.has("message-size-mismatch"));
  EXPECT_EQ(trace.half_left_out, 4u);       // sends 2 and 7, receipts 3 and 4
  EXPECT_EQ(trace.unmatched_receives, 1u);  // receipt 6, behind the last message
}

// S5, C-5 and C-6: of a recv that was not complete at once the begin is that of the call, and the end that of the status call that found it.
TEST(TraceOfPrase, AReceiptFoundLaterIsPostedAndCompleted) {
  const Trace trace = imported(run_of_text(
      "sendw 0 0 0 5 1 9 8 1 1 0 -1\n"
      "grled 1 0 20 25 0 1 0 0 0 0 -1\nrecv 1 0 10 30 2 9 8 1 0 0 -1\nrecv 1 0 35 40 2 9 8 2 0 0 -1\n"));
  const RankTrace& rank = trace.ranks[1];
  ASSERT_EQ(rank.calls(), 4u);
  const auto name = [&](std::size_t call) { return trace.regions[rank.region[call]]; };
  EXPECT_EQ((std::vector<std::string>{name(0), name(1), name(2), name(3)}),
            (std::vector<std::string>{"recv", "greenled", "status", "recv"}));
  EXPECT_EQ(rank.enter_ns[0], 10'000'000);
  EXPECT_EQ(rank.leave_ns[0], 10'000'000);
  EXPECT_EQ(rank.enter_ns[2], 30'000'000);
  EXPECT_EQ(rank.leave_ns[3], 40'000'000);
  ASSERT_EQ(trace.messages.size(), 1u);
  EXPECT_EQ(trace.messages[0].recv_post_call, 0u);
  EXPECT_EQ(trace.messages[0].recv_done_call, 2u);
  EXPECT_EQ(trace.unmatched_receives, 1u);  // the second, of which no send is there
  EXPECT_EQ(meaning_of_region(trace, rank.region[2]).manner, CallManner::polls);
}

TEST(TraceOfPrase, TheProgramLiesBetweenInitAndEnd) {
  const Trace trace = imported(run_of_text(
      "init 0 0 0 40 0 0 0 0 0 0 -1\nopen 0 0 50 51 6 0 0 0 0 0 -1\nend 0 0 90 90 0 0 0 0 0 0 -1\n"));
  EXPECT_EQ(trace.ranks[0].begin_ns, 40'000'000);
  EXPECT_EQ(trace.ranks[0].end_ns, 90'000'000);
}

TEST(TraceOfPrase, MarkedVariablesAreValuesAndMarkers) {
  const Trace trace =
      imported(run_of_text("open 0 0 0 1 6 0 0 0 0 0 -1\nmdble 0 0 2 2 0.25\nmflot 0 0 3 3 0.5\nmint 0 0 4 4 "
                           "-3\nmchar 0 0 5 6 half way\n"
                           "close 0 0 9 9 6 0 0 0 0 0 -1\n"));
  const UserEvents& user = trace.ranks[0].user;
  ASSERT_EQ(user.values.size(), 3u);
  std::map<std::string, double> values;
  for (const UserValue& value : user.values)
    values[trace.user.values[value.name].name] = value.number(trace.user.values[value.name]);
  EXPECT_EQ(values, (std::map<std::string, double>{{"mdble", 0.25}, {"mflot", 0.5}, {"mint", -3}}));
  EXPECT_EQ(user.values[2].at_ns, 4'000'000);
  ASSERT_EQ(user.markers.size(), 1u);
  EXPECT_EQ(trace.user.texts[user.markers[0].text], "half way");
}

TEST(TraceOfPrase, MessagesOfProcessesThatAreNotThereAreSaid) {
  const Trace trace =
      imported(run_of_text("sendw 0 0 0 5 1 9 8 1 -32768 5 -1\nsendw 0 0 6 7 1 9 8 1 3 0 -1\n"));
  EXPECT_EQ(trace.ranks[0].calls(), 2u);
  EXPECT_EQ(trace.ranks[0].actions(), 0u);
  EXPECT_EQ(count_of(trace, "task-not-recorded"), 2u);
}

// A human file of another tool may say it; an archive cannot.
TEST(TraceOfPrase, WhatOvertakesItsTypeIsSaid) {
  const Trace trace =
      imported(run_of_text("sendw 0 0 1 2 1 9 1 1 1 0 -1\nsendw 0 0 3 4 1 9 2 2 1 0 -1\n"
                           "recvw 1 0 5 6 2 9 2 2 0 0 -1\nrecvw 1 0 7 8 2 9 1 1 0 0 -1\n"));
  EXPECT_EQ(count_of(trace, "message-order-lost"), 1u);
  EXPECT_EQ(found_in(trace), (Found{{0, 1, 9, 1, 0, 1}}));
  EXPECT_FALSE(trace.diagnostics.has("message-size-mismatch"));
}

TEST(TraceOfPrase, TimesGoOnBeyondTheirField) {
  const Trace trace = imported(run_of_text(
      "open 0 0 2147483000 2147483600 6 0 0 0 0 0 -1\nclose 0 0 2147483640 -2147483646 6 0 0 0 0 0 -1\n"));
  EXPECT_EQ(trace.ranks[0].enter_ns[1], 640'000'000);
  EXPECT_EQ(trace.ranks[0].leave_ns[1], 650'000'000);
}

Trace ring_of(int size, int rounds) {
  const TestDir dir;
  spool::write_spools(dir.path(), spool::ring(size, rounds));
  EXPECT_TRUE(unify(dir.path(), nullptr));
  auto trace = load_trace(dir.path(), {1, Loading::Keep::memory});
  EXPECT_TRUE(trace);
  return trace ? *std::move(trace) : Trace();
}

PraseRun records_of(const Trace& trace) {
  auto run = prase_of(trace);
  EXPECT_TRUE(run) << to_string(run.error());
  return run.value_or(PraseRun());
}

// Messages without calls, which are others in an import: whose, of which tag and size, in their order of their kind.
using Sizes = std::map<std::array<std::int32_t, 3>, std::vector<std::uint64_t>>;
Sizes sizes_in(const Trace& trace) {
  std::map<std::array<std::int32_t, 3>, std::map<std::uint32_t, std::uint64_t>> by_send;
  for (const Message& one : trace.messages)
    by_send[{one.source, one.destination, one.tag}][one.send_call] = one.bytes;
  Sizes out;
  for (const auto& [key, sends] : by_send)
    for (const auto& [call, bytes] : sends) out[key].push_back(bytes);
  return out;
}

// Recorded by us (three tags, wildcards, receipts completed by waits), in each of the three forms, and back.
TEST(PraseOfTrace, ARecordedRunComesBackWithTheSameMessages) {
  const Trace recorded = ring_of(4, 60);
  ASSERT_EQ(recorded.messages.size(), 240u);
  for (const char* format : {"prase", "prase-pv", "seecube"}) {
    const TestDir dir;
    ASSERT_TRUE(export_trace(recorded, *export_format_named(format), dir.path() / "out"));
    const auto run = read_prase_run(dir.path() / "out");
    ASSERT_TRUE(run) << format << ": " << to_string(run.error());
    const Correlation correlation = correlate(run->processes);
    EXPECT_EQ(correlation.messages, recorded.messages.size()) << format;
    EXPECT_EQ(correlation.sends_alone + correlation.receipts_alone, 0u) << format;
    const Trace back = imported(*run);
    EXPECT_EQ(sizes_in(back), sizes_in(recorded)) << format;
    EXPECT_EQ(back.unmatched_sends + back.unmatched_receives + back.half_left_out, 0u) << format;
  }
}

// Two receives of one tag, posted and completed within a millisecond, the second first: its record comes first, and its count is 2.
TEST(PraseOfTrace, ReceivesCompletedInAnotherOrderThanPostedComeBack) {
  TraceBuilder builder(2, 1'000'000);
  builder.call(0, "MPI_Send", 100, 200, {message_action(ActionKind::send, 1, 7, 64)});
  builder.call(0, "MPI_Send", 300, 400, {message_action(ActionKind::send, 1, 7, 65)});
  builder.call(1, "MPI_Irecv", 100, 200, {message_action(ActionKind::irecv, 0, 7, 100, 1)});
  builder.call(1, "MPI_Irecv", 300, 400, {message_action(ActionKind::irecv, 0, 7, 100, 2)});
  builder.call(1, "MPI_Wait", 500, 600, {message_action(ActionKind::irecv_done, 0, 7, 65, 2)});
  builder.call(1, "MPI_Wait", 700, 800, {message_action(ActionKind::irecv_done, 0, 7, 64, 1)});
  const PraseRun run = records_of(builder.matched());
  EXPECT_EQ(to_text(run.processes[1].records[1]), "recv 1 0 0 0 0 7 65 2 0 0 -1");
  EXPECT_EQ(correlate(run.processes).messages, 2u);
  const Trace back = imported(run);
  EXPECT_EQ(sizes_in(back), (Sizes{{{0, 1, 7}, {64, 65}}}));
  EXPECT_FALSE(back.diagnostics.has("message-order-lost") || back.diagnostics.has("message-size-mismatch"));
}

TEST(PraseOfTrace, CallsBecomeTheRecordsOfTheirKind) {
  TraceBuilder builder(2, 90'000'000);
  builder.call(0, "MPI_Send", 1'000'000, 2'999'999, {message_action(ActionKind::send, 1, 7, 64)});
  builder.call(0, "MPI_Isend", 3'000'000, 3'500'000, {message_action(ActionKind::isend, 1, 8, 40'000, 1)});
  builder.call(0, "MPI_Wait", 4'000'000, 5'000'000,
               {message_action(ActionKind::isend_done, 1, 8, 40'000, 1)});
  builder.call(1, "MPI_Irecv", 500'000, 600'000, {message_action(ActionKind::irecv, 0, 8, 40'000, 1)});
  builder.call(1, "MPI_Recv", 1'000'000, 4'000'000, {message_action(ActionKind::recv, 0, 7, 64)});
  builder.call(1, "MPI_Wait", 5'000'000, 7'000'000,
               {message_action(ActionKind::irecv_done, 0, 8, 40'000, 1)});
  for (std::size_t r = 0; r < 2; ++r)
    builder.call(r, "MPI_Barrier", 8'000'000, 9'000'000, {collective_action(0, 0)});
  Trace trace = builder.matched();
  trace.user = {{}, {{"residual", "", false}, {"step", "", true}}, {{"a marker of many letters"}}};
  trace.ranks[0].user.values = {{2'500'000, 0, 0, std::bit_cast<std::uint64_t>(0.25)},
                                {6'000'000, 1, 0, 1ull << 40}};
  trace.ranks[0].user.markers = {{6'000'001, 0, 0}};
  const PraseRun run = records_of(trace);
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(pv_text_of(run.processes[0]),
            "init 0 0 0 0 0 0 0 0 0 0 -1\n"
            "mdble 0 0 2 2 0.25\n"
            "sendw 0 0 1 2 0 7 64 1 1 0 -1\n"
            "send 0 0 3 3 0 8 32767 1 1 0 -1\n"
            "mlong 0 0 6 6 2147483647\n"
            "mchar 0 0 6 6 a marker of m\n"
            "end 0 0 90 90 0 0 0 0 0 0 -1\n");
  EXPECT_EQ(pv_text_of(run.processes[1]),
            "init 1 0 0 0 0 0 0 0 0 0 -1\n"
            "recvw 1 0 1 4 0 7 64 1 0 0 -1\n"
            "recv 1 0 0 7 0 8 32767 1 0 0 -1\n"
            "end 1 0 90 90 0 0 0 0 0 0 -1\n");
  ASSERT_EQ(run.diagnostics.all().size(), 1u);
  EXPECT_EQ(
      run.diagnostics.all()[0].remedy,
      "the format has no place for all of the trace: 2 parts of ranks in collectives; 1 messages are longer "
      "than "
      "32,767 bytes, which is what is said of them; 2 values and markers are cut to what a record holds");
}

// Tags that two communicators have, and such as S5 keeps for itself, get numbers that are free, from 32,765 down.
TEST(PraseOfTrace, MessageTypesTellCommunicatorsApart) {
  TraceBuilder builder(2, 1'000'000);
  builder.trace().comms.push_back(builder.trace().comms[0]);
  const auto with = [](ActionKind kind, std::int32_t peer, std::int32_t tag, std::uint32_t comm,
                       std::uint64_t bytes) {
    Action action = message_action(kind, peer, tag, bytes);
    action.comm = comm;
    return action;
  };
  const auto both = [&](std::int32_t tag, std::uint32_t comm, std::uint64_t bytes) {
    builder.call(0, "MPI_Send", 1, 2, {with(ActionKind::send, 1, tag, comm, bytes)});
  };
  both(5, 0, 1), both(5, 1, 2), both(32766, 0, 3), both(6, 1, 4);
  // received in the other order, which is no error between communicators and tags
  for (const auto& [tag, comm, bytes] :
       {std::tuple{6, 1u, 4}, std::tuple{32766, 0u, 3}, std::tuple{5, 1u, 2}, std::tuple{5, 0u, 1}})
    builder.call(1, "MPI_Recv", 3, 4,
                 {with(ActionKind::recv, 0, tag, comm, static_cast<std::uint64_t>(bytes))});
  const PraseRun run = records_of(builder.matched());
  std::vector<std::int16_t> types;
  for (const EventRecord& record : run.processes[0].records)
    if (is_send(record.type)) types.push_back(record.message_type);
  EXPECT_EQ(types, (std::vector<std::int16_t>{5, 32764, 32765, 6}));
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(found.messages, 4u);
  EXPECT_EQ(found.of(0, 1), (RecordRef{1, 4}));
  EXPECT_EQ(found.of(0, 4), (RecordRef{1, 1}));
}

// Messages that were left out on one side are counted, as S5 counts from the start of the run.
TEST(PraseOfTrace, CountsGoOnWhereMessagesWereLeftOut) {
  TraceBuilder builder(2, 1000);
  builder.call(0, "MPI_Send", 10, 11,
               {message_action(ActionKind::left_out, 1, 5, 40'000, 0, action_left_out_sends),
                message_action(ActionKind::send, 1, 5, 300)});
  builder.call(1, "MPI_Recv", 0, 12,
               {message_action(ActionKind::left_out, 0, 5, 40'000, 0, action_left_out_receives),
                message_action(ActionKind::recv, 0, 5, 300)});
  const PraseRun run = records_of(builder.matched());
  EXPECT_EQ(to_text(run.processes[0].records[1]), "wraps 0 0 0 0 0 5 300 7234 1 0 -1");  // 40,001 - 32,767
  EXPECT_EQ(to_text(run.processes[0].records[2]), "sendw 0 0 0 0 0 5 300 7234 1 0 -1");
  EXPECT_EQ(correlate(run.processes).messages, 1u);
}

TEST(PraseOfTrace, ARunWithoutMessagesGivesAnEmptyDirectory) {
  for (const char* format : {"prase", "prase-pv", "seecube"}) {
    const TestDir dir;
    ASSERT_TRUE(export_trace(Trace{}, *export_format_named(format), dir.path() / "out"));
    EXPECT_FALSE(holds_prase_records(dir.path() / "out"));
    EXPECT_FALSE(export_format_named(format)->has(Trace{}));
  }
}

}  // namespace
}  // namespace ww::prase
