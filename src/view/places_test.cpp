// Single calls, and where the next of a kind is: expectations are the times that the fixture gives its calls.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "view/responder_fixture.hpp"

namespace ww::view {
namespace {

// Of rank 0 in round i: MPI_Send (call 2i) and MPI_Barrier (2i + 1); of rank 1 MPI_Recv and MPI_Barrier.
TEST(Call, HasItsMessageSeenFromBothEnds) {
  Answering answering;
  const auto send = answering.json("data/0/call", "rank=0&call=4"),
             receive = answering.json("data/0/call", "rank=1&call=4");
  EXPECT_EQ(send["name"], "MPI_Send");
  EXPECT_EQ(send["enter_ns"], 260'000);
  EXPECT_EQ(send["leave_ns"], 262'000);
  ASSERT_EQ(send["messages"].size(), 1U);
  ASSERT_EQ(receive["messages"].size(), 1U);
  EXPECT_EQ(send["messages"][0]["outgoing"], true);
  EXPECT_EQ(send["messages"][0]["peer"], 1);
  EXPECT_EQ(receive["messages"][0]["outgoing"], false);
  EXPECT_EQ(receive["messages"][0]["peer"], 0);
  for (const char* key : {"number", "tag", "bytes", "sent_ns", "received_ns"})
    EXPECT_EQ(send["messages"][0][key], receive["messages"][0][key]) << key;
  EXPECT_EQ(send["messages"][0]["sent_ns"], 260'000);
  EXPECT_EQ(send["messages"][0]["received_ns"], 264'000);
  EXPECT_EQ(send["collective"], nullptr);
}

TEST(Call, ItsPartsAddUp) {
  Answering answering;
  const auto call = answering.json("data/0/call", "rank=1&call=0");
  EXPECT_EQ(call["algorithmic_ns"].get<int>() + call["service_ns"].get<int>() + call["library_ns"].get<int>(),
            54'000);
  EXPECT_EQ(call["algorithmic_ns"], 50'000);  // from 10 us to the begin of the send at 60
}

TEST(Call, HasItsCollectiveWithAllEntries) {
  Answering answering;
  const auto call = answering.json("data/0/call", "rank=0&call=1");
  ASSERT_EQ(call["collective"]["members"].size(), 2U);
  EXPECT_EQ(call["collective"]["op"], "MPI_Barrier");
  EXPECT_EQ(call["collective"]["members"][0]["enter_ns"], 80'000);
  EXPECT_EQ(call["collective"]["members"][1]["enter_ns"], 70'000);
  EXPECT_TRUE(call["messages"].empty());
}

TEST(Call, RefusesWhatIsNotThere) {
  Answering answering;
  EXPECT_EQ(answering.ask("data/0/call", "rank=2&call=0").status, 400);
  EXPECT_EQ(answering.ask("data/0/call", "rank=0&call=20").status, 400);
  EXPECT_EQ(answering.ask("data/0/call", "rank=0").status, 400);
}

TEST(Jump, FindsTheNextAndTheOneBefore) {
  Answering answering;
  const auto jump = [&](const std::string& query) { return answering.json("data/0/jump", query); };
  EXPECT_EQ(jump("what=call")["from_ns"], 10'000);
  EXPECT_EQ(jump("what=call&after_ns=10000")["from_ns"], 60'000);
  EXPECT_EQ(jump("what=call&before_ns=60000")["from_ns"], 10'000);
  EXPECT_EQ(jump("what=call&after_ns=10000&ranks=1")["from_ns"], 70'000);
  EXPECT_EQ(jump("what=call&name=MPI_Send&after_ns=60000")["from_ns"], 160'000);
  EXPECT_EQ(jump("what=call&after_ns=980000"), nullptr);
  const auto message = jump("what=message&after_ns=60000");
  EXPECT_EQ(message["from_ns"], 160'000);
  EXPECT_EQ(message["to_ns"], 164'000);
  EXPECT_EQ(message["rank"], 0);
  EXPECT_EQ(jump("what=message&before_ns=160000")["from_ns"], 60'000);
  EXPECT_EQ(jump("what=marker")["from_ns"], 500);
  EXPECT_EQ(jump("what=marker&after_ns=500"), nullptr);
  EXPECT_EQ(jump("what=violation"), nullptr);
  EXPECT_EQ(answering.ask("data/0/jump", "what=nothing").status, 400);
}

TEST(Jump, TheLongestWaitIsOfWhatIsSelected) {
  Answering answering;
  const auto wait = answering.json("data/0/jump", "what=longest-wait");
  EXPECT_EQ(wait["rank"], 1);  // that waits for the late sender
  EXPECT_EQ(wait["to_ns"].get<int>() - wait["from_ns"].get<int>(), 54'000);
  const auto part = answering.json("data/0/jump", "what=longest-wait&from_ns=500000&to_ns=600000");
  EXPECT_EQ(part["from_ns"], 510'000);
  EXPECT_EQ(answering.json("data/0/jump", "what=longest-wait&calls=MPI_Send"), nullptr);
}

TEST(Marks, AreAnsweredWithTheirNames) {
  Answering answering;
  const auto marks = answering.json("data/0/marks", "from_ns=0&to_ns=1000");
  ASSERT_EQ(marks["regions"].size(), 1U);
  EXPECT_EQ(marks["regions"][0]["name"], hostile_name);
  EXPECT_EQ(marks["regions"][0]["to_ns"], 900'000);
  ASSERT_EQ(marks["markers"].size(), 1U);
  EXPECT_EQ(marks["markers"][0]["at_ns"], 500);
  EXPECT_EQ(marks["left_out"], 0);
  EXPECT_TRUE(answering.json("data/0/marks", "from_ns=600&to_ns=1000")["markers"].empty());
  EXPECT_EQ(answering.ask("data/0/marks", "from_ns=5&to_ns=5").status, 400);
}

}  // namespace
}  // namespace ww::view
