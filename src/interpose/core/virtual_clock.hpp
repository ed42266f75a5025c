// Virtual time: the program runs at full speed on whatever cores there are, and each process keeps a clock of
// how late it would be on the machine that is asked for. Between calls it advances by the processor time of
// the calling thread (over how much faster the other machine computes), so that it does not matter who else
// uses the cores. A message carries when it leaves; its receive is complete at
// max(own clock, arrival) + receive, the rule of Lamport's clocks with the costs of a message in it.
//
//   eager:      ready for its sender's port after send(n)
//   rendezvous: ready at max(clock after send(n) + reply / 2, receive posted) + reply / 2
//
// From then on it passes the sending host's port and, head(n) = flight - reply - port later, the receiving
// one's, port(n) seconds of either (virtual_ports.hpp); it has arrived when the last of it is through. A
// blocking send of a large message lasts until its system has what is not out (MessageCosts::sent_s), its wait as long if it does not block.
//
// A large message moves as soon as both sides are ready, whatever they do then. Orders that real time decides
// (wildcards, tests) stay those of this run; they are counted.
#pragma once
#include <stdint.h>

#include "interpose/core/message_curves.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/virtual_ports.hpp"

namespace ww::interpose {

// `origin_ticks` is the 0 of all ranks, which begin there, or of a task that began later so long after it. `compute`: how
// much faster the other machine computes.
void start_virtual_clock(uint64_t origin_ticks, double ticks_per_s, double compute, double at_s = 0);
void stop_virtual_clock();

// The thread enters a call: what it computed is added. As ticks.
uint64_t enter_virtually(Thread& thread);
// leave_virtually (thread.hpp): it leaves the call, and computes from now on.
// The program asks for the time between calls.
double virtual_now_at_question(Thread& thread);
void add_virtual_sleep(Thread& thread, double seconds);  // that the thread slept since enter_virtually
// Inside of a call: what the library had of the processor since is the program's, too.
void add_virtual_work(Thread& thread);

double virtual_now_s();
double virtual_looked_s();  // when the latest wait was over: until then the rank read what came (replies.hpp)
// The clocks at the end of the recording: not before the last record. As given without virtual time.
ClockPair virtually_later(ClockPair real);
void reach_virtually(double at_s);      // not before
void reach_at_leave(double at_s);       // the call that the thread is in does not return before
void stayed_virtually(double until_s);  // its latest wait lasted until then, and all since is later
void reads_virtually();                 // it reads what has come, without waiting
// From that size on messages to oneself make a rank read what has come (Library::own_messages_read_from_bytes); 0: of no size.
void own_messages_read_virtually(uint64_t from_bytes);
void found_nothing();       // a test or a probe did: what follows until the next one is polling
double virtual_polled_s();  // processor time between such tests, which is not in the clock

// One message of n bytes.
struct Leaving {
  Passage out;  // eager: through the port; rendezvous: of its request, which takes no time there
  bool rendezvous;
};
// Adds send(n) to the clock. Ranks: all of the machine's; of streams (virtual_streams.hpp) that have been started.
Leaving leave_by_port(const MessageCosts& costs, uint64_t bytes, int host, int from_rank, int to_rank);

// The messages that one call received, in any order: in the order of their arrival at this host's port.
class VirtualArrivals {
 public:
  ~VirtualArrivals() { settle(); }
  // `sent`: through its sender's port; `host`: this one. Ranks as of leave_by_port. The costs must outlive this.
  void add(const MessageCosts& costs, uint64_t bytes, const Passage& sent, int host, int from_rank,
           int to_rank);

 private:
  void settle();
  struct Arrival {
    Passage sent;
    const MessageCosts* costs;
    uint64_t bytes;
    int from_rank, to_rank;
    double head_s, port_s;
    double begin_s() const { return sent.begin_s + head_s; }
    bool reads(bool unread) const;
  };
  static constexpr int most = 256;
  Arrival arrival_[most];
  int count_ = 0, host_ = 0;
};

}  // namespace ww::interpose
