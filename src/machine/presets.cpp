#include "machine/presets.hpp"

namespace ww {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"loggops-default",
       "LogGOPSim's defaults: L 2500 ns, o 1500, g 1000, G 6 ns a byte, O 0, S 65535 bytes", loggops_default},
      {"comet", "XSEDE Comet, InfiniBand and within a node: t_s and t_c measured by Ross (S2)", comet},
      {"stampede", "XSEDE Stampede, InfiniBand and within a node: t_s and t_c measured by Ross (S2)",
       stampede},
  };
  return all;
}

std::optional<MachineModel> find_preset(const std::string& name) {
  for (const Preset& preset : presets())
    if (name == preset.name) return preset.make();
  return std::nullopt;
}

}  // namespace ww
