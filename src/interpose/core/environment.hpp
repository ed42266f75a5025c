// The environment variables through which `whatwire` tells the preloaded library what to do.
// This header pulls in nothing.
#pragma once

namespace ww::environment {

inline constexpr const char* spool_dir =
    "WW_SPOOL_DIR";  // absolute; absent: the library stays out of the way
// In the spool directory: the version of the MPI of a program that is not of the library's MPI and so is left
// alone.
inline constexpr const char* other_mpi_file = "other-mpi";
// In the spool directory, a line of each: the programs that the library was loaded into (of PVM's recorder, those without the shared
// libpvm3); those in which MPI was initialised by other means than the functions that it wraps.
inline constexpr const char* loaded_file = "loaded";
inline constexpr const char* init_unseen_file = "init-unseen";
// Which MPI_Comm_spawn started this process: WORLD.RANK.NUMBER of its root, as in the definitions.
inline constexpr const char* spawned = "WW_SPAWNED";
inline constexpr const char* dilation = "WW_DILATION";  // D >= 1, decimal; absent: 1
// What computation is stretched by, decimal: D, over how much faster the other machine computes; absent: D.
inline constexpr const char* stretch = "WW_STRETCH";
// "1": if the program sets another D (own_dilation.hpp), the wire that it emulates is that many times as fast as this
// machine's, and not what the target's costs say of it.
inline constexpr const char* wire_follows = "WW_WIRE_FOLLOWS";
inline constexpr const char* meter = "WW_METER";        // "wall" (default) or "cpu": stretch.hpp
inline constexpr const char* progress = "WW_PROGRESS";  // "calls" (default) or "probes": stretch.hpp
// "1": ranks tell each other when messages departed (stamps.hpp).
inline constexpr const char* stamps = "WW_STAMPS";
// What messages cost on this machine, and on the one that the program is to run as if it were on (message_curves.hpp):
// if both are there, what the first is quicker by is added (injection.hpp).
inline constexpr const char* machine_inter = "WW_MACHINE_INTER";
inline constexpr const char* machine_intra = "WW_MACHINE_INTRA";
inline constexpr const char* target_inter = "WW_TARGET_INTER";
inline constexpr const char* target_intra = "WW_TARGET_INTRA";
inline constexpr const char* costs[] = {machine_inter, machine_intra, target_inter, target_intra};
// "1": no real time is added, each process keeps a virtual clock (virtual_clock.hpp). It needs the target's
// costs.
inline constexpr const char* virtual_time = "WW_VIRTUAL";
inline constexpr const char* compute = "WW_COMPUTE";  // how much faster the other machine computes; absent: 1
// So many ranks, in their order, are to be on one host of the other machine; absent: those that are now.
inline constexpr const char* ranks_per_host = "WW_RANKS_PER_HOST";
inline constexpr const char* program_clock =
    "WW_CLOCK";  // "dilated" (default) or "real": what the program sees
// What of the run is recorded; absent: all of it (selection_control.hpp).
inline constexpr const char* calls = "WW_CALLS";  // names of calls and classes, by comma
inline constexpr const char* call_classes[] = {"p2p",       "collective", "communicator",
                                               "one-sided", "io",         "other"};
inline constexpr const char* start = "WW_START";              // seconds after MPI_Init, decimal
inline constexpr const char* max_records = "WW_MAX_RECORDS";  // of each thread
inline constexpr const char* durable = "WW_DURABLE";          // "1": on disk before the call returns
// Patterns of functions that are recorded as regions (base/function_pattern.hpp); absent: none. functions_counted "1": only counted.
inline constexpr const char* functions = "WW_FUNCTIONS";
inline constexpr const char* functions_counted = "WW_FUNCTIONS_COUNTED";
// Milliseconds between looks at the process's memory, decimal; absent: none.
inline constexpr const char* memory_interval = "WW_MEMORY";

// Of a daemon of the library (pvmd): where it records, absolute; absent: it does not. By a name of its own, since what a
// daemon starts has its environment.
inline constexpr const char* daemon_spool_dir = "WW_DAEMON_SPOOL_DIR";
inline constexpr const char* daemon_prefix = "daemon-";  // of its files' names; a number follows
// The name of a fact in a copy of its definitions: it serves other programs too, and goes on when one has ended.
inline constexpr const char* daemon_of_user = "of_user";

// Seconds between exchanges of clocks between hosts while the program runs, decimal; absent: 30, with stamps 2; 0:
// none.
inline constexpr const char* clock_interval = "WW_CLOCK_INTERVAL";

// What a process that the program spawns must have of these to be treated like the one that spawns it.
inline constexpr const char* passed_on[] = {spool_dir,     dilation,          stretch,        meter,
                                            progress,      program_clock,     calls,          start,
                                            max_records,   durable,           clock_interval, stamps,
                                            machine_inter, machine_intra,     target_inter,   target_intra,
                                            virtual_time,  compute,           ranks_per_host, wire_follows,
                                            functions,     functions_counted, memory_interval};
// In the spool directory: made by rank 0 of the world that records there, and by that of every further job
// of the launch (other_job_prefix and a number), which is not recorded.
inline constexpr const char* world_claim = "world-0";
inline constexpr const char* other_job_prefix = "other-job-";

}  // namespace ww::environment
