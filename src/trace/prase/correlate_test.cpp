#include "trace/prase/correlate.hpp"

#include <gtest/gtest.h>

#include "trace/prase/prase_fixture.hpp"
#include "trace/prase/record_times.hpp"

namespace ww::prase {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Of a process, its records that have another end, with the record of that in `there`.
Pairs pairs_of(const Correlation& correlation, std::uint32_t process, std::uint32_t there) {
  Pairs pairs;
  for (std::uint32_t r = 0; r < correlation.other[process].size(); ++r)
    if (correlation.of(process, r).process == there) pairs.emplace_back(r, correlation.of(process, r).record);
  return pairs;
}

// S5, pages G-6 to G-8: which receipt of node 7 got which message of node 1. Records are numbered in the order of the printed tables.
TEST(Correlate, TheWorkedExampleOfAppendixG) {
  const PraseRun run = example_of_g();
  ASSERT_EQ(run.processes.size(), 3u);  // nodes 1, 7, 12
  const Correlation found = correlate(run.processes);
  const std::uint32_t node_7 = 1, node_12 = 2;
  const auto receipt_of = [&](std::uint32_t send) { return found.of(0, send); };
  EXPECT_EQ(receipt_of(0), (RecordRef{node_7, 0}));   // A: the first of type 100
  EXPECT_EQ(receipt_of(1), (RecordRef{node_7, 3}));   // B: behind L and M
  EXPECT_EQ(receipt_of(2), (RecordRef{node_7, 4}));   // C: behind B, of its type
  EXPECT_EQ(receipt_of(3), (RecordRef{node_7, 1}));   // L: the first of type 200, before B
  EXPECT_EQ(receipt_of(4), (RecordRef{node_7, 2}));   // M: behind L
  EXPECT_EQ(receipt_of(5), (RecordRef{node_12, 0}));  // X, Y, Z: type 100 too, and counted from 1 for node 12
  EXPECT_EQ(receipt_of(6), (RecordRef{node_12, 1}));
  EXPECT_EQ(receipt_of(7), (RecordRef{node_12, 2}));
  for (std::uint32_t send = 0; send < 8; ++send)  // both ends say the same
    EXPECT_EQ(found.of(receipt_of(send).process, receipt_of(send).record), (RecordRef{0, send}));
  EXPECT_EQ(found.messages, 8u);
  EXPECT_EQ(found.sends_alone + found.receipts_alone + found.without_count, 0u);
}

// S5, G-7: L may come before A, B and C, but C never before B.
TEST(Correlate, OnlyOneTypeKeepsItsOrder) {
  const PraseRun run = run_of_text(std::string(node_1_of_g) +
                                   "recvw 7 0 570 571 320 200 445 1 1 0 -1\n"
                                   "recvw 7 0 572 573 320 100 1024 1 1 0 -1\n");
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(pairs_of(found, 0, 1), (Pairs{{0, 1}, {3, 0}}));
  EXPECT_EQ(found.sends_alone, 6u);
}

// S5, G-8 and 3.4.2: counts go on though nothing is recorded, so that a recording that begins later finds its messages.
TEST(Correlate, CountsHoldWhereTheRecordingBeginsLater) {
  const PraseRun run = run_of_text(
      "sendw 0 0 100 105 1 9 8 501 1 0 -1\n"
      "sendw 0 0 110 115 1 9 8 502 1 0 -1\n"
      "recvw 1 0 100 101 2 9 8 499 0 0 -1\n"
      "recvw 1 0 102 103 2 9 8 500 0 0 -1\n"
      "recvw 1 0 104 106 2 9 8 501 0 0 -1\n");
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(pairs_of(found, 0, 1), (Pairs{{0, 2}}));
  EXPECT_EQ(found.sends_alone, 1u);
  EXPECT_EQ(found.receipts_alone, 2u);
}

// Each wraps or wrapr precedes the record whose count is 1 again, with that record's values (C-4, C-10). 70,000 messages wrap twice; the receiver gets those of
// another type between.
TEST(Correlate, CountsWrapBehindTheirRecords) {
  constexpr std::uint64_t messages = 70'000;
  ProcessRecords sender{0, 0, {}}, receiver{1, 0, {}};
  Counting sent, received;
  EventRecord send, receipt;
  send.type = RecordType::sendw, send.other_node = 1, send.message_type = 9;
  receipt.type = RecordType::recvw, receipt.node = 1, receipt.message_type = 9;
  for (std::uint64_t i = 1; i <= messages; ++i) sent.add(send, i, sender.records);
  for (std::uint64_t i = 1; i <= messages; ++i) received.add(receipt, i, receiver.records);
  ASSERT_EQ(sender.records.size(), messages + 2);
  EXPECT_EQ(sender.records[32766].count, 32767);
  EXPECT_EQ(to_text(sender.records[32767]), "wraps 0 0 0 0 0 9 0 1 1 0 -1");
  EXPECT_EQ(sender.records[32768].count, 1);
  EXPECT_EQ(receiver.records[32767].type, RecordType::wrapr);
  const Correlation found = correlate({sender, receiver});
  EXPECT_EQ(found.messages, messages);
  for (const std::uint32_t one : {0u, 32766u, 32768u, 65534u, 65536u, 70'001u})
    EXPECT_EQ(found.of(0, one), (RecordRef{1, one}));
  EXPECT_EQ(found.of(0, 32767), RecordRef());  // the record of the wrap
}

// Where the wrap is S5 does not say: a collector that wraps at 1000 is read alike.
TEST(Correlate, TheCountThatWrapsMayBeAny) {
  const PraseRun run = run_of_text(
      "sendw 0 0 1 2 1 9 8 1000 1 0 -1\n"
      "wraps 0 0 3 4 1 9 8 1 1 0 -1\n"
      "sendw 0 0 3 4 1 9 8 1 1 0 -1\n"
      "recvw 1 0 1 2 1 9 8 1000 0 0 -1\n"
      "wrapr 1 0 3 4 1 9 8 1 0 0 -1\n"
      "recvw 1 0 3 4 1 9 8 1 0 0 -1\n");
  EXPECT_EQ(pairs_of(correlate(run.processes), 0, 1), (Pairs{{0, 0}, {2, 2}}));
}

// The wrap of another type, or to another node, is none of this count's.
TEST(Correlate, WrapsAreByNodePidAndType) {
  const PraseRun run = run_of_text(
      "wraps 0 0 1 2 1 8 8 1 1 0 -1\n"
      "wraps 0 0 1 2 1 9 8 1 2 0 -1\n"
      "wraps 0 0 1 2 1 9 8 1 1 5 -1\n"
      "wrapr 0 0 1 2 1 9 8 1 1 0 -1\n"
      "sendw 0 0 3 4 1 9 8 7 1 0 -1\n"
      "recvw 1 0 3 4 1 9 8 7 0 0 -1\n");
  EXPECT_EQ(pairs_of(correlate(run.processes), 0, 1), (Pairs{{4, 0}}));
}

// One count wrapped and the other did not: two messages, not one (G-8: what the records of wraps are for).
TEST(Correlate, TheSameCountBeforeAndBehindAWrapIsNotOneMessage) {
  const PraseRun run = run_of_text(
      "sendw 0 0 1 2 1 9 8 5 1 0 -1\n"
      "sendw 0 0 1 2 1 9 8 6 1 0 -1\n"
      "wraps 0 0 3 4 1 9 8 1 1 0 -1\n"
      "sendw 0 0 3 4 1 9 8 6 1 0 -1\n"
      "recvw 1 0 1 2 1 9 8 5 0 0 -1\n"
      "recvw 1 0 3 4 1 9 8 6 0 0 -1\n");
  EXPECT_EQ(pairs_of(correlate(run.processes), 0, 1), (Pairs{{0, 0}, {1, 1}}));
}

// The recording began behind the sender's wrap and before the receiver's, whose record alone is there.
TEST(Correlate, SidesThatBeganAWrapApartAreJoined) {
  const PraseRun run = run_of_text(
      "sendw 0 0 1 2 1 9 8 1 1 0 -1\n"
      "sendw 0 0 1 2 1 9 8 2 1 0 -1\n"
      "recvw 1 0 1 2 1 9 8 32767 0 0 -1\n"
      "wrapr 1 0 3 4 1 9 8 1 0 0 -1\n"
      "recvw 1 0 3 4 1 9 8 1 0 0 -1\n"
      "recvw 1 0 3 4 1 9 8 2 0 0 -1\n");
  EXPECT_EQ(pairs_of(correlate(run.processes), 0, 1), (Pairs{{0, 2}, {1, 3}}));
}

// Negative counts are the collector's errors (S5, User's Manual, 8-4: -99, -999, -9999); a count that stands twice is damage.
TEST(Correlate, CountsThatAreNoneAreNotJoined) {
  const PraseRun run = run_of_text(
      "sendw 0 0 1 2 1 9 8 -99 1 0 -1\n"
      "sendw 0 0 1 2 1 9 8 4 1 0 -1\n"
      "sendw 0 0 1 2 1 9 8 4 1 0 -1\n"
      "recvw 1 0 1 2 1 9 8 -99 0 0 -1\n"
      "recvw 1 0 1 2 1 9 8 4 0 0 -1\n");
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(pairs_of(found, 0, 1), (Pairs{{1, 1}}));
  EXPECT_EQ(found.without_count, 3u);
  Diagnostics told;
  tell(found, told);
  EXPECT_TRUE(told.has("count-not-kept") && told.has("unmatched-send") && told.has("unmatched-receive"));
}

TEST(Correlate, AProcessMaySendToItself) {
  const PraseRun run = run_of_text(
      "sendw 3 1 1 2 1 9 8 1 3 1 -1\n"
      "recvw 3 1 3 4 1 9 8 1 3 1 -1\n");
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(found.of(0, 0), (RecordRef{0, 1}));
  EXPECT_EQ(found.messages, 1u);
}

TEST(Counting, WhatFallsBackBehindAWrapHasTheCountOfADefect) {
  Counting counting;
  std::vector<EventRecord> out;
  EventRecord receipt;
  receipt.type = RecordType::recv;
  counting.add(receipt, 32768, out);
  counting.add(receipt, 32767, out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[1].count, 1);
  EXPECT_EQ(out[2].count, count_defect);
  EXPECT_EQ(counting.fallen_back(), 1u);
}

EventRecord lasting(std::int32_t begin_ms, std::int32_t end_ms) {
  EventRecord record;
  record.begin_ms = begin_ms, record.end_ms = end_ms;
  return record;
}

// 2^31 ms are 24.8 days.
TEST(RecordTimes, GoOnBeyondWhatAFieldHolds) {
  constexpr std::int32_t last = 2147483647, first = -2147483647 - 1;
  UnwrappedTimes times;
  EXPECT_EQ(times.of(lasting(last - 20, last - 10)).end_ms, std::int64_t{last} - 10);
  const RecordTimes across = times.of(lasting(last, first + 4));  // begins before, ends behind
  EXPECT_EQ(across.begin_ms, last);
  EXPECT_EQ(across.end_ms, std::int64_t{last} + 5);
  EXPECT_EQ(times.of(lasting(first + 9, first + 9)).end_ms, std::int64_t{last} + 10);
  EXPECT_EQ(times.of(lasting(0, 0)).end_ms, std::int64_t{1} << 32);          // another 24.8 days later
  EXPECT_EQ(times.of(lasting(-5, -5)).end_ms, (std::int64_t{1} << 32) - 5);  // a step back
  for (const std::int64_t ms : {std::int64_t{-7}, std::int64_t{last} + 5, (std::int64_t{1} << 33) + 3})
    EXPECT_EQ(wrapped_ms(ms), static_cast<std::int32_t>(ms & 0xffffffff));
}

}  // namespace
}  // namespace ww::prase
