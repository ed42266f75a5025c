#include "base/tcp_stalls.hpp"

#include <gtest/gtest.h>

namespace ww {
namespace {

RunRecord::Rank on(const char* host, RunRecord::Tcp tcp) {
  RunRecord::Rank rank;
  rank.host = host;
  rank.tcp = tcp;
  return rank;
}

// Two ranks of a host count the same; hosts add up.
TEST(TcpStalls, TimeOutsOfEachHostCountOnce) {
  RunRecord run;
  const RunRecord::Tcp busy{.sent = 100, .retransmitted = 9, .timeouts = 2, .probes = 0, .no_room = 5};
  run.ranks = {on("a", busy), on("a", busy), on("b", {.sent = 100, .retransmitted = 1, .timeouts = 1}),
               on("c", {.sent = 100, .retransmitted = 0, .timeouts = 0})};
  const Diagnostics said = tcp_stalls_in(run);
  ASSERT_TRUE(said.has("tcp-timeouts"));
  const Diagnostic& one = said.all()[0];
  EXPECT_EQ(one.count, 3u);
  EXPECT_NE(one.remedy.find("TCP (a, b) waited for 3 time-outs"), std::string::npos) << one.remedy;
  EXPECT_NE(one.remedy.find("sent 10 segments again"), std::string::npos) << one.remedy;
  EXPECT_NE(one.remedy.find("5 times a socket had no room"), std::string::npos) << one.remedy;
}

TEST(TcpStalls, SegmentsThatWereSentAgainInTimeAreSaidAsSuch) {
  RunRecord run;
  run.ranks = {on("a", {.sent = 5000, .retransmitted = 12, .timeouts = 0, .probes = 3}),
               on("b", {.sent = 5000})};
  const Diagnostics said = tcp_stalls_in(run);
  ASSERT_TRUE(said.has("tcp-retransmitted"));
  EXPECT_EQ(said.all()[0].severity, Severity::info);
  EXPECT_EQ(said.all()[0].count, 12u);
  run.ranks[1].tcp.sent = 8000;  // 12 of 13,000
  EXPECT_TRUE(tcp_stalls_in(run).all().empty());
  run.ranks[0].tcp = {.sent = 100, .retransmitted = 9};
  EXPECT_TRUE(tcp_stalls_in(run).all().empty());
}

TEST(TcpStalls, NothingIsSaidWhereNothingWasOrIsKnown) {
  RunRecord run;
  run.ranks = {on("a", {}), on("b", {.sent = 100, .retransmitted = 0, .timeouts = 0, .probes = 7})};
  EXPECT_TRUE(tcp_stalls_in(run).all().empty());
  run.ranks = {on("a", {.sent = 100, .retransmitted = 40, .timeouts = 4})};
  EXPECT_TRUE(tcp_stalls_in(run).all().empty()) << "of one host";
  run.ranks.push_back(on("b", {}));
  EXPECT_FALSE(tcp_stalls_in(run).all().empty());
  run.in_virtual_time = true;
  EXPECT_TRUE(tcp_stalls_in(run).all().empty());
}

}  // namespace
}  // namespace ww
