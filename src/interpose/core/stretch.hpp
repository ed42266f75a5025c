// Stretches the program's computation, so that everything else becomes faster by comparison (time dilation:
// S3, Antonishek and Snelick, "Emulating a faster network", 1990).
#pragma once
#include <stdint.h>

#include "interpose/core/thread.hpp"

namespace ww::interpose {

// What of the time between two calls was computation.
enum class Meter : uint8_t {
  wall,  // all of it: right where each thread has a core of its own, and for threads of the program's own
  cpu    // what the thread had of a core: right where cores are shared; the program's I/O is not stretched
};

struct StretchPlan {
  double factor = 1;  // of computation: D, divided by how much faster the other machine computes
  Meter meter = Meter::wall;
  // The message library gets on with open operations meanwhile, as it would with a thread of its own for
  // that; else it gets on only inside of calls, as on most machines.
  bool probes = false;
};

// `progress` is called while time passes: inside calls always, since whoever waits there makes progress, and
// in stretches if the plan says so.
void set_stretch(const StretchPlan& plan, double ticks_per_s, void (*progress)());
// From now on by `times` the plan's factor, but not by less than 1.
void change_stretch(double times);

extern StretchPlan stretch_plan;
double ticks_of_ns();  // ticks a nanosecond

// Spins until `target`, or sleeps most of the way, as stretches do, and counts one. Gives the time after it.
uint64_t pass_stretch(uint64_t target, bool may_probe);

// Lets time pass inside a call until `target`; gives the time after it. Who waits for messages makes progress
// with others. Who spends software on one does not: an answer that is given meanwhile overtakes the message
// that the call is about to send, and two large messages that would have met go one after the other.
uint64_t pass_waiting(uint64_t target);
uint64_t pass_in_software(uint64_t target);

// The fact "stretch" of the definitions: stretches made, how late their ends were (spin error), how many
// slept; and how many threads called MPI.
void write_stretch(const char* thread_level);

}  // namespace ww::interpose
