// The lab's wire within the kernel (--wire kernel): the same store-and-forward switch as in user space, without a thread to wake for a
// frame. Each host's card and each port of the hub's bridge has a queue (tc-htb(8)) that lets frames go in order, and a program (eBPF) that
// says when: it puts a filler before each frame, as long as the queue should wait for the frame's end. A byte of a queue is 200 ns, whatever
// the wire's rate is; a frame itself counts as one byte, and fillers, which are longer than the MTU, end
// behind the queue, as the interface's dropped frames.
//
// When frames go is the schedule of PortSchedule: a link takes frames one after the other, each for as long as its bytes take; a port
// begins when the frame should have come, not when it did. Where a timer is late the queue catches up, up to `covered_ns`.
#pragma once
#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "lab/lab_plan.hpp"
#include "lab/switch/lateness.hpp"
#include "lab/switch/timetable.hpp"

namespace ww::lab {

// What the kernel's programs and the switch's process have in common (kernel_wire.cpp).
struct WireLink;
struct WireMemory;

class KernelWire {
 public:
  // Frames that a card may hand over at once: fillers are longer than they are together.
  static constexpr int most_frames = 4;
  // As late the kernel's timers may be before the wire falls idle: a millisecond, in whole ticks of tc's clock (64 ns).
  static constexpr std::int64_t covered_ns = 1'024'000;

  KernelWire() = default;  // no wire
  // ports: of the hub's bridge, by host; hosts' interfaces are called wire_interface; cores: on which what comes from and for a host is
  // taken in, in turn (any other that has sent it would put frames of a stream out of order). Errors: no right to, a kernel that cannot.
  static Result<KernelWire> attach(int hub, const std::vector<int>& hosts,
                                   const std::vector<std::string>& ports, const std::vector<int>& cores,
                                   const WireTimes& wire);
  explicit operator bool() const { return memory_ != nullptr; }
  // Holds from the next frame on.
  void set(const WireTimes& wire);
  // Adds what is counted since the lab is up, of frames that reached their host.
  void count(Counters& counters) const;

 private:
  WireLink* links() const;
  WireMemory* memory_ = nullptr;  // of the kernel's programs, too
  std::size_t hosts_ = 0;
};

}  // namespace ww::lab
