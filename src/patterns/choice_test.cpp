// The libraries' choices at their switch points: Open MPI 4.1.4's coll_tuned_decision_fixed.c, and MPICH 4.0.2's
// maint/tuning/coll.
#include "patterns/choice.hpp"

#include <gtest/gtest.h>

#include "patterns/algorithms.hpp"

namespace ww::patterns {
namespace {

// MPI's names of calls, their non-blocking and persistent forms.
TEST(Operations, AreKnownByTheNamesOfCalls) {
  EXPECT_EQ(operation_of_call("MPI_Ibcast"), Operation::bcast);
  EXPECT_EQ(operation_of_call("MPI_Reduce_scatter_block"), Operation::reduce_scatter_block);
  EXPECT_EQ(operation_of_call("MPI_Ireduce_scatter"), Operation::reduce_scatter);
  EXPECT_EQ(operation_of_call("MPI_Reduce"), Operation::reduce);
  EXPECT_EQ(operation_of_call("MPI_Allgatherv"), Operation::allgatherv);
  EXPECT_EQ(operation_of_call("MPI_Alltoallw_init"), Operation::alltoallw);
  EXPECT_EQ(operation_of_call("MPI_Exscan"), Operation::exscan);
  EXPECT_EQ(operation_of_call("MPI_Comm_dup"), Operation::barrier);
}

TEST(Choice, OfOpenMpi414) {
  EXPECT_EQ(open_mpi_rule(Operation::barrier, 2, 0), &barrier_recursive_doubling);
  EXPECT_EQ(open_mpi_rule(Operation::barrier, 4, 0), &barrier_linear);
  EXPECT_EQ(open_mpi_rule(Operation::barrier, 100, 0), &barrier_bruck);
  EXPECT_EQ(open_mpi_rule(Operation::bcast, 2, 31), &bcast_chain);
  EXPECT_EQ(open_mpi_rule(Operation::bcast, 2, 32), &bcast_binary_tree);
  EXPECT_EQ(open_mpi_rule(Operation::bcast, 20, 1 << 20), &bcast_scatter_allgather);
  EXPECT_EQ(open_mpi_rule(Operation::reduce, 2, 100), &reduce_linear);
  EXPECT_EQ(open_mpi_rule(Operation::allreduce, 2, 8), &allreduce_recursive_doubling);
  EXPECT_EQ(open_mpi_rule(Operation::allreduce, 3, 4096), &allreduce_ring);
  EXPECT_EQ(open_mpi_rule(Operation::allreduce, 8, 8192), &allreduce_rabenseifner);
  EXPECT_EQ(open_mpi_rule(Operation::allgather, 32, 1024), &allgather_neighbor_exchange);
  EXPECT_EQ(open_mpi_rule(Operation::alltoall, 4, 600000), &alltoall_pairwise);
  EXPECT_EQ(open_mpi_rule(Operation::alltoall, 100, 1000), &alltoall_bruck);
  EXPECT_EQ(open_mpi_rule(Operation::scan, 9, 8), &scan_linear);
}

// Before an algorithm that cannot do it (too few elements, no power of two, an odd number) is replaced.
TEST(Choice, OfOpenMpiWhereTheTableNamesWhatCannotBe) {
  EXPECT_EQ(open_mpi_choice(Operation::allgather, 33, 1024, 1024), &allgather_ring);
  EXPECT_EQ(open_mpi_rule(Operation::allgather, 33, 1024), &allgather_neighbor_exchange);
}

// Sizes and members at which ompi/mca/coll/libnbc/nbc_i*.c of v4.1.4 takes another algorithm.
TEST(Choice, OfOpenMpiWhereNonblocking) {
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::bcast, 4, 1 << 20), &bcast_linear);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::bcast, 5, 65535), &bcast_binomial_tree);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::bcast, 5, 65536), &bcast_pipeline);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::allreduce, 3, 1 << 20), &allreduce_binomial_tree);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::allreduce, 4, 65528), &allreduce_binomial_tree);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::allreduce, 4, 65536), &allreduce_rabenseifner);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::reduce, 2, 65535), &reduce_binomial_tree);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::reduce, 2, 65536), &reduce_pipeline);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::reduce, 3, 16), &reduce_scatter_gather);
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::reduce, 8, 8), &reduce_binomial_tree) << "one element";
  EXPECT_EQ(open_mpi_nonblocking_choice(Operation::alltoall, 2, 1 << 20), &alltoall_linear);
}

