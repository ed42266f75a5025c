// What algorithms send, by definition of their operations, and the shapes of trees as Open MPI's
// coll_base_topo.c pictures them. Times are tested where they are played (simulate/collectives).
#include "patterns/algorithms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "patterns/counted_fixture.hpp"
#include "patterns/trees.hpp"

namespace ww::patterns {
namespace {

// Gathering P blocks everywhere is P (P - 1) blocks.
TEST(Algorithms, AllgathersMoveEveryBlockEverywhere) {
  const auto moved = [](const Algorithm& algorithm, int members) {
    return sent_by(algorithm, Operation::allgather, members, 10).bytes;
  };
  for (const int members : {2, 4, 8, 16}) {
    const auto n = static_cast<uint64_t>(members);
    EXPECT_EQ(moved(allgather_recursive_doubling, members), 10 * n * (n - 1));
    EXPECT_EQ(moved(allgather_neighbor_exchange, members), 10 * n * (n - 1));
  }
  for (const int members : {2, 3, 5, 8, 13}) {
    const auto n = static_cast<uint64_t>(members);
    EXPECT_EQ(moved(allgather_ring, members), 10 * n * (n - 1));
    EXPECT_EQ(moved(allgather_bruck, members), 10 * n * (n - 1));
  }
}

// A vector of P KiB, blocks of 1 KiB: trees have P - 1 messages; scattering a vector over P = 2^k moves
// k P / 2 blocks, gathering it everywhere P (P - 1), reducing and scattering it by halving P (P - 1)
// (Thakur, Rabenseifner, Gropp 2005; Chan, Heimlich, Purkayastha, van de Geijn 2007).
TEST(Algorithms, SendAsManyBytesAsPublished) {
  constexpr uint64_t block = 1024;
  for (const int members : {2, 4, 8, 16, 32}) {
    const auto p = static_cast<uint64_t>(members);
    const auto log = static_cast<uint64_t>(std::bit_width(p) - 1);
    const auto vector = [&](const Algorithm& algorithm, Operation operation, uint64_t bytes, int root) {
      return sent_by(algorithm, operation, members, bytes, root);
    };
    const Counted bcast = vector(bcast_binomial_blocking, Operation::bcast, 100, 1);
    EXPECT_EQ(bcast.messages, p - 1);
    EXPECT_EQ(bcast.bytes, 100 * (p - 1));
    EXPECT_EQ(vector(reduce_binomial_blocking, Operation::reduce, 100, 1).messages, p - 1);
    const Counted doubling = vector(bcast_scatter_doubling_allgather, Operation::bcast, block * p, 1);
    EXPECT_EQ(doubling.messages, p - 1 + p * log);
    EXPECT_EQ(doubling.bytes, block * (log * p / 2 + p * (p - 1)));
    const Counted ring = vector(bcast_scatter_ring_allgather, Operation::bcast, block * p, 1);
    EXPECT_EQ(ring.messages, p - 1 + p * (p - 1));
    EXPECT_EQ(ring.bytes, block * (log * p / 2 + p * (p - 1)));
    const Counted allreduce = vector(allreduce_reduce_scatter_allgather, Operation::allreduce, block * p, 0);
    EXPECT_EQ(allreduce.messages, 2 * p * log);
    EXPECT_EQ(allreduce.bytes, 2 * block * p * (p - 1));
    const Counted rooted = vector(reduce_scatter_gather, Operation::reduce, block * p, 1);
    EXPECT_EQ(rooted.messages, p * log + p - 1);
    EXPECT_EQ(rooted.bytes, block * (p * (p - 1) + log * p / 2));
    EXPECT_EQ(vector(reduce_scatter_pairwise, Operation::reduce_scatter, block, 0).messages, p * (p - 1));
    EXPECT_EQ(vector(scan_recursive_doubling, Operation::scan, 8, 0).messages, p * log);
  }
  for (const int members : {3, 5, 6, 13}) {
    const auto p = static_cast<uint64_t>(members), power = std::bit_floor(p), extra = p - power;
    const auto log = static_cast<uint64_t>(std::bit_width(power) - 1);
    EXPECT_EQ(sent_by(allreduce_reduce_scatter_allgather, Operation::allreduce, members, 6000).messages,
              2 * power * log + 2 * extra);
    for (const int root : {0, 1})  // a root that is odd among the extra ones gets its part first
      EXPECT_EQ(sent_by(reduce_scatter_gather, Operation::reduce, members, 6000, root).messages,
                extra + power * log + power - 1 + static_cast<uint64_t>(root));
  }
}

// Pieces of 8 KiB, of a broadcast from 512 KiB on of 32 (nbc_ibcast.c, nbc_ireduce.c): each goes to each member
// once, the last one is what is left.
TEST(Algorithms, PipelinesSendPieces) {
  const Counted bcast = sent_by(bcast_pipeline, Operation::bcast, 5, 100000, 1);
  EXPECT_EQ(bcast.messages, 4u * 13);  // 12 pieces and 1696 bytes
  EXPECT_EQ(bcast.bytes, 4u * 100000);
  EXPECT_EQ(bcast.transfers.back().bytes, 1696u);
  EXPECT_EQ(sent_by(bcast_pipeline, Operation::bcast, 5, 1 << 20, 0).messages, 4u * 32);
  const Counted reduce = sent_by(reduce_pipeline, Operation::reduce, 3, 1 << 20, 2);
  EXPECT_EQ(reduce.messages, 2u * 128);
  EXPECT_TRUE(reduce.transfers.back().reduced);
  EXPECT_EQ(reduce.transfers.back().to, 2);
}

// Everything at once: a block from each to each other; up and down a tree, 2 (P - 1) vectors.
TEST(Algorithms, NonblockingOnesMoveWhatIsAsked) {
  for (const int members : {2, 3, 8}) {
    const auto n = static_cast<uint64_t>(members);
    const Counted all = sent_by(allgather_linear, Operation::allgather, members, 10);
    EXPECT_EQ(all.bytes, 10 * n * (n - 1));
    EXPECT_EQ(all.rounds.size(), 1u);
    EXPECT_EQ(sent_by(allreduce_binomial_tree, Operation::allreduce, members, 100).bytes, 200 * (n - 1));
  }
}

// MPICH's portions of 32 partners, of whom a member is one itself: of 40 members 31 and then 8 others.
TEST(Algorithms, ScatteredExchangesGoInPortions) {
  EXPECT_EQ(sent_by(alltoall_scattered, Operation::alltoall, 40, 8).rounds, (std::vector{40 * 31, 40 * 8}));
}

std::vector<std::vector<int>> children_of(Shape shape, int size) {
  std::vector<std::vector<int>> out;
  for (int v = 0; v < size; ++v) {
    const Children children = shape(v, size);
    out.emplace_back(children.child, children.child + children.count);
  }
  return out;
}

TEST(Trees, HaveTheShapesOfOpenMpi) {
  using All = std::vector<std::vector<int>>;
  EXPECT_EQ(children_of(binomial_children, 8), (All{{1, 2, 4}, {3, 5}, {6}, {7}, {}, {}, {}, {}}));
  EXPECT_EQ(children_of(in_order_binomial_children, 8), (All{{1, 2, 4}, {}, {3}, {}, {5, 6}, {}, {7}, {}}));
  EXPECT_EQ(children_of(binary_children, 7), (All{{1, 2}, {3, 5}, {4, 6}, {}, {}, {}, {}}));
  EXPECT_EQ(children_of(chain_children, 3), (All{{1}, {2}, {}}));
  EXPECT_EQ(children_of(knomial_children, 16)[0], (std::vector{4, 8, 12, 1, 2, 3}));  // radix 4, 16 = 4^2
}

// Whatever the shape, everybody is reached once and by a smaller one; a binomial tree in log2(P) steps.
TEST(Trees, ReachEverybodyOnce) {
  for (const Shape shape : {chain_children, binary_children, binomial_children, in_order_binomial_children,
                            knomial_children, shared_bcast_children, shared_reduce_children})
    for (const int size : {1, 2, 3, 7, 16, 65, 100}) {
      std::vector<int> times(static_cast<std::size_t>(size)), depth(times);
      const auto children = children_of(shape, size);
      for (int v = 0; v < size; ++v)
        for (const int child : children[static_cast<std::size_t>(v)]) {
          EXPECT_GT(child, v);
          ++times[static_cast<std::size_t>(child)];
          depth[static_cast<std::size_t>(child)] = depth[static_cast<std::size_t>(v)] + 1;
        }
      EXPECT_EQ(times[0], 0);
      EXPECT_EQ(std::accumulate(times.begin(), times.end(), 0), size - 1);
      for (std::size_t v = 1; v < times.size(); ++v) EXPECT_EQ(times[v], 1);
      if (size == 16 && shape == binomial_children) {
        EXPECT_EQ(*std::max_element(depth.begin(), depth.end()), 4);
      }
    }
}

}  // namespace
}  // namespace ww::patterns
