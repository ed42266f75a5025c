// S1's tables of its six terms on the terminal (Krumme, Greenfield 1988, Tables 1 to 3).
#pragma once
#include <string>

#include "machine/model.hpp"

namespace ww {

// Each term at each size, mean and deviation of the trials, over integer and over floating-point operations; the lines of
// both side by side, and whether they differ; E with idle processors. Error: the model has none of it.
Result<std::string> six_tables(const MachineModel& model);

}  // namespace ww
