// What models say of themselves (MachineModel::flags), for whoever shows what was made of them.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "machine/model.hpp"

namespace ww {

// Adds every flag of every model to the assumptions, each once ("the model 'comet' says of itself: ..."), and
// how many there are to the diagnostics (model-flagged).
void say_flags(const std::vector<const MachineModel*>& models, std::vector<std::string>& assumptions,
               Diagnostics& diagnostics);

}  // namespace ww
