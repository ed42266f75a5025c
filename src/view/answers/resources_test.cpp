// The resources of windows as the page asks for them.
#include <gtest/gtest.h>

#include "view/responder_fixture.hpp"

namespace ww::view {
namespace {

std::uint32_t number_at(const Response& response, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, response.body->data() + at, sizeof(value));
  return value;
}

// The run of responder_fixture.hpp: ten rounds of one message and a barrier, two calls a round and rank.
TEST(ViewResources, AnswerWindowsInBinary) {
  Answering answering;
  const Response calls = answering.ask("data/0/calls", "from_ns=0&to_ns=100000");
  ASSERT_EQ(calls.status, 200);
  EXPECT_EQ(calls.body->substr(0, 4), "WWC1");
  EXPECT_EQ(number_at(calls, 4), 4u);
  EXPECT_EQ(number_at(calls, 8), 4u);
  EXPECT_EQ(calls.body->size(), 16u + 4 * (4 * 8 + 3 * 4));
  const Response few = answering.ask("data/0/calls", "limit=3");
  EXPECT_EQ(number_at(few, 4), 3u);
  EXPECT_EQ(number_at(few, 8), 40u);
  const Response messages = answering.ask("data/0/messages", "ranks=1");
  EXPECT_EQ(messages.body->substr(0, 4), "WWM1");
  EXPECT_EQ(number_at(messages, 8), 10u);
  const Response series = answering.ask("data/0/series", "measure=bytes_sent&bins=10&ranks=0");
  EXPECT_EQ(series.body->substr(0, 4), "WWS1");
  EXPECT_EQ(number_at(series, 4), 1u);
  EXPECT_EQ(number_at(series, 8), 10u);
  float first = 0;
  std::memcpy(&first, series.body->data() + 32, sizeof(first));
  EXPECT_EQ(first, 1000);  // one message of a thousand bytes in each round
  const Response tile = answering.ask("data/0/tile", "level=12&tile=0&group=0&block=0");
  EXPECT_EQ(tile.body->substr(0, 4), "WWT1");
  EXPECT_EQ(number_at(tile, 4), 2u);
  // Neighbours in one answer are the same bytes one behind the other.
  std::string one_by_one;
  for (const char* number : {"1", "2", "3"})
    one_by_one += *answering.ask("data/0/tile", "level=9&group=0&block=0&tile=" + std::string(number)).body;
  EXPECT_EQ(*answering.ask("data/0/tile", "level=9&tile=1&group=0&block=0&count=3").body, one_by_one);
}

TEST(ViewResources, AnswerAnInstant) {
  Answering answering;
  const auto ranks = answering.json("data/0/state", "at_ns=30000")["ranks"];
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0]["part"], "compute");
  EXPECT_FALSE(ranks[0].contains("peer"));
  EXPECT_EQ(ranks[1]["part"], "algorithmic");
  EXPECT_EQ(ranks[1]["name"], "MPI_Recv");
  EXPECT_EQ(ranks[1]["peer"], 0);
  EXPECT_EQ(ranks[1]["tag"], 7);
  EXPECT_EQ(ranks[1]["until_ns"], 60'000);
}

TEST(ViewResources, AnswerSkewAndComparison) {
  Answering answering;
  const auto skew = answering.json("data/0/skew", "limit=4");
  EXPECT_EQ(skew["all"], 10);
  EXPECT_EQ(skew["left_out"], 6);
  EXPECT_EQ(skew["collectives"][0]["last_rank"], 0);
  EXPECT_NEAR(skew["by_op"][0]["skew_s"].get<double>(), 10 * 10e-6, 1e-12);     // from 70 to 80 us
  EXPECT_NEAR(skew["by_op"][0]["transfer_s"].get<double>(), 10 * 1e-6, 1e-12);  // from 80 to 81 us
  const auto same = answering.json("data/compare", "a=0&b=0");
  EXPECT_EQ(same["ranks"][1]["aligned"], 20);
  EXPECT_EQ(same["ranks"][1]["end_later_ns"], 0);
}

TEST(ViewResources, RefuseWhatIsNotThere) {
  Answering answering;
  for (const auto& [path, query] : std::initializer_list<std::pair<const char*, const char*>>{
           {"data/0/tile", "level=60&tile=0&group=0&block=0"},
           {"data/0/tile", "level=0&tile=0&group=0&block=1"},
           {"data/0/tile", "level=9&tile=0&group=0&block=0&count=9"},
           {"data/0/tile", "level=12&tile=0&group=0&block=0&count=8"},  // there are fewer
           {"data/0/calls", "ranks=2"},
           {"data/0/calls", "from_ns=5&to_ns=5"},
           {"data/0/series", "measure=speed"},
           {"data/0/series", "measure=value:none"},
           {"data/0/state", ""},
           {"data/compare", "a=0&b=7"}}) {
    const Response response = answering.ask(path, query);
    EXPECT_EQ(response.status, 400) << path << query;
    EXPECT_NE(response.body->find("remedy"), std::string::npos);
  }
}

}  // namespace
}  // namespace ww::view
