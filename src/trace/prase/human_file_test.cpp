// Expected lines are S5's (Kahl 1988): the pair of records of Appendix E, page E-2, and Appendix G, page G-4, of the event record on the same page. The second
// line's opcode is missing on E-2 and misread on G-4 ("va"); page G-5 and the rule on page F-4 say "we".
#include "trace/prase/human_file.hpp"

#include <gtest/gtest.h>

#include "trace/prase/prase_fixture.hpp"

namespace ww::prase {
namespace {

std::vector<HumanLine> lines_of(const PraseRun& run) {
  const auto lines = human_of(run.processes, correlate(run.processes));
  EXPECT_TRUE(lines);
  return lines.value_or(std::vector<HumanLine>());
}

std::string text(const PraseRun& run) {
  return human_text_of(lines_of(run));
}

std::string only_of_node(const std::string& all, const std::string& node) {
  std::string out;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at) + 1;
    if (all.compare(at, node.size() + 1, node + " ") == 0) out += all.substr(at, end - at);
    at = end;
  }
  return out;
}

// The send is events 5 and 6 of node 0, its receipt 17 and 18 of node 18: a channel opened and two sends before the one, eight receipts before the other.
TEST(Human, TheRecordOfTheThesisBecomesItsPairOfLines) {
  std::string pv =
      "open 0 4 3400 3401 139 0 0 0 0 0 -1\n"
      "sendw 0 4 3410 3420 139 11 8 1 18 7 -1\n"
      "sendw 0 4 3430 3440 139 11 8 2 18 7 -1\n"
      "sendw 0 4 3480 3492 139 10 256 1 18 7 -1\n"
      "open 18 7 3400 3401 5 0 0 0 0 0 -1\n";
  for (int i = 0; i < 7; ++i) pv += "recvw 18 7 3402 3403 5 12 8 " + std::to_string(i + 1) + " 3 0 -1\n";
  pv += "recvw 18 7 3402 3422 5 11 8 1 0 4 -1\n";
  pv += "recvw 18 7 3470 3500 5 10 256 1 0 4 -1\n";
  const std::string all = text(run_of_text(pv));
  EXPECT_NE(all.find("0 4 5 6 3480 wb 139 10 256 18 7 18 17 x\n"
                     "0 4 6 5 3492 we 139 10 256 18 7 18 17 x\n"),
            std::string::npos)
      << all;
  // Pages G-8 and G-9: fields 12 and 13 of the receipt are fields 3 and 4 of the send's begin.
  EXPECT_NE(all.find("18 7 17 18 3470 rb 5 10 256 0 4 5 6 x\n"
                     "18 7 18 17 3500 re 5 10 256 0 4 5 6 x\n"),
            std::string::npos)
      << all;
}

// Appendix G's example: fields 12 and 13 by the correlation that it defines, worked out by hand from the two tables; a send's name the end of its receipt.
TEST(Human, TheWorkedExampleOfAppendixG) {
  const std::string all = text(example_of_g());
  EXPECT_EQ(only_of_node(all, "1"),
            "1 0 0 1 543 wb 170 100 1024 7 0 1 0 x\n1 0 1 0 548 we 170 100 1024 7 0 1 0 x\n"          // A
            "1 0 2 3 548 wb 170 100 1024 7 0 7 6 x\n1 0 3 2 548 we 170 100 1024 7 0 7 6 x\n"          // B
            "1 0 4 5 553 wb 170 100 1024 7 0 9 8 x\n1 0 5 4 558 we 170 100 1024 7 0 9 8 x\n"          // C
            "1 0 6 7 558 wb 170 200 445 7 0 3 2 x\n1 0 7 6 563 we 170 200 445 7 0 3 2 x\n"            // L
            "1 0 8 9 563 wb 170 200 768 7 0 5 4 x\n1 0 9 8 583 we 170 200 768 7 0 5 4 x\n"            // M
            "1 0 10 11 598 wb 170 100 1024 12 0 1 0 x\n1 0 11 10 603 we 170 100 1024 12 0 1 0 x\n"    // X
            "1 0 12 13 603 wb 170 100 1024 12 0 3 2 x\n1 0 13 12 603 we 170 100 1024 12 0 3 2 x\n"    // Y
            "1 0 14 15 608 wb 170 100 1024 12 0 5 4 x\n1 0 15 14 613 we 170 100 1024 12 0 5 4 x\n");  // Z
  EXPECT_EQ(only_of_node(all, "7"),
            "7 0 0 1 585 rb 320 100 1024 1 0 0 1 x\n7 0 1 0 590 re 320 100 1024 1 0 0 1 x\n"    // A
            "7 0 2 3 590 rb 320 200 445 1 0 6 7 x\n7 0 3 2 590 re 320 200 445 1 0 6 7 x\n"      // L
            "7 0 4 5 590 rb 320 200 768 1 0 8 9 x\n7 0 5 4 595 re 320 200 768 1 0 8 9 x\n"      // M
            "7 0 6 7 595 rb 320 100 1024 1 0 2 3 x\n7 0 7 6 605 re 320 100 1024 1 0 2 3 x\n"    // B
            "7 0 8 9 610 rb 320 100 1024 1 0 4 5 x\n7 0 9 8 615 re 320 100 1024 1 0 4 5 x\n");  // C
}

