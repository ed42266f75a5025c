// Whether it matters to the program that the message library makes progress while the program computes: the
// runs of both kinds, side by side.
#include <fmt/format.h>

#include <cmath>

#include "base/numbers.hpp"
#include "dilate/curve.hpp"
#include "dilate/dilation_plan.hpp"

namespace ww {
namespace {

std::vector<double> times_of(const Dilation& dilation, double factor, bool probes) {
  std::vector<double> values;
  for (const DilatedRun& run : dilation.runs)
    if (run.factor == factor && run.probes == probes) values.push_back(run.normalised_s);
  return values;
}

}  // namespace

void compare_progress(Dilation& dilation, const std::vector<double>& factors) {
  for (const double factor : factors) {
    const std::vector<double> calls = times_of(dilation, factor, false);
    const std::vector<double> probes = times_of(dilation, factor, true);
    if (factor == 1 || calls.size() != probes.size() || calls.empty()) continue;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < calls.size(); ++i) ratios.push_back(probes[i] / calls[i]);
    const SpeedUp ratio = speedup_of(factor, ratios);
    const ProgressEffect effect{factor, ratio.value, ratio.low, ratio.high};
    dilation.progress.push_back(effect);
    constexpr double worth_saying = 0.03;
    const bool differs = ratio.interval != IntervalOf::one_round && (effect.low > 1 || effect.high < 1);
    if (differs && std::fabs(effect.value - 1) > worth_saying)
      dilation.diagnostics.add(
          "progress-matters",
          fmt::format("at D = {:g} the program takes {} if the message library makes progress while the "
                      "program computes: what it gains depends on whether the other network's does",
                      factor, signed_percent(effect.value - 1)));
  }
}

}  // namespace ww
