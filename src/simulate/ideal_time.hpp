// The network of the POP efficiencies' "ideal" run: no latency, no size-dependent time, no software.
#pragma once
#include "base/result.hpp"
#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww {

struct IdealRun {
  double elapsed_s = 0;
  std::string assumption;  // one sentence: which messages wait for their receive
};

// The elapsed time of the trace replayed on it: what is left of it is computation and waiting for each other.
// Messages above the eager threshold of `recorded_on` wait for their receive there too; without a model only
// synchronous sends do. Errors: as replay.
Result<IdealRun> replay_on_ideal(const Trace& trace, const MachineModel* recorded_on);

}  // namespace ww
