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
  const MessageCosts* between = &inter;
};
const MessageCosts& costs_of(const void* of, int from, int to) {
  const Machine& machine = *static_cast<const Machine*>(of);
  const int per = machine.ranks_per_host;
  return from / per == to / per ? intra : *machine.between;
}
int host_of(const void* of, int rank) {
  return rank / static_cast<const Machine*>(of)->ranks_per_host;
}

using patterns::Operation;
constexpr auto open_mpi = CollectiveRules::open_mpi_4, mpich = CollectiveRules::mpich_4;

struct Played {
  CollectiveRules rules = open_mpi;
  int root = 0, per_host = 1;
  std::vector<double> late_s = {};
  bool ports = true, ports_are_its_own = false;
};
PlayMemory memory_of_plays;
// `given`, `got`: of each rank.
std::vector<double> play(Operation operation, int ranks, uint64_t given, uint64_t got,
                         const Played& how = {}) {
  std::vector<char> memory(ports_memory(ranks, ranks));
  start_ports(memory.data(), ranks, ranks);
  const Machine machine{how.per_host};
  std::vector<Entered> entered(static_cast<std::size_t>(ranks), {0, given, got});
  for (std::size_t i = 0; i < how.late_s.size(); ++i) entered[i].at_s = how.late_s[i];
  std::vector<double> done(entered.size());
  EXPECT_TRUE(
      play_collective({ranks, &machine, costs_of, host_of, how.rules, how.ports, how.ports_are_its_own},
                      operation, how.root, entered.data(), done.data(), memory_of_plays));
  return done;
}
std::vector<double> play(Operation operation, int ranks, uint64_t bytes, const Played& how = {}) {
  return play(operation, ranks, bytes, bytes, how);
}
double last(const std::vector<double>& done) {
  return *std::max_element(done.begin(), done.end());
}

// Closed forms of the algorithms, of messages of 14 + 2 n; which algorithm it is, patterns/choice_test.cpp has
// from the libraries' sources.
TEST(CollectivePlay, SymmetricOnesAreDoneAtOnce) {
  for (const double done : play(Operation::barrier, 8, 0)) EXPECT_EQ(done, 3 * small) << "doubling";
  for (const double done : play(Operation::barrier, 5, 0, {.rules = mpich}))
    EXPECT_EQ(done, 3 * small) << "dissemination";
  for (const double done : play(Operation::allreduce, 16, 8)) EXPECT_EQ(done, 4 * (small + 16)) << "doubling";
  for (const double done : play(Operation::allgather, 4, 2, 8, {.rules = mpich}))
    EXPECT_EQ(done, small + 4 + small + 8) << "doubling";
  // 3 elements of the last 81920 bytes over 5 members: MPICH's ring of 4 blocks of 16384, which are large
  for (const double done : play(Operation::allgather, 5, 16384, 5 * 16384, {.rules = mpich}))
    EXPECT_EQ(done, 4 * (small + 4 + 2 * 16384)) << "a ring";
}

// 8192 bytes over 4 by Rabenseifner's algorithm, as Open MPI has it: the farthest go last, 4096, 2048 and back
// 2048, 4096; large messages wait for both sides and 4 more.
TEST(CollectivePlay, LongSumsGoByHalves) {
  for (const double done : play(Operation::allreduce, 4, 8192))
    EXPECT_EQ(done, 4 * (small + 4) + 2 * (2 * 4096 + 2 * 2048));
}

// An empty broadcast over 8 by MPICH's binomial tree from rank 3: the root sends to 4, 2, 1 from it, which
// cost it 1 each; whoever hears sends on.
TEST(CollectivePlay, ATreeTakesItsDepth) {
  const auto done = play(Operation::bcast, 8, 0, {.rules = mpich, .root = 3});
  EXPECT_EQ(done[3], 3);
  EXPECT_EQ(done[(4 + 3) % 8], small + 2) << "heard, and sent to two";
  EXPECT_EQ(last(done), 3 * small);
  const auto sum = play(Operation::reduce, 2, 4);
  EXPECT_EQ(sum[0], small + 8);
  EXPECT_EQ(sum[1], 1) << "sent, and done";
}

