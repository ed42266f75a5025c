// Machines that come with whatwire, by name. One file a preset (or a family of them) below presets/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "machine/model.hpp"

namespace ww {

struct Preset {
  const char* name;
  const char* description;  // one line, with the source of its numbers
  MachineModel (*make)();
};

const std::vector<Preset>& presets();
std::optional<MachineModel> find_preset(const std::string& name);

MachineModel loggops_default();
MachineModel comet();
MachineModel stampede();
MachineModel ncube_seven();
MachineModel pvm_ethernet_10();
MachineModel pvm_ethernet_100();

}  // namespace ww
