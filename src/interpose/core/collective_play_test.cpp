#include "interpose/core/collective_play.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "interpose/core/virtual_ports.hpp"

namespace ww::interpose {
namespace {

// Between hosts: send 1, then 10 of which the last 2 a byte are the port's, then receive 3; from 9 bytes on
// large ones, with a request and a reply of 4 in all. Within a host: 1, 1, 1. Whole numbers, so that sums are
// exact.
MessageCosts between_hosts() {
  MessageCosts costs;
  costs.read("8;0:1:0;0:10:2,9:14:2;0:3:0;0:0:2;0:0:0,9:4:0");
  return costs;
}
MessageCosts within() {
  MessageCosts costs;
  costs.read("inf;0:1:0;0:1:0;0:1:0;0:0:0;0:0:0");
  return costs;
}
const MessageCosts inter = between_hosts(), intra = within();
constexpr double small = 1 + 10 + 3;  // and 2 a byte

struct Machine {
  int ranks_per_host;
};
const MessageCosts& costs_of(const void* of, int from, int to) {
  const int per = static_cast<const Machine*>(of)->ranks_per_host;
  return from / per == to / per ? intra : inter;
}
int host_of(const void* of, int rank) {
  return rank / static_cast<const Machine*>(of)->ranks_per_host;
}

std::vector<double> play(Way way, int ranks, double bytes, int root = 0, int per_host = 1,
                         const std::vector<double>& late_s = {}) {
  std::vector<char> memory(ports_memory(ranks, ranks));
  start_ports(memory.data(), ranks, ranks);
  const Machine machine{per_host};
  std::vector<Entered> entered(static_cast<std::size_t>(ranks), {0, bytes});
  for (std::size_t i = 0; i < late_s.size(); ++i) entered[i].at_s = late_s[i];
  std::vector<double> done(entered.size());
  EXPECT_TRUE(play_collective({ranks, &machine, costs_of, host_of}, way, root, entered.data(), done.data()));
  return done;
}
double last(const std::vector<double>& done) {
  return *std::max_element(done.begin(), done.end());
}

// Expected: the closed forms of the algorithms, of messages of 14 + 2 n.
TEST(CollectivePlay, SymmetricOnesAreDoneAtOnce) {
  for (const double done : play(Way::barrier, 8, 0)) EXPECT_EQ(done, 3 * small);
  for (const double done : play(Way::barrier, 5, 0)) EXPECT_EQ(done, 3 * small) << "dissemination";
  for (const double done : play(Way::allreduce, 16, 8)) EXPECT_EQ(done, 4 * (small + 16));
  for (const double done : play(Way::allgather, 4, 2)) EXPECT_EQ(done, small + 4 + small + 8);
  for (const double done : play(Way::allgather, 5, 2)) EXPECT_EQ(done, 4 * (small + 4)) << "a ring";
  for (const double done : play(Way::reduce_scatter, 4, 8)) EXPECT_EQ(done, small + 8 + small + 4);
}

// Large messages wait for both sides and 4 more; 8192 bytes go by halves, 4096, 2048, 2048, 4096.
TEST(CollectivePlay, LongSumsGoByHalves) {
  for (const double done : play(Way::allreduce, 4, 8192))
    EXPECT_EQ(done, 4 * (small + 4) + 2 * (2 * 4096 + 2 * 2048));
}

TEST(CollectivePlay, ATreeTakesItsDepth) {
  // the root sends to 4, 2, 1, which cost it 1 each; whoever hears sends on
  const auto done = play(Way::bcast, 8, 0, 3);
  EXPECT_EQ(done[3], 3);
  EXPECT_EQ(done[(4 + 3) % 8], small + 2) << "heard, and sent to two";
  EXPECT_EQ(last(done), 3 * small);
  EXPECT_EQ(last(play(Way::reduce, 8, 0)), play(Way::reduce, 8, 0)[0]);
  EXPECT_EQ(play(Way::reduce, 2, 4)[0], small + 8);
  EXPECT_EQ(play(Way::reduce, 2, 4)[1], 1) << "sent, and done";
}

TEST(CollectivePlay, ALateRankHoldsUpWhoNeedsIt) {
  // rank 3 finds both messages there: it sends and receives twice; 1 hears from it after the first of both, 2
  // after none, and 0 from that one
  const std::vector<double> sum{100 + 2 * small, 104 + small, 100 + small + 1 + 3, 100 + 2 * (1 + 3)};
  EXPECT_EQ(play(Way::allreduce, 4, 0, 0, 1, {0, 0, 0, 100}), sum);
  const auto tree = play(Way::bcast, 2, 0, 0, 1, {100, 0});
  EXPECT_EQ(tree[0], 101);
  EXPECT_EQ(tree[1], 100 + small);
  const auto no_root = play(Way::bcast, 2, 0, 0, 1, {0, 100});
  EXPECT_EQ(no_root[0], 1) << "a small message is away";
  EXPECT_EQ(no_root[1], 103) << "and there: only the receive is left";
}

// Two ranks a host: of the exchange with the next host both messages pass one port, so the second is there 2
// n later; one rank a host: not.
TEST(CollectivePlay, RanksOfAHostShareItsPorts) {
  const double within_host = 3;
  const auto alone = play(Way::allreduce, 4, 8), together = play(Way::allreduce, 4, 8, 0, 2);
  EXPECT_EQ(last(alone), 2 * (small + 16));
  EXPECT_EQ(last(together), within_host + small + 16 + 16);
  // everybody to everybody, 8 bytes: of a host 4 messages go out and come in, one after the other
  EXPECT_GE(last(play(Way::alltoall, 4, 8, 0, 2)), 1 + 10 + 4 * 16);
}

// A root that is not held up sends one broadcast after the other, and its port is free for one at a time.
TEST(CollectivePlay, PortsStayTakenBetweenCalls) {
  std::vector<char> memory(ports_memory(2, 2));
  start_ports(memory.data(), 2, 2);
  const Machine machine{1};
  std::vector<Entered> entered(2, {0, 8});
  std::vector<double> done(2);
  for (int call = 0; call < 10; ++call) {
    ASSERT_TRUE(
        play_collective({2, &machine, costs_of, host_of}, Way::bcast, 0, entered.data(), done.data()));
    for (std::size_t rank = 0; rank < 2; ++rank) entered[rank].at_s = done[rank];
  }
  EXPECT_EQ(done[0], 10);
  EXPECT_EQ(done[1], 1 + 10 + 10 * 16 + 3);
}

TEST(CollectivePlay, NamesSayTheWay) {
  EXPECT_EQ(way_of_name("MPI_Ibcast"), Way::bcast);
  EXPECT_EQ(way_of_name("MPI_Reduce_scatter_block"), Way::reduce_scatter);
  EXPECT_EQ(way_of_name("MPI_Allgatherv"), Way::allgather);
  EXPECT_EQ(way_of_name("MPI_Alltoallw_init"), Way::alltoall);
  EXPECT_EQ(way_of_name("MPI_Exscan"), Way::scan);
  EXPECT_EQ(way_of_name("MPI_Comm_dup"), Way::barrier);
}

}  // namespace
}  // namespace ww::interpose