TEST(CollectivePlay, ALateRankHoldsUpWhoNeedsIt) {
  // doubling: rank 3 finds both messages there: it sends and receives twice; 1 hears from it after the second
  // of both, 2 after the first, and 0 from that one
  const std::vector<double> sum{100 + 2 * small, 104 + small, 100 + small + 1 + 3, 100 + 2 * (1 + 3)};
  EXPECT_EQ(play(Operation::allreduce, 4, 0, {.late_s = {0, 0, 0, 100}}), sum);
  const auto tree = play(Operation::bcast, 2, 0, {.late_s = {100, 0}});
  EXPECT_EQ(tree[0], 101);
  EXPECT_EQ(tree[1], 100 + small);
  const auto no_root = play(Operation::bcast, 2, 0, {.late_s = {0, 100}});
  EXPECT_EQ(no_root[0], 1) << "a small message is away";
  EXPECT_EQ(no_root[1], 103) << "and there: only the receive is left";
}

// Who takes several messages takes them as they come, not in the order in which they are written down: in the
// linear barrier of Open MPI ranks 1, 2 and 3 report to 0, of which 1 comes last. Its report is there at 111,
// when 0 has the others, and 0 releases the three 1 after the other.
TEST(CollectivePlay, TakesWhatIsThereFirst) {
  const auto done = play(Operation::barrier, 4, 0, {.late_s = {0, 100, 0, 0}});
  EXPECT_EQ(done[0], 100 + small + 3);
  EXPECT_EQ(done[1], 100 + small + small);
  EXPECT_EQ(done[3], 100 + small + 2 + small);
}

// Open MPI's barrier of three: rank 2 reports to 0, which hears it at 14, sends to 1 and takes what that sent
// long ago, 4 more, and releases 2 by a synchronous send. It is there 11 later, and its acknowledgement back
// after 10, one empty flight.
TEST(CollectivePlay, ASynchronousSendWaitsForItsAcknowledgement) {
  const auto done = play(Operation::barrier, 3, 0);
  EXPECT_EQ(done[2], small + 4 + small);
  EXPECT_EQ(done[0], small + 4 + 11 + 10);
}

// Two ranks a host: of the exchange with the next host both messages pass one port, so the second is there 2
// n later; one rank a host: not. Ports of their own: nobody waits.
TEST(CollectivePlay, RanksOfAHostShareItsPorts) {
  const double within_host = 3;
  EXPECT_EQ(last(play(Operation::allreduce, 4, 8)), 2 * (small + 16));
  EXPECT_EQ(last(play(Operation::allreduce, 4, 8, {.per_host = 2})), within_host + small + 16 + 16);
  for (int again = 0; again < 2; ++again)
    EXPECT_EQ(last(play(Operation::allreduce, 4, 8, {.per_host = 2, .ports_are_its_own = true})),
              within_host + small + 16 + 16)
        << "ports of the play alone, free at its beginning";
  EXPECT_EQ(last(play(Operation::allreduce, 4, 8, {.per_host = 2, .ports = false})),
            within_host + small + 16);
  // everybody to everybody, 8 bytes: of a host 4 messages go out and come in, one after the other
  EXPECT_GE(last(play(Operation::alltoall, 4, 32, {.rules = mpich, .per_host = 2})), 1 + 10 + 4 * 16);
}

// The members of a host are told from others where MPICH works by levels, whether ports count or not: each
// host's first member alone sends to the other host, once 14, and within each 3 there and 3 back.
TEST(CollectivePlay, LevelsGoByHosts) {
  for (const bool ports : {true, false})
    EXPECT_EQ(last(play(Operation::allreduce, 4, 0, {.rules = mpich, .per_host = 2, .ports = ports})),
              3 + small + 3);
}

