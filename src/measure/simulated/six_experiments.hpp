// S1's six experiments as programs on a simulated hypercube (Krumme, Greenfield 1988, sections 3.2 to 3.4 and
// appendix A), and its echo with idle processors (5.1).
#pragma once
#include "measure/samples.hpp"
#include "measure/simulated/apparatus.hpp"

namespace ww::measure::simulated {

// Records of the kinds "six" (experiment 1 also with the computation "none"), "pingpong" (half of experiment
// 6) and "busy". Errors: of the simulation, and a cube of fewer than two dimensions, which forwards nothing.
Result<std::vector<nlohmann::json>> six_experiments(const Apparatus& apparatus);

}  // namespace ww::measure::simulated
