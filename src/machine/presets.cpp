#include "machine/presets.hpp"

namespace ww {

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all{
      {"loggops-default",
       "LogGOPSim's defaults: L 2500 ns, o 1500, g 1000, G 6 ns a byte, O 0, S 65535 bytes",
       "Hoefler, Schneider, Lumsdaine 2010", loggops_default},
      {"comet", "XSEDE Comet, InfiniBand and within a node", "Ross (S2)", comet},
      {"stampede", "XSEDE Stampede, InfiniBand and within a node", "Ross (S2)", stampede},
      {"ncube-seven", "NCUBE/seven hypercube at 7 MHz, neighbours: six lines", "Krumme, Greenfield 1988 (S1)",
       ncube_seven},
      {"ipsc-1", "iPSC/1-like hypercube, neighbours", "derived from the iPSC/2 of 1988", ipsc_1},
      {"s3-hypercube", "16-node hypercube of 1990, neighbours, one packet: only ratios are known",
       "derived from Antonishek, Snelick 1990 (S3)", s3_hypercube},
      {"pvm-ethernet-10", "PVM over TCP on 10 Mb/s Ethernet, SPARCstation 5: assumed costs",
       "Zabel 1996 (S4)", pvm_ethernet_10},
      {"pvm-ethernet-100", "the same on 100 Mb/s Ethernet", "Zabel 1996 (S4)", pvm_ethernet_100},
      {"ethernet-1", "1 Gb/s Ethernet, MPICH over TCP", "jfgrimm 2021", ethernet_1},
      {"ethernet-10", "10 Gb/s Ethernet, Open MPI over TCP", "Javed 2014; software: SimGrid's taurus 2016",
       ethernet_10},
      {"ethernet-25", "25 Gb/s Ethernet, HPC-X over TCP, a cloud's virtual machines", "Netto 2025",
       ethernet_25},
      {"ethernet-100", "100 Gb/s Ethernet, Open MPI over TCP, a cloud's virtual machines", "vsoch 2023",
       ethernet_100},
      {"ethernet-400", "400 Gb/s Ethernet over TCP, derived from ethernet-100", "derived; bounds of 2026",
       ethernet_400},
      {"infiniband-hdr", "InfiniBand HDR, 200 Gb/s, Open MPI with UCX", "Jolicoeur 2025", infiniband_hdr},
      {"infiniband-ndr", "InfiniBand NDR, 400 Gb/s, derived from infiniband-hdr",
       "derived; bounds of Microsoft 2023", infiniband_ndr},
      {"slingshot-11", "HPE Slingshot 11, 200 Gb/s, MPICH over CXI", "Madonna 2025", slingshot_11},
  };
  return all;
}

std::optional<MachineModel> find_preset(const std::string& name) {
  for (const Preset& preset : presets())
    if (name == preset.name) return preset.make();
  return std::nullopt;
}

}  // namespace ww
