#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"

namespace ww::patterns {
namespace {

constexpr uint64_t large_bytes = 65536;

const Algorithm* reduction(int members, uint64_t bytes) {
  if (members > 2 && elements(bytes) >= static_cast<uint64_t>(largest_power_in(members)))
    return &reduce_scatter_gather;
  return members > 4 || bytes < large_bytes ? &reduce_binomial_tree : &reduce_pipeline;
}

const Algorithm* reduction_for_all(int members, uint64_t bytes) {
  if (members < 4 || bytes < large_bytes) return &allreduce_binomial_tree;
  return elements(bytes) >= static_cast<uint64_t>(largest_power_in(members)) ? &allreduce_rabenseifner
                                                                             : &allreduce_ring;
}

}  // namespace

// Facts of ompi/mca/coll/libnbc/nbc_i*.c, v4.1.4.
const Algorithm* open_mpi_nonblocking_choice(Operation operation, int members, uint64_t bytes) {
  switch (operation) {
    case Operation::barrier:
      return &barrier_dissemination;
    case Operation::bcast:
      return members <= 4 ? &bcast_linear : bytes < large_bytes ? &bcast_binomial_tree : &bcast_pipeline;
    case Operation::reduce:
      return reduction(members, bytes);
    case Operation::allreduce:
      return reduction_for_all(members, bytes);
    case Operation::allgather:
    case Operation::allgatherv:
      return &allgather_linear;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return &alltoall_linear;
    case Operation::gather:
    case Operation::gatherv:
      return &gather_linear_nonblocking;
    case Operation::scatter:
    case Operation::scatterv:
      return &scatter_linear_nonblocking;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return &reduce_scatter_binomial_tree;
    case Operation::scan:
    case Operation::exscan:
      return &scan_linear;
  }
  return nullptr;
}

}  // namespace ww::patterns
