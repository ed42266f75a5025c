// When a collective is over, in virtual time or by a model of two machines: the messages of the algorithm that its
// library has for it (src/patterns, whose algorithms and choice are simulation's, too), played on the clocks of
// all ranks. The arithmetic of reductions is left out.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/message_curves.hpp"
#include "interpose/core/replies.hpp"
#include "patterns/choice.hpp"

namespace ww::interpose {

struct Entered {
  double at_s;
  uint64_t given, got;  // by this rank, as recorded (mpi/collective_calls.hpp)
  // Until when it read what came before it entered, which is when its last wait was over: on the machine that is played,
  // and, where that is held back, in the library itself.
  double looked_s = 0, really_looked_s = 0;
  // Until when messages outside of plays keep its host's port, there and in the library itself.
  double port_until_s = nothing_s, port_really_until_s = nothing_s;
  static constexpr double nothing_s = -1e300;
};

// When the reply to a request for a large message goes: by the rules of replies.hpp; when both sides are ready, past any data;
// or always behind the data that its rank is asked for itself, so that large messages that meet go one after the other.
enum class Replies : uint8_t { as_read, at_once, in_turn };

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
  // Of an alltoallv or w: bytes from i to k at [i * size + k]; nullptr: each gives all others as much.
  const uint64_t* pairs = nullptr;
  bool really = false;  // on the machine that the program really runs on
  // What was written in plays before lies in front of what is written in this one, and ports of its own are still taken by it, if
  // they have one number, not 0, and count their times from moments that are so far from one another.
  uint64_t communicator = 0;
  double since_s = 0;
  Replies replies = Replies::as_read;
  // Who wants to know of each message that it is sent, and that it came then and is read, for its acknowledgement
  // (lone_acknowledgements.hpp).
  void (*sends)(const void* of, int from, int to, double at_s) = nullptr;
  void (*reads)(const void* of, int from, int to, uint64_t bytes, double came_s, double read_s) = nullptr;
};

// Until when the ports of hosts are taken by what was played before: of one communicator, whose key is not 0. A rank that is not waited
// for (a leaf of a reduction, the root of a broadcast) is many calls ahead on a slow network, and its messages queue for its port.
class PortsLast {
 public:
  struct Until {
    double sending_s, receiving_s;
  };
  // In times of the play that begins at `since_s`. Of a play that began before what was kept, as non-blocking collectives are found
  // done in any order, and of more hosts than are remembered: nothing is taken, before_s.
  Until of(uint64_t communicator, int host, double since_s, double before_s) const {
    const Last& last = last_[place(communicator, host)];
    const bool there =
        communicator != 0 && last.of == communicator && last.host == host && last.since_s <= since_s;
    if (!there) return {before_s, before_s};
    return {last.until.sending_s - since_s, last.until.receiving_s - since_s};
  }
  void note(uint64_t communicator, int host, double since_s, Until until) {
    Last& last = last_[place(communicator, host)];
    if (last.of == communicator && last.host == host && last.since_s > since_s) return;
    last = {communicator, host, since_s, {since_s + until.sending_s, since_s + until.receiving_s}};
  }

 private:
  struct Last {
    uint64_t of;
    int host;
    double since_s;
    Until until;
  };
  static constexpr unsigned remembered = 256;
  static unsigned place(uint64_t communicator, int host) {
    return (static_cast<unsigned>(communicator) * 61u + static_cast<unsigned>(host)) % remembered;
  }
  Last last_[remembered] = {};
};

// What plays of one machine leave to those after them.
struct PlayedLast {
  WrittenLast written;
  PortsLast ports;
  TcpWindow windows[2];  // of the first of two ranks, and of the other
};

// Memory of plays, kept from one to the next, so that only larger ones allocate. Not of two at a time.
class PlayMemory {
 public:
  // callers: free for those of plays
  enum Part : uint8_t { sizes, messages, ports, reading, agenda, ends, callers, parts };
  // What was in it stays. nullptr: no memory.
  void* need(Part part, size_t bytes);
  PlayedLast last[2];  // by Cast::really
  // Of ends_of: what lay in front, and then what really happened.
  PlayedLast before, happened;
  bool replies_mattered =
      false;  // of the latest play: large messages were in it whose replies may lie behind data

 private:
  void* at_[parts] = {};
  size_t bytes_[parts] = {};
};

// When each rank is done, given when it entered and with how much. `done_s`: as many. False: no memory.
bool play_collective(const Cast& cast, patterns::Operation operation, int root, const Entered* entered,
                     double* done_s, PlayMemory& memory);

// When `rank` is done on the one machine and on the other, if all enter each when they did: who came late finds
// there what the others have sent, and owes what is left of it. When it entered, twice, if there is no memory.
// `back_s`: when it really came back, or 0 where that is not when it was done. Whether large messages go at once or one after the other is decided within
// microseconds, so of what may have happened here that is taken which took as long.
struct Ends {
  double here_s = 0, there_s = 0;
  double here_looked_s = 0, there_looked_s = 0;  // until when it read there what came
  double later_s() const { return there_s > here_s ? there_s - here_s : 0; }
};
Ends ends_of(const Cast& here, const Cast& there, patterns::Operation operation, int root,
             const Entered* entered, int rank, PlayMemory& memory, double back_s);

}  // namespace ww::interpose
