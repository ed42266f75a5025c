// When a collective is over in virtual time: the messages of the algorithm that its library has for it
// (src/patterns, whose algorithms and choice are simulation's, too), played on the clocks of all ranks. The
// arithmetic of reductions is left out.
#pragma once
#include <stdint.h>

#include "interpose/core/message_curves.hpp"
#include "patterns/choice.hpp"

namespace ww::interpose {

struct Entered {
  double at_s;
  uint64_t given, got;  // by this rank, as recorded (mpi/collective_calls.hpp)
};

// Who plays: ranks 0 to size - 1, what a message between two of them costs, their hosts by number, and whose
// algorithms. `ports`: the messages pass those of the hosts (virtual_ports.hpp), or each has one of its own.
struct Cast {
  int size;
  const void* of;
  const MessageCosts& (*costs)(const void* of, int from, int to);
  int (*host)(const void* of, int rank);
  CollectiveRules rules;
  bool ports;
};

// When each rank is done, given when it entered and with how much. `done_s`: as many. False: no memory.
bool play_collective(const Cast& cast, patterns::Operation operation, int root, const Entered* entered,
                     double* done_s);

}  // namespace ww::interpose
