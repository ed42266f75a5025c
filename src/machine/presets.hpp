// Machines that come with whatwire, by name. One file a preset (or a family of them) below presets/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "machine/model.hpp"

namespace ww {

struct Preset {
  const char* name;
  const char* description;  // one line
  const char* source;       // of its numbers: who, and the year
  MachineModel (*make)();
};

const std::vector<Preset>& presets();
std::optional<MachineModel> find_preset(const std::string& name);

MachineModel loggops_default();
MachineModel comet();
MachineModel stampede();
MachineModel ncube_seven();
MachineModel ipsc_1();
MachineModel s3_hypercube();
MachineModel pvm_ethernet_10();
MachineModel pvm_ethernet_100();
MachineModel ethernet_1();
MachineModel ethernet_10();
MachineModel ethernet_25();
MachineModel ethernet_100();
MachineModel ethernet_400();
MachineModel infiniband_hdr();
MachineModel infiniband_ndr();
MachineModel slingshot_11();

}  // namespace ww
