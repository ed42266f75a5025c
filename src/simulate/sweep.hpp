// Predictions over a grid of what-ifs: every combination of the values of several parts of a SPEC.
#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "simulate/gain.hpp"
#include "simulate/simulate.hpp"

namespace ww {

struct SweepAxis {
  enum class Kind { factor, seconds, name };
  std::string part;  // of a SPEC: "bandwidth", "compute@rank:0"
  Kind kind = Kind::factor;
  std::vector<std::string> values;  // as a SPEC has them: "x10", "5us", "comet"
  std::vector<double> numbers;      // the factors or seconds; of names their place in the list
};

// "bandwidth=x1:x100:10", FIRST:LAST:STEPS in a geometric row, or an arithmetic one where an end is zero;
// "latency=1us:100us:10"; or a list, "bandwidth=x1,x2,x10", "machine=comet,stampede",
// "network=bus,fat-tree:k=8".
Result<SweepAxis> parse_sweep(const std::string& spec);

struct Grid {
  std::vector<SweepAxis> axes;
  std::string network;  // of every cell, as network= names it; may be empty
  std::size_t cells() const;
  std::vector<std::size_t> places(std::size_t cell) const;  // in each axis; the last axis runs fastest
  Result<WhatIf> what_if(std::size_t cell) const;
  bool needs_trace() const;  // of any cell
};
// Of no sweeps a grid without axes. Errors: a part twice, a SPEC that is refused, more cells than a million.
Result<Grid> make_grid(const std::vector<std::string>& sweeps, const std::string& network = {});

struct SweepCell {
  std::size_t cell = 0;
  std::string what_if;
  double predicted_s = 0, low_s = 0, high_s = 0;
  double latency_s_per_s = 0, seconds_per_byte_s_per_s = 0, overhead_s_per_s = 0;
  double blocked_s = 0, service_s = 0;  // mean of the ranks
};
nlohmann::json to_json(const SweepCell& cell);
Result<SweepCell> sweep_cell_from_json(const nlohmann::json& json);

// The cells for which `mine` is true, in their order, by so many threads and the evaluator of `options`; the same in any number of them.
Result<std::vector<SweepCell>> sweep(const Replayable& run, const MachineModel& recorded_on, const Grid& grid,
                                     const PredictOptions& options,
                                     const std::function<bool(std::size_t)>& mine);

// The processes that a launcher started share the cells, by way of files in `dir`, which all of them see.
// All cells to process 0, nothing to the others. Errors: a process died, or not all came.
Result<std::vector<SweepCell>> sweep_together(const std::filesystem::path& dir, const Replayable& run,
                                              const MachineModel& recorded_on, const Grid& grid,
                                              const PredictOptions& options);

// "sweep" of `simulate --json`, and of a page: {"recorded_s","axes":[{"part","kind","values","numbers"}],
// "cells":[{"what_if","at","predicted_s","predicted_low_s","predicted_high_s","sensitivity",...}]}; "at" is
// the cell's place in each axis.
// With them "replayed_s" and gain_of() of each cell. `first`: any prediction of the same run.
nlohmann::json sweep_json(const Prediction& first, const Grid& grid, const std::vector<SweepCell>& cells);
Gain gain_of(const Prediction& first, const Grid& grid, const SweepCell& cell);

}  // namespace ww
