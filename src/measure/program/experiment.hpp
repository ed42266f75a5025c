// One experiment a file, registered in one line below; measure_main.cpp runs them.
#pragma once
#include "measure/program/group.hpp"
#include "measure/program/session.hpp"

namespace ww::measure {

enum class When {
  always,     // in every launch: what differs from launch to launch more than within one
  first,      // in the first launch
  full_first  // in the first launch, and not with --quick
};

// Of a pair of ranks.
struct Experiment {
  const char* name;
  const char* shows;  // for the progress line
  double share;       // of the time budget
  When when;
  // The leader's part. It may use `budget_s` seconds, ends by itself, and sends the stop order last.
  void (*lead)(Session& session, double budget_s);
  void (*follow)(Session& session);  // the follower's part, until the stop order
};

// Each uses what those before it found out.
extern const Experiment warm_up, eager_threshold, wire_bytes, ping_pong;
// Those of collectives; PVM's are what programs make of its messages. Those of daemons, which MPI's messages do not pass.
#ifdef WW_MPI_BY_PVM
#define WW_OF_COLLECTIVES(ONE)
#define WW_OF_GROUPS_COLLECTIVES(ONE)
#define WW_OF_DAEMONS(ONE) ONE(forwarding)
#else
#define WW_OF_COLLECTIVES(ONE) ONE(reduction)
#define WW_OF_GROUPS_COLLECTIVES(ONE) ONE(collectives)
#define WW_OF_DAEMONS(ONE)
#endif
// In any order: one line an experiment, whose file defines it.
#define WW_EXPERIMENTS(ONE)   \
  ONE(software_costs)         \
  ONE(two_way)                \
  ONE(sender_progress)        \
  ONE(sent_ahead)             \
  ONE(fine_sweep)             \
  ONE(message_rate)           \
  ONE(underlying_computation) \
  ONE(parametrised)           \
  ONE(overlap)                \
  ONE(after_computation)      \
  ONE(busy)                   \
  WW_OF_COLLECTIVES(ONE)

#define WW_DECLARE(name) extern const Experiment name;
WW_EXPERIMENTS(WW_DECLARE)
#undef WW_DECLARE

// Message sizes of S1's experiments, and a longer one.
inline constexpr std::int64_t underlying_sizes[] = {16, 500, 1000, 1500, 2000, 8000};

// Of all ranks, which all call run; rank 0 decides and emits. Run in the first launch of a full measurement.
struct GroupExperiment {
  const char* name;
  const char* shows;
  double share;
  int least_ranks;
  void (*run)(ProcessGroup& group, double budget_s);
};

#define WW_GROUP_EXPERIMENTS(ONE) \
  ONE(matrix)                     \
  ONE(relay)                      \
  ONE(interference)               \
  ONE(congestion)                 \
  WW_OF_DAEMONS(ONE)              \
  WW_OF_GROUPS_COLLECTIVES(ONE)

#define WW_DECLARE(name) extern const GroupExperiment name;
WW_GROUP_EXPERIMENTS(WW_DECLARE)
#undef WW_DECLARE

}  // namespace ww::measure