// Records that Seecube has no line for; what is not correlated has zeros (F-5); a channel that is opened names itself.
TEST(Human, TakesMessagesAndChannelsOnly) {
  EXPECT_EQ(text(run_of_text("init 2 0 0 0 0 0 0 0 0 0 -1\n"
                             "open 2 0 1 1 6 0 0 0 0 0 -1\n"
                             "mint 2 0 2 2 7\n"
                             "wraps 2 0 5 5 6 3 8 1 4 0 -1\n"
                             "send 2 0 5 10 6 3 8 1 4 0 17\n"
                             "close 2 0 11 11 6 0 0 0 0 0 -1\n"
                             "end 2 0 12 12 0 0 0 0 0 0 -1\n")),
            "2 0 0 0 1 co 6 0 0 0 0 0 0 x\n"
            "2 0 1 2 5 wb 6 3 8 4 0 0 0 17\n"
            "2 0 2 1 10 we 6 3 8 4 0 0 0 17\n"
            "2 0 3 3 11 cc 6 0 0 0 0 0 0 x\n");
}

// S5's own translator leaves such a receipt out of order (G-5, G-6); numbers here go by the times.
TEST(Human, AReceiptFoundLaterHasOtherEventsBetweenItsOwn) {
  EXPECT_EQ(text(run_of_text("sendw 2 0 20 25 6 3 8 1 4 0 -1\n"
                             "recv 2 0 10 30 6 3 8 1 4 0 -1\n")),
            "2 0 0 3 10 rb 6 3 8 4 0 0 0 x\n"
            "2 0 1 2 20 wb 6 3 8 4 0 0 0 x\n"
            "2 0 2 1 25 we 6 3 8 4 0 0 0 x\n"
            "2 0 3 0 30 re 6 3 8 4 0 0 0 x\n");
}

// S5, 3.5.1: not drawn. In the example of Appendix G these are B and Y, and the receipt of L.
TEST(Human, SaysHowManySeecubeWillNotDraw) {
  EXPECT_EQ(instantaneous(lines_of(example_of_g())), 3u);
  EXPECT_EQ(instantaneous(lines_of(run_of_text("sendw 2 0 20 19 6 3 8 1 4 0 -1\n"))), 1u);
}

TEST(Human, SeveralProcessesOfANodeAreRefused) {
  const PraseRun run = run_of_text("sendw 2 0 20 25 6 3 8 1 4 0 -1\nsendw 2 1 20 25 6 3 8 1 4 0 -1\n");
  const auto lines = human_of(run.processes, correlate(run.processes));
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().where, "node 2: pids 0 and 1");
}

// Lines to records and to lines again: the same file, whatever counts the records got.
TEST(Human, ComesBackFromItsRecords) {
  const std::string all = text(example_of_g());
  const auto lines = parse_human(all, "human");
  ASSERT_TRUE(lines);
  const PraseRun run = run_of_human(*lines);
  EXPECT_TRUE(run.diagnostics.all().empty());
  EXPECT_EQ(text(run), all);
  EXPECT_EQ(correlate(run.processes).messages, 8u);
  // sendw and recvw again, and counts as they were
  EXPECT_EQ(run.processes, example_of_g().processes);
}

// What one end says alone is no message; halves of events are damage.
TEST(Human, TakesAMessageWhereBothEndsSayIt) {
  const auto lines = parse_human(
      "0 0 0 1 5 wb 1 3 8 1 0 1 0 x\n0 0 1 0 6 we 1 3 8 1 0 1 0 x\n"
      "0 0 2 3 7 wb 1 3 8 1 0 9 8 x\n0 0 3 2 8 we 1 3 8 1 0 9 8 x\n"
      "0 0 4 5 9 wb 1 3 8 1 0 0 0 x\n"
      "0 0 6 6 9 zz 1 3 8 1 0 0 0 x\n"
      "1 0 0 1 5 rb 1 3 8 0 0 0 1 x\n1 0 1 0 6 re 1 3 8 0 0 0 1 x\n",
      "human");
  ASSERT_TRUE(lines);
  const PraseRun run = run_of_human(*lines);
  ASSERT_EQ(run.processes.size(), 2u);
  EXPECT_EQ(run.processes[0].records.size(), 2u);
  EXPECT_EQ(run.processes[0].records[0].count, 1);
  EXPECT_EQ(run.processes[0].records[1].count, 0);
  const Correlation found = correlate(run.processes);
  EXPECT_EQ(found.messages, 1u);
  EXPECT_EQ(found.sends_alone, 1u);
  EXPECT_EQ(found.without_count, 0u);
  ASSERT_EQ(run.diagnostics.all().size(), 1u);
  EXPECT_EQ(run.diagnostics.all()[0].name, "damaged-event-record");
  EXPECT_EQ(run.diagnostics.all()[0].count, 2u);  // events 4 and 6
}

TEST(Human, OtherLinesAreErrorsThatNameThem) {
  for (const char* line :
       {"0 4 5 6 3480 139 10 256 18 7 18 17 x", "0 4 5 6 3480 wb 139 10 256 18 7 18 17 y",
        "0 4 -5 6 3480 wb 139 10 256 18 7 18 17 x", "0 4 5 6 3480 wb 139 10 32768 18 7 18 17 x"}) {
    const auto lines =
        parse_human("0 4 5 6 3480 wb 139 10 256 18 7 18 17 x\n\n" + std::string(line) + "\n", "f");
    ASSERT_FALSE(lines) << line;
    EXPECT_EQ(lines.error().where, "f:3");
  }
}

}  // namespace
}  // namespace ww::prase
