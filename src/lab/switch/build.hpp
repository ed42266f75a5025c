// Makes the lab's namespaces and networks. Everything hangs on the descriptors that the switch holds: network
// namespaces without names, TAPs and bridges inside them. When the switch ends, however it ends, the kernel
// takes all of it away, so that nothing can be left behind.
#pragma once
#include <vector>

#include "lab/lab_plan.hpp"
#include "lab/switch/kernel_wire.hpp"
#include "lab/switch/pump.hpp"

namespace ww::lab {

struct Built {
  int hub = -1;            // network namespace of the bridges
  std::vector<int> hosts;  // network namespaces
  std::vector<int> taps;   // of a switch in user space and of a bus; non-blocking
  KernelWire kernel;       // of WireKind::kernel
  std::vector<Mac> macs;
  bool own_user_namespace = false;
};

// Those that this process may use, in order: the k-th is the k-th host's, in turn. Empty: not known.
std::vector<int> usable_cores();

// Of a wire as the switch plays it.
WireTimes times_of(const SwitchWire& wire);

// Errors: no right to make namespaces or TAPs (with the remedy); a failing ip or tc, with what it said.
Result<Built> build(const Plan& plan);

// The queue of every host's card. A TAP takes frames as fast as they come and thereby lets the socket forget
// them, so that TCP small queues do not hold, megabytes pile up behind the TAP, and acknowledgements wait
// behind all of it. A tbf of exactly the wire's rate, each frame counted with its 24 bytes (held_queue.hpp), holds
// them instead: about two frames of a connection wait there, as with a real card, and acknowledgements pass on
// time. Its burst (300 us, at least three frames, and what a card hands over at once) keeps it always ahead of the
// switch, which alone decides when a frame is where. Measured: one connection, both directions at once, 94.1% and 93.3% of 10 and 100
// Mb/s each way (94.1% is what headers leave), and 92.3% with three frames at once (less an acknowledgement for each). Above 250 Mb/s the kernel's timer for each frame costs more
// than it gives (1 Gb/s on a virtual machine: 1 MiB in 13.4 ms with, 9.6 ms without it), and the frames wait
// in the TAP's ring. On a tbf wire the tbf is the wire itself. And how many frames a card hands over at once (CardPiece).
Result<void> set_queues(const Plan& plan, const Built& built, const SwitchWire& wire);

}  // namespace ww::lab
