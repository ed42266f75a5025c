#include "measure/simulated/apparatus.hpp"

#include <algorithm>

namespace ww::measure::simulated {
namespace {

constexpr double margin = 1.25;  // of the computations over what they must cover
constexpr int known_calls = 1200, known_computations = 100;

// S1, appendix A: many in a row between two readings. What one of them takes.
Result<double> time_many(const Apparatus& apparatus, int count, bool calls, double computation_s) {
  double sum_s = 0;
  for (int trial = 0; trial < apparatus.trials; ++trial) {
    std::map<int, cube::NodeProgram> programs;
    cube::NodeProgram& node = programs[0];
    // here the trials are all the repetitions that there are
    node.await_tick().compute((trial + 0.5) / apparatus.trials * apparatus.machine.clock_tick_s);
    node.read_clock();
    for (int i = 0; i < count; ++i) {
      if (calls)
        node.read_clock();
      else
        node.compute(computation_s);
    }
    node.read_clock();
    WW_TRY(const cube::Run run, cube::run(apparatus.machine, programs, 0));
    const auto& clock_s = run.nodes.at(0).clock_s;
    sum_s += clock_s.back() - clock_s.front();
  }
  const double each_s = sum_s / apparatus.trials;
  return calls ? each_s / (count + 1) : (each_s - apparatus.known_call_s) / count;
}

Result<double> smallest_step(const Apparatus& apparatus) {
  std::map<int, cube::NodeProgram> programs;
  for (int i = 0; i < known_calls; ++i) programs[0].read_clock().compute(apparatus.short_q_s / 1e4);
  WW_TRY(const cube::Run run, cube::run(apparatus.machine, programs, 0));
  const auto& clock_s = run.nodes.at(0).clock_s;
  double smallest_s = clock_s.back();
  for (std::size_t i = 1; i < clock_s.size(); ++i)
    if (clock_s[i] > clock_s[i - 1]) smallest_s = std::min(smallest_s, clock_s[i] - clock_s[i - 1]);
  return smallest_s;
}

}  // namespace

void Apparatus::begin(cube::NodeProgram& program, int trial, int repetition) const {
  const double at = (repetition + (trial + 0.5) / trials) / repetitions;
  program.await_tick().compute((at < 1 ? at : at - 1) * machine.clock_tick_s);
}

Result<Apparatus> prepare(const cube::Machine& machine) {
  Apparatus out;
  out.machine = machine;
  const auto& c = machine.costs;
  for (const double n : out.sizes) {
    const double after_s = c.E.at(n) + c.S.at(n) + c.R.at(n);
    const double through_s = 3 * c.E.at(n) + c.F.at(n) + c.U.at(n) + c.A.at(n) + c.S.at(n) + c.R.at(n);
    out.short_q_s = std::max(out.short_q_s, margin * after_s);
    out.long_q_s = std::max({out.long_q_s, 5 * margin * after_s, margin * (after_s + through_s)});
  }
  WW_TRY(out.known_call_s, time_many(out, known_calls, true, 0));
  WW_TRY(out.known_short_s, time_many(out, known_computations, false, out.short_q_s));
  WW_TRY(out.known_long_s, time_many(out, known_computations, false, out.long_q_s));
  WW_TRY(out.clock_resolution_s, smallest_step(out));
  return out;
}

}  // namespace ww::measure::simulated
