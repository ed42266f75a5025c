// The ports of the hosts of the emulated machine, in memory that all ranks share: the messages of all ranks
// of a host pass them one at a time. Ranks come in the order of real time, which is not that of virtual time:
// a message gets what is left free from when it could pass on, in pieces if need be, and what has its time
// keeps it. So no time is left unused while a message waits: when a port is through with all that came
// together is as in any order, which of them was first is not.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/message_curves.hpp"

namespace ww::interpose {

// From the first of a message to the last, in seconds of virtual time.
struct Passage {
  double begin_s, end_s;
};

// What passes a port, and when.
class PortTimes {
 public:
  // The first `length_s` from `from_s` on that are free, in pieces, become taken. What lies before the oldest
  // interval that is remembered counts as free.
  Passage take(double from_s, double length_s);
  // How much of that time is taken, of what is remembered.
  double shared_s(const Passage& with) const;
  void clear() { count_ = 0; }
  // Until when it is taken, of what is remembered; before anything else if nothing is.
  double last_end_s(double otherwise_s) const { return count_ > 0 ? taken_[count_ - 1].end_s : otherwise_s; }

 private:
  static constexpr int most = 250;
  Passage taken_[most];
  int count_;
};

// `memory`: ports_memory(hosts, ranks) zeros, shared by all; it stays the caller's. Hosts and ranks are
// numbers below those.
size_t ports_memory(int hosts, int ranks);
void start_ports(void* memory, int hosts, int ranks);

// A message that is ready at `ready_s` and takes the port for `length_s`. in_windows: costs of a large one, which stands still behind what
// the other host sends if a window is in its way (MessageCosts::stands_still_s); hosts are 0 and 1 then.
Passage pass_sending_port(int host, double ready_s, double length_s,
                          const MessageCosts* in_windows = nullptr);
// Of a port of a play's own, whose times count from `since_s`.
Passage pass_sending_port(PortTimes& port, const PortTimes& back, TcpWindow& window,
                          const MessageCosts& costs, double ready_s, double length_s, double since_s);
// The same of the data of a large one. Its sender and its receiver both ask; who asks first decides.
// `number`: of the messages between the two ranks, from 1; 0 if it is not known. `decided`: becomes true for who did.
Passage data_pass_sending_port(int host, int from_rank, int to_rank, uint32_t number, double ready_s,
                               double length_s, bool* decided = nullptr,
                               const MessageCosts* in_windows = nullptr);
// What so passed the sending port is `head_s` later at the receiving one: when the last of it is through. While that host sends
// both ports are slower (simulate/networks/ports.hpp): `meeting_s` longer if it sends all the while, in part if it does so in
// part. Of what it sends counts what has passed its sending port when this is asked.
double pass_receiving_port(int host, const Passage& sent, double head_s, double length_s, double meeting_s);
double pass_receiving_port(PortTimes& port, const PortTimes& sending, const Passage& sent, double head_s,
                           double length_s, double meeting_s);

}  // namespace ww::interpose
