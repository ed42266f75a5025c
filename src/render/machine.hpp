// A machine model on the terminal.
#pragma once
#include "machine/model.hpp"

namespace ww {

void print_model(const MachineModel& model);

}  // namespace ww
