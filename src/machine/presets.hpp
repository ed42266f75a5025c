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

// In the order in which they are listed: one line a preset, which its file defines with its model.
#define WW_PRESETS(ONE) \
  ONE(loggops_default)  \
  ONE(comet)            \
  ONE(stampede)         \
  ONE(ncube_seven)      \
  ONE(ipsc_1)           \
  ONE(s3_hypercube)     \
  ONE(pvm_ethernet_10)  \
  ONE(pvm_ethernet_100) \
  ONE(ethernet_1)       \
  ONE(ethernet_10)      \
  ONE(ethernet_25)      \
  ONE(ethernet_100)     \
  ONE(ethernet_400)     \
  ONE(infiniband_hdr)   \
  ONE(infiniband_ndr)   \
  ONE(slingshot_11)

#define WW_DECLARE(name)             \
  extern const Preset name##_preset; \
  MachineModel name();
WW_PRESETS(WW_DECLARE)
#undef WW_DECLARE

std::vector<const Preset*> presets();
std::optional<MachineModel> find_preset(const std::string& name);

}  // namespace ww
