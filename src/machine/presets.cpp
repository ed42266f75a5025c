#include "machine/presets.hpp"

namespace ww {

std::vector<const Preset*> presets() {
#define WW_ADDRESS(name) &name##_preset,
  return {WW_PRESETS(WW_ADDRESS)};
#undef WW_ADDRESS
}

std::optional<MachineModel> find_preset(const std::string& name) {
  for (const Preset* preset : presets())
    if (name == preset->name) return preset->make();
  return std::nullopt;
}

}  // namespace ww
