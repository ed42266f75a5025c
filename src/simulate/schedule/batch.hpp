// Schedules without contention on many machines: the order in which maxplus.hpp evaluates operations depends
// on no time, only on which messages are asked for first (S). So it is found once, written down as a tape,
// and played for `lanes` machines at a time. Finish and slopes are those of explain(), to the last tick.
#pragma once
#include <span>
#include <vector>

#include "base/cancellation.hpp"
#include "simulate/schedule/curves.hpp"
#include "simulate/schedule/schedule.hpp"
#include "simulate/schedule/tape.hpp"

namespace ww::schedule {

struct BatchRun {
  Ticks finish = 0;
  Parameters slopes;     // where asked for
  double blocked_s = 0;  // mean of the ranks
};

struct BatchOptions {
  bool slopes = true;  // takes some three times as long
  unsigned threads = 1;
  Instructions instructions = instructions_here().back();
  const Cancellation* cancellation = nullptr;
};

// One a machine, in their order. Machines whose S parts the messages alike share a tape; within those, ones
// whose computation is as fast share lanes. Errors: as evaluate(), of the first machine that has one.
Result<std::vector<BatchRun>> evaluate_batch(const Schedule& schedule, std::span<const LogGopsTicks> machines,
                                             const BatchOptions& options = {});

}  // namespace ww::schedule
