#include "study/virtual_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "simulate/simulate.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace {

constexpr double worth_saying = 0.05;

Result<double> replayed_s(const VirtualRun& run) {
  WW_TRY(const Trace trace, load_trace(run.trace));
  SimulateOptions options;
  options.extra_software_s = run.extra_software_s;
  WW_TRY(const Simulated simulated, replay(trace, run.machine, options));
  return simulated.elapsed_s;
}

}  // namespace

void check_by_simulation(VirtualRun& run) {
  const Result<double> replayed = replayed_s(run);
  if (!replayed) {
    run.diagnostics.add("virtual-not-checked",
                        "the run could not be checked by simulation: " + to_string(replayed.error()));
    return;
  }
  run.replayed_s = *replayed;
  const double off = *replayed / run.checked_s - 1;
  run.low_s = std::min(run.low_s, run.s * (1 + off));
  run.high_s = std::max(run.high_s, run.s * (1 + off));
  if (std::fabs(off) > worth_saying)
    run.diagnostics.add("virtual-simulated-otherwise",
                        fmt::format("simulation of this run, with messages in the order of virtual time, "
                                    "gives {}: the interval holds "
                                    "both",
                                    signed_percent(off, 0)));
}

}  // namespace ww