TEST(Choice, OfMpich402) {
  const auto chosen = [](Operation operation, int members, uint64_t bytes) {
    return mpich_choice(operation, members, bytes, elements(bytes));
  };
  EXPECT_EQ(chosen(Operation::bcast, 7, 1 << 20), &bcast_binomial_blocking);
  EXPECT_EQ(chosen(Operation::bcast, 8, 12288), &bcast_binomial_blocking);
  EXPECT_EQ(chosen(Operation::bcast, 8, 12289), &bcast_scatter_doubling_allgather);
  EXPECT_EQ(chosen(Operation::bcast, 8, 524288), &bcast_scatter_doubling_allgather);
  EXPECT_EQ(chosen(Operation::bcast, 8, 524289), &bcast_scatter_ring_allgather);
  EXPECT_EQ(chosen(Operation::bcast, 9, 12289), &bcast_scatter_ring_allgather);
  EXPECT_EQ(chosen(Operation::reduce, 4, 2048), &reduce_binomial_blocking);
  EXPECT_EQ(chosen(Operation::reduce, 4, 2056), &reduce_scatter_gather);
  EXPECT_EQ(chosen(Operation::reduce, 1024, 4096), &reduce_binomial_blocking)
      << "fewer elements than members";
  EXPECT_EQ(chosen(Operation::allreduce, 4, 8), &allreduce_recursive_doubling);
  EXPECT_EQ(chosen(Operation::allreduce, 4, 24), &allreduce_recursive_doubling) << "three elements";
  EXPECT_EQ(chosen(Operation::allreduce, 2, 12), &allreduce_recursive_doubling) << "one MPI_DOUBLE_INT";
  EXPECT_EQ(chosen(Operation::allreduce, 4, 32), &allreduce_reduce_scatter_allgather);
  EXPECT_EQ(chosen(Operation::allgather, 8, 524287), &allgather_recursive_doubling);
  EXPECT_EQ(chosen(Operation::allgather, 8, 524288), &allgather_ring);
  EXPECT_EQ(chosen(Operation::allgather, 6, 81919), &allgather_bruck);
  EXPECT_EQ(chosen(Operation::allgather, 6, 81920), &allgather_ring);
  EXPECT_EQ(chosen(Operation::alltoall, 7, 32768), &alltoall_scattered);
  EXPECT_EQ(chosen(Operation::alltoall, 7, 32769), &alltoall_pairwise);
  EXPECT_EQ(chosen(Operation::alltoall, 8, 256), &alltoall_bruck);
  EXPECT_EQ(chosen(Operation::alltoall, 8, 257), &alltoall_scattered);
  EXPECT_EQ(chosen(Operation::reduce_scatter, 8, 524287), &reduce_scatter_recursive_halving);
  EXPECT_EQ(chosen(Operation::reduce_scatter_block, 8, 524288), &reduce_scatter_pairwise);

  EXPECT_EQ(mpich_levels(Operation::bcast, 8, 8, 8), Levels::flat) << "nobody shares a host";
  EXPECT_EQ(mpich_levels(Operation::bcast, 4, 2, 1 << 20), Levels::alpha);
  EXPECT_EQ(mpich_levels(Operation::bcast, 8, 2, 12287), Levels::alpha);
  EXPECT_EQ(mpich_levels(Operation::bcast, 8, 2, 12288), Levels::beta);
  EXPECT_EQ(mpich_levels(Operation::bcast, 8, 2, 524288), Levels::flat);
  EXPECT_EQ(mpich_levels(Operation::bcast, 9, 2, 12288), Levels::flat);
  EXPECT_EQ(mpich_levels(Operation::reduce, 8, 2, 2048), Levels::beta);
  EXPECT_EQ(mpich_levels(Operation::reduce, 8, 2, 2049), Levels::alpha);
  EXPECT_EQ(mpich_levels(Operation::allreduce, 8, 1, 8), Levels::shared_memory);
  EXPECT_EQ(mpich_levels(Operation::allreduce, 8, 2, 8), Levels::alpha);
  EXPECT_EQ(mpich_levels(Operation::alltoall, 8, 2, 8), Levels::flat);
}

}  // namespace
}  // namespace ww::patterns
