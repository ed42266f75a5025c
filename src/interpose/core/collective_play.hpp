// What collectives cost in virtual time: the messages of the usual algorithm.
//   barrier, small allreduce: recursive doubling (dissemination where the ranks are no power of two);
//   allreduce from 8 KiB on: Rabenseifner's halving and doubling, a ring where they are no power of two;
//   bcast, scatter, reduce, gather: binomial trees; allgather: recursive doubling or a ring; reduce-scatter:
//   by halving or a ring; alltoall: all to all at once; scan: a chain. The arithmetic of reductions is left
//   out.
#pragma once
#include <stdint.h>

#include "interpose/core/costs.hpp"

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
Way way_of_name(const char* call);  // "MPI_Ibcast": bcast; barrier where the name tells nothing

struct Entered {
  double at_s;
  double bytes;  // that this rank gives: to one other in alltoall, from the root in scatter
};

// Who plays: ranks 0 to size - 1, what a message between two of them costs, and their hosts, whose ports
// (virtual_ports.hpp) the messages pass; a host below 0 is as if each message had a port of its own.
struct Cast {
  int size;
  const void* of;
  const MessageCosts& (*costs)(const void* of, int from, int to);
  int (*host)(const void* of, int rank);
};

// When each rank is done, given when it entered and with how much. `done_s`: as many. False: no memory.
bool play_collective(const Cast& cast, Way way, int root, const Entered* entered, double* done_s);

}  // namespace ww::interpose
