// What of a lab's wire is in a model that was measured there (MachineModel::lab).
#pragma once
#include <string>
#include <vector>

#include "machine/model.hpp"
#include "machine/what_if.hpp"

namespace ww::simulate {

// Nothing of a model that is not of a lab.
std::vector<std::string> assumptions_of_lab(const MachineModel& model, const WhatIf& what_if);

}  // namespace ww::simulate
