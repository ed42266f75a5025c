// Virtual time (core/virtual_clock.hpp) in terms of PVM. Nothing of this is called without virtual_time, but for begin_virtual_tasks.
//
// All tasks count from one instant, the first one's enrolment. A task that another one spawned begins where that one's clock was when it
// called pvm_spawn, and as much later as it really came. Messages are the model's; none waits for its receiver, since PVM buffers all. What libpvm3
// works for the program in other calls (packing, say) is processor time like the program's own; where such a call waits for a daemon it
// takes what it takes here.
//
// Daemons have no clock, and what they tell is that tasks have ended: it comes no earlier than those did. Nor has a group server that runs
// since an earlier run: what comes from such takes as long as was really waited for it, but of a barrier all of a group's tasks tell each other
// when they came to it.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/stamps.hpp"

namespace ww::interpose {

struct VirtualTasksPlan {
  double compute = 1;
  int tasks_per_host = 0;  // by place; 0: the hosts are the real ones
};

size_t virtual_tasks_memory(int tasks);
// `memory`: that many zeros, shared by all; it stays the caller's. `place`: this task's among `tasks`. `parent`: the place of who spawned it,
// -1: nobody that is known.
void begin_virtual_tasks(void* memory, int tasks, int place, int tid, int parent,
                         const VirtualTasksPlan& plan, double ticks_per_s);
uint64_t since_virtual_zero_ns();  // really
int virtual_host_of(int place, int tid);

// For those who hear of its end.
void tell_virtual_clock(bool has_ended);

// Around a call that moves messages; the processor time in between is the model's.
void begin_messages();
void end_messages();
// At the end of any other call: what it had of the processor counts.
void worked_in_call();
// libpvm3 is in the system for something that is no message: it takes as long as it really does.
class WaitsOutside {
 public:
  WaitsOutside();
  ~WaitsOutside();
  WaitsOutside(const WaitsOutside&) = delete;
  WaitsOutside& operator=(const WaitsOutside&) = delete;

 private:
  uint64_t begin_ns_ = 0;  // 0: of a message
};

// Of the task `tid`, at that place.
void departs_virtually(int place, int tid, int tag, uint64_t bytes);
void arrives_virtually(int place, int tid, const Stamp& stamp);
void arrives_unstamped(int place, int tid, uint64_t bytes);
void found_by_probe(int place, int tid, const Stamp& stamp);
// A receive from any task took this one: whether it is earlier than one that such a receive took before.
void took_any(int asked_tag, int from_place, const Stamp& stamp);
// A wait that was to end then (0: at once, and it is a test) found nothing, or a message.
void waited_in_vain(double at_most_s);
void waited_at_most(double at_most_s);

// Around pvm_spawn.
void spawning();
void spawned(int place);
void spawn_is_over();

// Around pvm_barrier.
void comes_to_barrier(const char* group);
void leaves_barrier(bool was_one);

}  // namespace ww::interpose
