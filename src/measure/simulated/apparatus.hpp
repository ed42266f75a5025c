// What all experiments on a simulated machine share: the machine, the lengths of the computations, how often
// each is repeated, and what the clock and the computations are known to take.
//
// A clock that counts in large ticks (S1: 146 us) tells less only because of where in a tick a time begins.
// Each repetition waits for a tick and then computes for another fraction of it, evenly through the tick, so
// that the mean of 100 repetitions is true to about a hundredth of a tick. (S1's program leaves this to
// chance and its means to "a few microseconds".)
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "base/result.hpp"
#include "simulate/hypercube/node_programs.hpp"

namespace ww::measure::simulated {

namespace cube = simulate::hypercube;

struct Apparatus {
  cube::Machine machine;
  std::vector<double> sizes{16, 500, 1000, 1500, 2000};  // S1's
  int repetitions = 100;                                 // S1's; the first is done once more and not counted
  int trials = 10;                                       // S1 has 5; an interval of a median needs 6
  // S1's SENDTIME: longer than a message is on its way; COMPTIME: longer than an echo passes through a node.
  double short_q_s = 0, long_q_s = 0;
  // As measured, the mean of the trials.
  double known_call_s = 0, known_short_s = 0, known_long_s = 0;
  double clock_resolution_s = 0;  // smallest step that was seen

  // The start of a repetition in a program.
  void begin(cube::NodeProgram& program, int trial, int repetition) const;
};

// Measures what is known. Errors: of the simulation.
Result<Apparatus> prepare(const cube::Machine& machine);

using Means = std::vector<double>;  // of the repetitions, one a trial
struct Repeated {
  Means means;
  double shortest_s = 0, longest_s = 0;  // of single repetitions, of all trials
};

// Node 0 repeats `add_repetition` (which reads the clock `readings` times); the other nodes' programs stand
// in `others` and must serve apparatus.repetitions + 1 of them. What is between the readings `from` and `to`
// of a repetition, in each trial's mean, less one call of the clock and `known_s`.
struct ReadingsBetween {
  std::size_t from = 0, to = 1;
  double known_s = 0;
};
template <class AddRepetition>
Result<std::vector<Repeated>> repeat(const Apparatus& apparatus, std::size_t readings,
                                     const std::vector<ReadingsBetween>& wanted,
                                     const std::map<int, cube::NodeProgram>& others,
                                     const AddRepetition& add_repetition) {
  std::vector<Repeated> out(wanted.size());
  for (int trial = 0; trial < apparatus.trials; ++trial) {
    auto programs = others;
    cube::NodeProgram& node = programs[0];
    for (int repetition = 0; repetition <= apparatus.repetitions; ++repetition) {
      apparatus.begin(node, trial, repetition);
      add_repetition(node);
    }
    WW_TRY(const cube::Run run, cube::run(apparatus.machine, programs, 0));
    const auto& clock_s = run.nodes.at(0).clock_s;
    WW_INVARIANT(clock_s.size() == readings * (apparatus.repetitions + 1));
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      const double known_s = apparatus.known_call_s + wanted[w].known_s;
      Repeated& kept = out[w];
      double sum_s = 0;
      for (int repetition = 1; repetition <= apparatus.repetitions; ++repetition) {
        const double seconds =
            clock_s[repetition * readings + wanted[w].to] - clock_s[repetition * readings + wanted[w].from];
        const bool first = kept.means.empty() && repetition == 1;
        kept.shortest_s = first ? seconds - known_s : std::min(kept.shortest_s, seconds - known_s);
        kept.longest_s = first ? seconds - known_s : std::max(kept.longest_s, seconds - known_s);
        sum_s += seconds;
      }
      kept.means.push_back(sum_s / apparatus.repetitions - known_s);
    }
  }
  return out;
}

}  // namespace ww::measure::simulated
