#include "machine/presets.hpp"

namespace ww {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"loggops-default",
       "LogGOPSim's defaults: L 2500 ns, o 1500, g 1000, G 6 ns a byte, O 0, S 65535 bytes", loggops_default},
      {"comet", "XSEDE Comet, InfiniBand and within a node: t_s and t_c measured by Ross (S2)", comet},
      {"stampede", "XSEDE Stampede, InfiniBand and within a node: t_s and t_c measured by Ross (S2)",
       stampede},
      {"ncube-seven",
       "NCUBE/seven hypercube at 7 MHz, neighbours: the six lines of Krumme and Greenfield (S1)",
       ncube_seven},
      {"pvm-ethernet-10",
       "PVM over TCP on 10 Mb/s Ethernet, SPARCstation 5: the costs that Zabel assumed (S4)",
       pvm_ethernet_10},
      {"pvm-ethernet-100", "the same on 100 Mb/s Ethernet", pvm_ethernet_100},
  };
  return all;
}

std::optional<MachineModel> find_preset(const std::string& name) {
  for (const Preset& preset : presets())
    if (name == preset.name) return preset.make();
  return std::nullopt;
}

}  // namespace ww
