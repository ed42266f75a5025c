// Machine models on the terminal.
#pragma once
#include <string>
#include <vector>

#include "machine/difference.hpp"

namespace ww {

void print_model(const MachineModel& model);
// One-way times side by side.
std::string show(const std::vector<LinkDifference>& links);

}  // namespace ww
