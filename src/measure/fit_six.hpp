// S1's six terms from its experiments (Krumme, Greenfield 1988, sections 3.2 to 3.5): each term by size,
// solved in the order E, R, S, F, U, A, and each as one line by least squares (its Table 3).
//
//   1  echo over d hops             2F + 2dE + 2U      4  send, then Q       F + S
//   2  echo arriving during Q       R                  5  forwarded during Q R + S
//   3  receive of what is there     A + U              6  echo, posted first 2 (F + E + U)
//
// Where messages are forwarded:  E = half the slope of (1) over d;  R = (2);  S = (5) - R;  F = (4) - S;
// U = (6) / 2 - E - F, or from (1);  A = (3) - U.
// Where they are not (one hop):  F and A are the "cost" records of the send call and of a receive posted
// before arrival;  R = (2);  S = (4) - F, and where a task and PVM's daemon pass messages on the mean of that and (5) - R, which F of
// two microseconds would not survive;  U = (3) - A, where (3) may be the "cost" record "A+U";
// E = half an echo - F - U, the mean of (1) and (6) where both were measured. (1) and (6) are those over a computation,
// or, in samples that have none, those of processes that wait.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "machine/model.hpp"
#include "measure/samples.hpp"

namespace ww::measure {

struct SixPoint {
  double bytes = 0, typical_s = 0;
  Interval interval_s;      // 95%, by bootstrap through all experiments that it was solved from
  std::size_t samples = 0;  // of the experiment among them that has the fewest
  // S1's Table 1: of so many trials the mean, and the deviation of one. A trial is solved from consecutive parts, as
  // many as there are trials, of the samples of each experiment. 0: an experiment has fewer samples than trials.
  int trials = 0;
  double mean_s = 0, deviation_s = 0;
};
inline constexpr std::size_t six_trials = 5;  // S1's

struct SixTerm {
  std::vector<SixPoint> points;  // by size; a size is missing where an experiment was not made at it
  Segment line;                  // of at least two points, else all 0
  double max_error_s = 0;        // largest distance of a point from the line
  bool has_line() const { return points.size() >= 2; }
};

struct SixFit {
  SixTerm F, S, R, A, U, E;
  std::string computation;         // that ran underneath, of the records that were used
  std::vector<std::string> flags;  // what is impossible, and why a term is missing
};

template <class Fit>
auto six_terms(Fit& fit) {
  return std::array{std::pair{"F", &fit.F}, std::pair{"S", &fit.S}, std::pair{"R", &fit.R},
                    std::pair{"A", &fit.A}, std::pair{"U", &fit.U}, std::pair{"E", &fit.E}};
}

// Of records whose computation underneath is `computation`; if empty, of "integer", or else of "floating".
// A fit without points where there are no such records.
SixFit fit_six(const Samples& samples, const std::string& between, const std::string& computation = {});

nlohmann::json six_lines(const SixFit& fit);  // see docs/machine-model.md
// What a model shows of the samples: six_lines, and where they are of integer operations also six_lines_floating and
// six_lines_idle, as far as there are records.
nlohmann::json all_six_lines(const Samples& samples, const std::string& between, const SixFit& fit);
Costs costs_of(const SixFit& fit);  // each line as a curve of one segment

}  // namespace ww::measure
