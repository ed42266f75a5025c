// Predictions on the terminal and as CSV.
#pragma once
#include <string>
#include <vector>

#include "simulate/simulate.hpp"

namespace ww {

std::string show(const Prediction& prediction);
// Above and below predictions of one run, which `first` is one of: what was recorded and how well its replay
// agrees; what was assumed, and the diagnostics.
std::string show_self_check(const Prediction& first);
std::string show_assumptions(const Prediction& first);
// One line a prediction.
std::string prediction_csv(const std::vector<Prediction>& predictions);

}  // namespace ww
