// The cells of a sweep on the terminal and as CSV.
#pragma once
#include <string>
#include <vector>

#include "simulate/sweep.hpp"

namespace ww {

// With the self-check above and the assumptions below.
std::string show_sweep(const Prediction& first, const Grid& grid, const std::vector<SweepCell>& cells);
// One line a cell, after those of `others`: what-ifs that were asked beside the sweep.
std::string sweep_csv(const Prediction& first, const std::vector<Prediction>& others, const Grid& grid,
                      const std::vector<SweepCell>& cells);

}  // namespace ww
