// The model of the machine that a trace was recorded on, where it keeps one.
#pragma once
#include <filesystem>
#include <memory>

#include "machine/model.hpp"

namespace ww::view {

// Of a predicted run the one that it was predicted for; of a study's directory or a trace in one, the study's.
// nullptr: there is none.
std::shared_ptr<const MachineModel> machine_of(const std::filesystem::path& trace);

}  // namespace ww::view