// A root that is not held up sends one broadcast after the other, and its port is free for one at a time.
TEST(CollectivePlay, PortsStayTakenBetweenCalls) {
  std::vector<char> memory(ports_memory(2, 2));
  start_ports(memory.data(), 2, 2);
  const Machine machine{1};
  std::vector<Entered> entered(2, {0, 8, 8});
  std::vector<double> done(2);
  for (int call = 0; call < 10; ++call) {
    ASSERT_TRUE(play_collective({2, &machine, costs_of, host_of, open_mpi, true}, Operation::bcast, 0,
                                entered.data(), done.data(), memory_of_plays));
    for (std::size_t rank = 0; rank < 2; ++rank) entered[rank].at_s = done[rank];
  }
  EXPECT_EQ(done[0], 10);
  EXPECT_EQ(done[1], 1 + 10 + 10 * 16 + 3);
}

// The same machine, and one on which all between hosts takes ten times as long: D = 10 with a network that stays
// as it is. By how much later each rank is done there.
std::vector<double> later(Operation operation, const std::vector<double>& entered_s,
                          CollectiveRules rules = open_mpi, int root = 0) {
  MessageCosts slow = between_hosts();
  for (Pieces* part : {&slow.send, &slow.flight, &slow.receive, &slow.port, &slow.reply}) part->multiply(10);
  const Machine machine{1}, target{1, &slow};
  const int ranks = static_cast<int>(entered_s.size());
  std::vector<Entered> entered;
  for (const double at_s : entered_s) entered.push_back({at_s, 0, 0});
  const auto cast = [&](const Machine& on) { return Cast{ranks, &on, costs_of, host_of, rules, true, true}; };
  std::vector<double> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(
        ends_of(cast(machine), cast(target), operation, root, entered.data(), rank, memory_of_plays, 0)
            .later_s());
  return all;
}
// Sends take 1 and 10, flights 10 and 100, receives 3 and 30.
constexpr double more_send = 9, more_flight = 90, more_receive = 27,
                 more = more_send + more_flight + more_receive;

TEST(CollectiveEnds, WhoEntersTogetherOwesAllStages) {
  EXPECT_EQ(later(Operation::allreduce, {0, 0, 0, 0}), std::vector<double>(4, 2 * more));
  EXPECT_EQ(later(Operation::reduce, {0, 0}), (std::vector<double>{more, more_send}));
}

