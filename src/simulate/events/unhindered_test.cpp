// Rank by rank or event by event: the numbers are the same to the last bit, as both add the same terms in the same order. The engine
// plays such programs by events where another observer than RunNotes is told of them.
#include "simulate/events/unhindered.hpp"

#include <gtest/gtest.h>

#include <random>

#include "simulate/events/engine.hpp"
#include "simulate/replay_fixture.hpp"

namespace ww::simulate {
namespace {

class PassedOn final : public Observer {
 public:
  explicit PassedOn(RunNotes& notes) : notes_(notes) {}
  void call_begins(std::int32_t rank, std::uint32_t region, double at_s) override {
    notes_.call_begins(rank, region, at_s);
  }
  void call_ends(std::int32_t rank, double at_s) override { notes_.call_ends(rank, at_s); }
  void message(MessageEvent what, std::uint32_t message, double at_s) override {
    notes_.message(what, message, at_s);
  }
  void blocked(const Blocked& wait) override { notes_.blocked(wait); }

 private:
  RunNotes& notes_;
};

// Sends that block and that do not, several messages in a wait, to all others and to itself, collectives that are messages, that are not, and
// that go on; computation in steps of an odd part of a microsecond, so that no two messages come at the same instant.
TraceBuilder mixed_program(unsigned seed, int hosts) {
  std::mt19937 random(seed);
  constexpr int ranks = 5;
  std::vector<std::string> names;
  for (int rank = 0; rank < ranks; ++rank) names.push_back("host" + std::to_string(rank % hosts));
  TraceBuilder builder(names);
  for (int round = 0; round < 40; ++round) {
    for (int rank = 0; rank < ranks; ++rank)
      builder.compute(rank, 1e-9 * static_cast<double>(random() % 3'000'017));
    const std::uint64_t bytes = random() % 3000;
    switch (random() % 6) {
      case 0:
        for (int rank = 0; rank < ranks; ++rank) {
          if (rank > 0) builder.recv(rank, rank - 1, bytes);
          builder.send(rank, (rank + 1) % ranks, bytes);
        }
        builder.recv(0, ranks - 1, bytes);
        break;
      case 1: {
        std::vector<std::vector<std::uint32_t>> posted(ranks), sent(ranks);
        for (int rank = 0; rank < ranks; ++rank)
          for (int other = 0; other < ranks; ++other)
            posted[static_cast<std::size_t>(rank)].push_back(builder.irecv(rank, other, bytes));
        for (int rank = 0; rank < ranks; ++rank)
          for (int other = 0; other < ranks; ++other)
            sent[static_cast<std::size_t>(rank)].push_back(builder.isend(rank, other, bytes));
        for (int rank = 0; rank < ranks; ++rank)
          builder.wait(rank, sent[static_cast<std::size_t>(rank)], posted[static_cast<std::size_t>(rank)]);
        break;
      }
      case 2:
        builder.collective(CollectiveOp::allreduce, bytes);
        break;
      case 3:
        builder.collective(CollectiveOp::communicator, 0);
        break;
      case 4: {
        const std::uint32_t begun = builder.begin_collective(CollectiveOp::alltoall, -1, bytes);
        for (int rank = 0; rank < ranks; ++rank) {
          builder.compute(rank, 1e-9 * static_cast<double>(random() % 500'009));
          if (random() % 2 == 0) builder.other(rank, 1e-6);
          builder.complete(rank, begun);
        }
        break;
      }
      default:
        for (int rank = 0; rank < ranks; ++rank)
          builder.sendrecv(rank, (rank + 1) % ranks, bytes, (rank + ranks - 1) % ranks, bytes);
    }
  }
  return builder;
}

MachineModel machine_of(double send_s, double unformat_s) {
  LinearMachine machine;
  machine.send_s = send_s;
  machine.unformat_s = unformat_s;
  MachineModel model = machine.model();
  model.links.push_back(model.links.front());
  model.links.back().between = Place::intra;
  model.links.back().latency_s *= 0.1;
  model.links.back().one_way.segments.front().base_s *= 0.1;
  return model;
}

void expect_same(const Simulated& a, const Simulated& b, const RunNotes& noted_a, const RunNotes& noted_b) {
  EXPECT_EQ(a.elapsed_s, b.elapsed_s);
  ASSERT_EQ(a.ranks.size(), b.ranks.size());
  for (std::size_t rank = 0; rank < a.ranks.size(); ++rank) {
    const SimulatedRank &one = a.ranks[rank], &other = b.ranks[rank];
    EXPECT_EQ(one.begin_s, other.begin_s);
    EXPECT_EQ(one.elapsed_s, other.elapsed_s);
    EXPECT_EQ(one.compute_s, other.compute_s);
    EXPECT_EQ(one.library_s, other.library_s);
    EXPECT_EQ(one.send_s, other.send_s);
    EXPECT_EQ(one.blocked_algorithmic_s, other.blocked_algorithmic_s);
    EXPECT_EQ(one.blocked_service_s, other.blocked_service_s);
    EXPECT_EQ(one.messages_sent, other.messages_sent);
    EXPECT_EQ(one.bytes_sent, other.bytes_sent);
    // Added up in another order.
    EXPECT_NEAR(one.network_s, other.network_s, ps);
    EXPECT_NEAR(one.queued_s, other.queued_s, ps);
    const RunNotes::Rank &of = noted_a.ranks()[rank], &to = noted_b.ranks()[rank];
    EXPECT_TRUE(std::equal(of.enter_s.begin(), of.enter_s.end(), to.enter_s.begin(), to.enter_s.end()));
    EXPECT_TRUE(std::equal(of.leave_s.begin(), of.leave_s.end(), to.leave_s.begin(), to.leave_s.end()));
    ASSERT_EQ(of.waits.size(), to.waits.size());
    for (std::size_t i = 0; i < of.waits.size(); ++i) {
      EXPECT_EQ(of.call_of_wait[i], to.call_of_wait[i]);
      EXPECT_EQ(of.waits[i].from_s, to.waits[i].from_s);
      EXPECT_EQ(of.waits[i].begun_s, to.waits[i].begun_s);
      EXPECT_EQ(of.waits[i].to_s, to.waits[i].to_s);
      EXPECT_EQ(of.waits[i].by, to.waits[i].by);
      EXPECT_EQ(of.waits[i].message, to.waits[i].message);
    }
  }
  for (std::size_t message = 0; message < noted_a.ways().size(); ++message) {
    EXPECT_EQ(noted_a.ways()[message].left_s, noted_b.ways()[message].left_s);
    EXPECT_EQ(noted_a.ways()[message].arrived_s, noted_b.ways()[message].arrived_s);
  }
}

TEST(Unhindered, IsTheEngine) {
  std::size_t waits = 0;
  for (unsigned seed = 1; seed <= 30; ++seed)
    for (const int hosts : {1, 3, 5})
      for (const double software_s : {0.0, 7e-6}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", hosts " + std::to_string(hosts));
        auto builder = mixed_program(seed, hosts);
        const MachineModel model = machine_of(software_s, 0.5 * software_s);
        const auto program = compile(builder.trace());
        ASSERT_TRUE(program) << to_string(program.error());
        const auto costs = ReplayCosts::make(*program, model, 0);
        ASSERT_TRUE(costs);
        SimulateOptions options;
        options.compute_factor = 1.7;
        if (hosts > 1) options.network = NetworkSpec{"ideal", {}, "ideal"};
        ASSERT_TRUE(goes_unhindered(*program, *costs, options));
        RunNotes by_rank(program->ranks.size(), program->messages.size()),
            by_event(program->ranks.size(), program->messages.size());
        const auto unhindered = play_unhindered(*program, *costs, options, &by_rank);
        ASSERT_TRUE(unhindered && *unhindered);
        PassedOn passed_on(by_event);
        options.observer = &passed_on;
        const auto played = play(*program, *costs, options);
        ASSERT_TRUE(played) << to_string(played.error());
        expect_same(**unhindered, *played, by_rank, by_event);
        EXPECT_EQ((*unhindered)->network.name, played->network.name);
        EXPECT_EQ((*unhindered)->network.assumptions, played->network.assumptions);
        for (const RunNotes::Rank& rank : by_rank.ranks()) waits += rank.waits.size();
      }
  EXPECT_GT(waits, 10'000u);  // else little was compared
}

// A port is shared, and a large message is answered.
TEST(Unhindered, IsNotForPortsOrHandshakes) {
  auto builder = TraceBuilder::spread(2);
  builder.send(0, 1, 1000);
  builder.recv(1, 0, 1000);
  const auto program = compile(builder.trace());
  ASSERT_TRUE(program);
  LinearMachine machine;
  const auto small = ReplayCosts::make(*program, machine.model(), 0);
  machine.eager_threshold_bytes = 500;
  const auto large = ReplayCosts::make(*program, machine.model(), 0);
  ASSERT_TRUE(small && large);
  SimulateOptions ideal;
  ideal.network = NetworkSpec{"ideal", {}, "ideal"};
  EXPECT_TRUE(goes_unhindered(*program, *small, ideal));
  EXPECT_FALSE(goes_unhindered(*program, *small, {}));
  EXPECT_FALSE(goes_unhindered(*program, *large, ideal));
}

TEST(Unhindered, LeavesRanksThatWaitForEachOtherToTheEngine) {
  auto builder = TraceBuilder(std::vector<std::string>(2, "host"));
  builder.recv(0, 1, 10);
  builder.recv(1, 0, 10);
  builder.send(0, 1, 10);
  builder.send(1, 0, 10);
  const auto simulated = replay(builder.trace(), machine_of(0, 0), {});
  ASSERT_FALSE(simulated);
  EXPECT_NE(simulated.error().where.find("MPI_Recv"), std::string::npos) << to_string(simulated.error());
}

}  // namespace
}  // namespace ww::simulate
