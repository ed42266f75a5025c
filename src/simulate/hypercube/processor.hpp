// A node's processor: one process, and interrupts, which come first. What it is doing goes on at the speed
// that the active channels leave it.
#pragma once
#include <deque>
#include <functional>
#include <optional>

#include "simulate/hypercube/agenda.hpp"
#include "simulate/hypercube/memory.hpp"

namespace ww::simulate::hypercube {

class Processor {
 public:
  using Then = std::function<void()>;
  Processor(Agenda& agenda, const Memory& memory) : agenda_(agenda), memory_(memory) {}

  // Work at full speed, in seconds. Interrupts are served first come first served; the process has one piece
  // of work at a time, which they hold up.
  void interrupt(double work_s, Then then);
  void work(double work_s, Then then);
  void channels(int more_receiving, int more_sending);  // that are active

  double sending_speed() const { return memory_.sending_speed(receiving_ + sending_); }

  double interrupts_s() const { return interrupts_s_; }  // spent in them
  double full_s() const { return full_s_; }              // that its memory was full

 private:
  struct Work {
    double left_s = 0;
    Then then;
  };
  Work* current() { return !interrupts_.empty() ? &interrupts_.front() : process_ ? &*process_ : nullptr; }
  void settle();  // accounts for the time since the last change
  void plan();    // puts the end of the current work on the agenda
  void finish(std::uint64_t plan);

  Agenda& agenda_;
  const Memory& memory_;
  std::deque<Work> interrupts_;
  std::optional<Work> process_;
  int receiving_ = 0, sending_ = 0;
  double since_s_ = 0, interrupts_s_ = 0, full_s_ = 0;
  std::uint64_t plan_ = 0;  // the last one; what was planned before it is void
};

}  // namespace ww::simulate::hypercube