// The last of a sum over all finds what the others sent on both machines, and owes its own software. Those who
// waited for it owe the messages that come from it: two, or one and software.
TEST(CollectiveEnds, WhoEntersLastOwesNoFlight) {
  const double software = more_send + more_receive;
  EXPECT_EQ(later(Operation::allreduce, {0, 0, 0, 10'000}),
            (std::vector<double>{2 * more, software + more, more + software, 2 * software}));
}
// It comes after the messages were here, and before they are there: what is left is owed. There the others are 140
// each stage, and so is it: 280, where here it is done two sends and two receives after it entered.
TEST(CollectiveEnds, WhoEntersInBetweenOwesTheRest) {
  EXPECT_EQ(later(Operation::allreduce, {0, 0, 0, 50})[3], 280 - (50 + 2 * (1 + 3)));
  // the root of a reduction: its leaf's message is there after 110
  EXPECT_EQ(later(Operation::reduce, {50, 0}), (std::vector<double>{110 + 30 - (50 + 3), more_send}));
  EXPECT_EQ(later(Operation::reduce, {10'000, 0})[0], more_receive);
  // the other way round the root is done at 10, and the leaf of the broadcast is late
  EXPECT_EQ(later(Operation::bcast, {0, 50}), (std::vector<double>{more_send, 110 + 30 - (50 + 3)}));
}
// The root's end is that of the latest leaf, one message, and not all that come to it; what it takes after that in
// the tree's order was there and is unpacked. Who sent owes its send.
TEST(CollectiveEnds, TheRootWaitsForTheLatestLeaf) {
  EXPECT_EQ(later(Operation::gather, {0, 0, 10'000}, mpich),
            (std::vector<double>{more, more_send, more_send}));
  EXPECT_EQ(later(Operation::gather, {0, 10'000, 0}, mpich),
            (std::vector<double>{more + more_receive, more_send, more_send}));
}

// Two ranks give each other 100 bytes. A request leaves at 1, comes at 3, its reply at 5; the data leave from 9 to 109, come at
// 119 and are unpacked at 122. Where one goes after the other, who is asked first answers when it has handed its data over, at
// 9, behind them: the reply is there at 111, data leave from 115 to 215, come at 225 and are unpacked at 228.
TEST(CollectiveEnds, OfWhatMayHaveHappenedThatIsTakenWhichTookAsLong) {
  MessageCosts costs;
  costs.read("8;0:1:0,9:5:0;0:10:1,9:14:1;0:3:0;0:0:1;0:0:0,9:4:0;0");
  ASSERT_TRUE(costs.in_order(100));
  const Machine machine{1, &costs};
  const std::vector<uint64_t> pairs = {0, 100, 100, 0};
  const std::vector<Entered> entered(2, {0, 100, 100});
  Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
  cast.pairs = pairs.data();
  const auto ends = [&](int rank, double back_s) {
    return ends_of(cast, cast, Operation::alltoallv, 0, entered.data(), rank, memory_of_plays, back_s);
  };
  for (const int rank : {0, 1}) {
    EXPECT_EQ(ends(rank, 122).here_s, 122);
    EXPECT_EQ(ends(rank, 140).here_s, 122) << "something else took longer";
    EXPECT_EQ(ends(rank, 220).there_s, 122) << "what it must take is not by what it took";
  }
  EXPECT_EQ(ends(0, 220).here_s, 228);
  EXPECT_EQ(ends(1, 220).here_s, 215) << "until its data are out";
  EXPECT_EQ(ends(0, 0).here_s, 122) << "not known when";

  // What was tried and did not happen lies in front of nothing: at 150, which is neither, the data have left since 109.
  Cast really = cast;
  really.really = true;
  really.communicator = 1;
  EXPECT_EQ(ends_of(really, cast, Operation::alltoallv, 0, entered.data(), 0, memory_of_plays, 150).here_s,
            122);
  really.since_s = 150;
  EXPECT_EQ(ends_of(really, cast, Operation::alltoallv, 0, entered.data(), 0, memory_of_plays, 0).here_s,
            122);
}
// What else a host sends lies in front: where its port is taken until 30 a message of 1 byte, ready at 1, leaves at 30; an empty one needs
// no port. In the library itself it is another time. The next one waits for that message, to 32, and not for what that waited for again.
TEST(CollectiveEnds, MessagesOutsideOfPlaysKeepThePort) {
  const Machine machine{1};
  std::vector<Entered> entered(2, {0, 0, 0});
  entered[0].port_until_s = 30;
  entered[0].port_really_until_s = 20;
  std::vector<double> done(2);
  Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
  const auto done_s = [&](bool really) {
    cast.really = really;
    EXPECT_TRUE(play_collective(cast, Operation::bcast, 0, entered.data(), done.data(), memory_of_plays));
    return done[1];
  };
  EXPECT_EQ(done_s(false), small);
  entered[0].given = entered[0].got = entered[1].given = entered[1].got = 1;
  EXPECT_EQ(done_s(false), 30 + small - 1 + 2);
  EXPECT_EQ(done_s(true), 20 + small - 1 + 2);
  cast.communicator = 79;
  EXPECT_EQ(done_s(false), 30 + small - 1 + 2);
  EXPECT_EQ(done_s(false), 32 + small - 1 + 2);
}
// A broadcast of 2 bytes over two: sent at 1, and read when they come.
TEST(CollectiveEnds, WhoAsksIsToldOfMessages) {
  struct Told {
    std::vector<std::vector<double>> sends, reads;
  } told;
  const std::vector<Entered> entered(2, {0, 2, 2});
  std::vector<double> done(2);
  Cast cast{2,
            &told,
            [](const void*, int from, int to) -> const MessageCosts& { return from == to ? intra : inter; },
            [](const void*, int rank) { return rank; },
            open_mpi,
            true,
            true};
  cast.sends = [](const void* of, int from, int to, double at_s) {
    static_cast<Told*>(const_cast<void*>(of))->sends.push_back({double(from), double(to), at_s});
  };
  cast.reads = [](const void* of, int from, int to, uint64_t bytes, double came_s, double read_s) {
    static_cast<Told*>(const_cast<void*>(of))
        ->reads.push_back({double(from), double(to), double(bytes), came_s, read_s});
  };
  EXPECT_TRUE(play_collective(cast, Operation::bcast, 0, entered.data(), done.data(), memory_of_plays));
  const double comes = 1 + 10 + 4;
  EXPECT_EQ(told.sends, (std::vector<std::vector<double>>{{0, 1, 1}}));
  EXPECT_EQ(told.reads, (std::vector<std::vector<double>>{{0, 1, 2, comes, comes}}));
}
// What was written in the play before lies in front: 1000 bytes leave from 1 to 1001, so that a request of 1 comes at 1003 and not
// at 3. Counted from 10 later it is 10 sooner.
TEST(CollectiveEnds, ARequestLiesBehindThePlayBefore) {
  MessageCosts costs;
  costs.read("2000;0:1:0,2001:5:0;0:10:1,2001:14:1;0:3:0;0:0:1;0:0:0,2001:4:0;0");
  const Machine machine{1, &costs};
  const std::vector<uint64_t> small_ones = {0, 1000, 0, 0}, large_ones = {0, 3000, 0, 0};
  const std::vector<Entered> entered(2, {0, 0, 0});
  static PlayMemory memory;  // which never gives anything back
  const auto done_s = [&](const std::vector<uint64_t>& pairs, uint64_t communicator, double since_s) {
    Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
    cast.pairs = pairs.data();
    cast.communicator = communicator;
    cast.since_s = since_s;
    std::vector<double> done(2);
    EXPECT_TRUE(play_collective(cast, Operation::alltoallv, 0, entered.data(), done.data(), memory));
    return done[1];
  };
  const double alone_s = done_s(large_ones, 7, 0);
  EXPECT_EQ(done_s(small_ones, 8, 0), 1 + 1000 + 10 + 3);
  EXPECT_EQ(done_s(large_ones, 8, 10), alone_s + 1000 - 10);
  EXPECT_EQ(done_s(large_ones, 9, 10), alone_s) << "another communicator";
}

// Rank 1 asks at 1, and its request comes to rank 0 at 3, which begins at `begins_s`, right after a wait. A library that reads on replies
// first, so its own request comes behind: 1's data, from 9 to 3009, go in front of the reply to that, and 0's from 3015 on. One that leaves its call has asked
// itself a second after it began, and only what comes until then is read before; else both go at once, 0's from 10.5 on.
// A leaf of a reduction is done when it has sent, here 1 after it entered, and so calls ahead of its root. Its messages take its
// port for 8 each, one behind the other: the k-th is with the root 8 k later than the first, however early it was sent.
TEST(CollectivePlay, MessagesOfCallsInARowQueueForTheirPort) {
  const Machine machine{1};
  const auto ends_s = [&](bool one_communicator) {
    std::vector<double> out;
    double root_enters_s = 1000;  // of any clock
    for (int call = 0; call < 4; ++call) {
      Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
      cast.communicator = one_communicator ? 77 : 0;
      cast.since_s = root_enters_s;
      const Entered entered[2] = {{0, 4, 4}, {1000 + call - root_enters_s, 4, 0}};
      double done_s[2];
      EXPECT_TRUE(play_collective(cast, Operation::reduce, 0, entered, done_s, memory_of_plays));
      root_enters_s += done_s[0];
      out.push_back(root_enters_s - 1000);
    }
    return out;
  };
  const double first = small + 8;
  EXPECT_EQ(ends_s(true), (std::vector<double>{first, first + 8, first + 16, first + 24}));
  // The port of each call its own, all were there when the root came: it only receives them.
  EXPECT_EQ(ends_s(false), (std::vector<double>{first, first + 3, first + 6, first + 9}));
}

// What was played for a call that began later, as non-blocking ones are found done in any order, is not in the way.
TEST(CollectivePlay, WhatBeganLaterIsNotInFront) {
  const Machine machine{1};
  const auto done_s = [&](double since_s) {
    Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
    cast.communicator = 78;
    cast.since_s = since_s;
    const Entered entered[2] = {{0, 4, 4}, {0, 4, 0}};
    double done[2];
    EXPECT_TRUE(play_collective(cast, Operation::reduce, 0, entered, done, memory_of_plays));
    return done[0];
  };
  EXPECT_EQ(done_s(2001), small + 8);
  EXPECT_EQ(done_s(2000), small + 8);
  EXPECT_EQ(done_s(2002), small + 8 + 7) << "behind the one of 2001, whose port is taken until 2010";
}

// Both give 3000 bytes, 30 frames of 100; rank 1 comes at 1000, so that rank 0's data leave at 1006 (a reply of 2, and 4 of software) and its own at 1009.
// Of a window of 18 frames it has 2997 of the other's before it, of which one window is 1800: it stands still for the rest, 1197, as 13 frames
// would be longer. Of a communicator that is not known, and without a window, it does not.
TEST(CollectivePlay, WhoBeginsLaterStandsStillBehindWhatGoesBack) {
  static PlayMemory memory;  // which never gives anything back
  const auto done_s = [](double window_frames, uint64_t communicator) {
    MessageCosts costs;
    costs.read("2000;0:1:0,2001:5:0;0:10:1,2001:14:1;0:3:0;0:0:1;0:0:0,2001:4:0");
    costs.frames = {90, 10, 0, 1};
    costs.window_frames = window_frames;
    const Machine machine{1, &costs};
    const std::vector<uint64_t> pairs = {0, 3000, 3000, 0};
    Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
    cast.pairs = pairs.data();
    cast.communicator = communicator;
    const std::vector<Entered> entered = {{0, 0, 0}, {1000, 0, 0}};
    std::vector<double> done(2);
    EXPECT_TRUE(play_collective(cast, Operation::alltoallv, 0, entered.data(), done.data(), memory));
    return done[0];
  };
  const double at_once_s = done_s(0, 79);
  EXPECT_EQ(done_s(18, 0), at_once_s);
  EXPECT_EQ(done_s(18, 80), at_once_s + 1197);
}

TEST(CollectivePlay, WhoReadsOnRepliesBeforeItAsks) {
  for (const bool reads_on : {true, false})
    for (const double begins_s : {1.5, 2.5}) {
      MessageCosts costs;
      costs.read(reads_on ? "2000;0:1:0,2001:5:0;0:10:1,2001:14:1;0:3:0;0:0:1;0:0:0,2001:4:0;5"
                          : "2000;0:1:0,2001:5:0;0:10:1,2001:14:1;0:3:0;0:0:1;0:0:0,2001:4:0;5:0");
      const Machine machine{1, &costs};
      const std::vector<uint64_t> pairs = {0, 3000, 3000, 0};
      Cast cast{2, &machine, costs_of, host_of, open_mpi, true, true};
      cast.pairs = pairs.data();
      const std::vector<Entered> entered = {{begins_s, 0, 0, begins_s}, {0, 0, 0, 0}};
      std::vector<double> done(2);
      EXPECT_TRUE(
          play_collective(cast, Operation::alltoallv, 0, entered.data(), done.data(), memory_of_plays));
      const bool in_turn = reads_on || begins_s == 2.5;
      EXPECT_EQ(last(done), in_turn ? 6028 : 3023.5) << reads_on << begins_s;
    }
}

}  // namespace
}  // namespace ww::interpose
