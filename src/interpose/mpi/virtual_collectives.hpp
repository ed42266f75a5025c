// What collectives cost in virtual time: the messages of the usual algorithm, played by every rank for all.
//   barrier, small allreduce: recursive doubling (dissemination where the ranks are no power of two);
//   allreduce from 8 KiB on: reduce-scatter and allgather by halving, a ring where they are no power of two;
//   bcast, scatter, reduce, gather: binomial trees; allgather: recursive doubling or a ring; reduce-scatter:
//   by halving or a ring; alltoall: all to all at once; scan: a chain. The arithmetic of reductions is left
//   out.
#pragma once
#include <stdint.h>

#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

enum class Way : uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce_scatter,
  scan
};

void know_collectives();  // which call is which, by its name
Way way_of(uint16_t call);

struct Entered {
  double at_s;
  double bytes;  // that this rank gives: to one other in alltoall, from the root in scatter
};
// When this rank is done. `entered`: of all ranks of the communicator. 0: no memory.
double done_at(const KnownComm& comm, Way way, int root, const Entered* entered);

}  // namespace ww::interpose
