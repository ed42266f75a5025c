// When a collective is over, in virtual time or by a model of two machines: the messages of the algorithm that its
// library has for it (src/patterns, whose algorithms and choice are simulation's, too), played on the clocks of
// all ranks. The arithmetic of reductions is left out.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/message_curves.hpp"
#include "patterns/choice.hpp"

namespace ww::interpose {

struct Entered {
  double at_s;
  uint64_t given, got;  // by this rank, as recorded (mpi/collective_calls.hpp)
};

// Who plays: ranks 0 to size - 1, what a message between two of them costs, their hosts by number, and whose
// algorithms. `ports`: the messages pass those of the hosts, or each has one of its own.
// `nonblocking`: the call that begins the collective is not the one that waits for it.
struct Cast {
  int size;
  const void* of;
  const MessageCosts& (*costs)(const void* of, int from, int to);
  int (*host)(const void* of, int rank);
  CollectiveRules rules;
  bool ports;
  bool ports_are_its_own = false;  // or those of virtual_ports.hpp; hosts are numbers below `size` then
  bool nonblocking = false;
};

// Memory of plays, kept from one to the next, so that only larger ones allocate. Not of two at a time.
class PlayMemory {
 public:
  enum Part : uint8_t { sizes, messages, ports, ends, callers, parts };  // callers: free for those of plays
  // What was in it stays. nullptr: no memory.
  void* need(Part part, size_t bytes);

 private:
  void* at_[parts] = {};
  size_t bytes_[parts] = {};
};

// When each rank is done, given when it entered and with how much. `done_s`: as many. False: no memory.
bool play_collective(const Cast& cast, patterns::Operation operation, int root, const Entered* entered,
                     double* done_s, PlayMemory& memory);

// When `rank` is done on the one machine and on the other, if all enter each when they did: who came late finds
// there what the others have sent, and owes what is left of it. When it entered, twice, if there is no memory.
struct Ends {
  double here_s, there_s;
  double later_s() const { return there_s > here_s ? there_s - here_s : 0; }
};
Ends ends_of(const Cast& here, const Cast& there, patterns::Operation operation, int root,
             const Entered* entered, int rank, PlayMemory& memory);

}  // namespace ww::interpose
