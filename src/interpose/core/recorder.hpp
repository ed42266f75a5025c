// The life of the recorder in one process: what it was asked for, when it is on, how it ends.
#pragma once
#include <stdint.h>

#include "interpose/core/selection_control.hpp"
#include "interpose/core/spool_writer.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

// What the environment asks for (environment.hpp), read when the message library is initialised.
struct Wishes {
  const char* spool_dir = nullptr;
  double dilation = 1;        // D
  StretchPlan stretch;        // of computation
  bool injects = false;       // something is added to messages
  bool virtual_time = false;  // virtual_clock.hpp
  double compute = 1;         // of it
  int ranks_per_host = 0;     // of it
  bool stamps = false;        // when messages departed is to be known
  bool wire_follows = false;  // environment.hpp
  bool real_clock = false;    // the program is to see real time although it is dilated
  RecordSelection selection;
  // Runs as if something were different; D can be 1, where only something is slower.
  bool emulates() const { return dilation > 1 || stretch.factor > 1 || injects || virtual_time; }
  bool any() const { return spool_dir != nullptr || emulates(); }
};
Wishes read_wishes();

bool seen_in_use();       // MPI was, by start(), in this process or in one that it was forked from
const char* spool_dir();  // "" when nothing is recorded
int world_rank();         // -1: of a task
const ProcessName& process_name();

// The number of this process's MPI_COMM_WORLD among those that record into the directory, taken by its rank
// 0: 0 is the first, 1 and up are those spawned by its processes, -1 (noted for the reader) one that has
// nothing to do with the first, or for which there is no place.
int claim_world(const char* spool_dir, bool spawned);

// Turns recording and dilation on for this process, one of `ranks`. False: neither is possible, and the program
// runs as if alone.
bool start(const Wishes& wishes, int world, int rank, int ranks, bool threads_call_at_once);

// The same for a process that has no rank but an address, of a program of about so many tasks. If the directory
// has one of that address already, this one is noted for the reader as one that was not recorded.
bool start_task(const Wishes& wishes, uint64_t address, int tasks, bool threads_call_at_once);

// The same for a daemon of a library, which is none of the program's processes: nothing but `spool_dir` is heeded.
bool start_daemon(const char* spool_dir);

// What finish calls first, while records are still taken: the latest first, each once. At most four.
void call_before_finish(void (*call)());
// Writes the "end" definition and the diagnostics, once; lets go of the spools when the program can make no
// more calls. `before_it_is_told`: done ahead of the "end", for who reads the spools as soon as that is there.
void finish(const char* reason, void (*before_it_is_told)() = nullptr);

// What the process had of the processor between these two calls, for the "usage" definition: a sign of
// whether its times are its own or those of a shared core.
void begin_usage();
void end_usage();

// Facts of the machine for the "process" definition; "" when unknown. `size` counts the closing 0.
void read_boot_id(char* text, int size);
void read_program_name(char* text, int size);

}  // namespace ww::interpose
