#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

// Data of up to 4096 bytes in a packet (the path MTU; InfiniBand Architecture Specification 1.3, volume 1)
// and 26 bytes beside it: local route header 8, base transport header 12, invariant check 4 (Linux,
// include/rdma/ib_pack.h), variant check 2. Cut through by switches, so serialised once.
Wire infiniband(double bits_per_s) {
  return published::wire(8 / bits_per_s, 4096, 8 + 12 + 4 + 2);
}

const char* const link_is_derived =
    "wire: the class's data rate, packets of 4096 + 26 bytes (LRH, BTH, ICRC, VCRC); extended headers are "
    "not counted";
const char* const both_ways = "both directions at once: not published there; taken as the full rate of each";

}  // namespace

// L. Jolicoeur: usernetes-azure, experiments (github.com/converged-computing/usernetes-azure, 2025): two
// HB120-96rs_v3 machines of Azure with HDR InfiniBand, Open MPI with UCX, bare metal, the first of its
// tables. osu_bw: 24308 to 24650 MB/s. The same by M. Netto (github.com/marconetto/hpcapps, chapter 7,
// 2025): 1.71 us, 177.71 us at 4 MiB, osu_bw 24538. Microsoft's page of the series says 1.2 us for RDMA
// without MPI.
MachineModel infiniband_hdr() {
  MachineModel model;
  model.name = "infiniband-hdr";
  Link link = published::link_of(
      {{1, 1.61},        {2, 1.61},        {4, 1.62},        {8, 1.62},       {16, 1.62},
       {32, 1.79},       {64, 1.84},       {128, 1.90},      {256, 2.39},     {512, 2.51},
       {1024, 2.70},     {2048, 2.82},     {4096, 3.56},     {8192, 4.08},    {16384, 5.37},
       {32768, 6.93},    {65536, 9.45},    {131072, 14.81},  {262144, 17.35}, {524288, 28.16},
       {1048576, 49.52}, {2097152, 92.44}, {4194304, 178.11}},
      {{128, 256, "short to copied messages, probably"}, {131072, 262144, "rendezvous, probably"}});
  link.latency_ci_s = {1.60e-6, 1.71e-6};
  link.wire = infiniband(200e9);
  model.links = {std::move(link)};
  model.flags = {
      "source: L. Jolicoeur, OSU results of Open MPI with UCX on Azure's HB series (HDR), "
      "github.com/converged-computing/usernetes-azure experiments, 2025",
      "latency: 1.60 to 1.62 us there, 1.71 us by M. Netto (github.com/marconetto/hpcapps chapter7, 2025)",
      published::points_are_printed,
      both_ways,
      link_is_derived,
      published::costs_are_empty};
  return model;
}
const Preset infiniband_hdr_preset{"infiniband-hdr", "InfiniBand HDR, 200 Gb/s, Open MPI with UCX",
                                   "Jolicoeur 2025", infiniband_hdr};

// No published table of MPI on NDR was found. HDR's times with a wire twice as fast, held against Microsoft's
// page of the HBv4 series (learn.microsoft.com/azure/virtual-machines/hbv4-performance, 2023): less than 2 us
// for 1 byte, 400 Gb/s one way.
MachineModel infiniband_ndr() {
  MachineModel model = published::with_wire(infiniband_hdr(), "infiniband-ndr", 2);
  model.links[0].latency_ci_s = {model.links[0].latency_s, 2e-6};
  model.flags = {
      "derived: infiniband-hdr's times less what a wire twice as fast takes off (bandwidth=x2); nothing was "
      "measured",
      "published of NDR: less than 2 us for 1 byte and 400 Gb/s one way on Azure's HBv4 "
      "(learn.microsoft.com/azure/virtual-machines/hbv4-performance, 2023); the latency's interval ends "
      "there",
      both_ways, link_is_derived};
  return model;
}
const Preset infiniband_ndr_preset{"infiniband-ndr", "InfiniBand NDR, 400 Gb/s, derived from infiniband-hdr",
                                   "derived; bounds of Microsoft 2023", infiniband_ndr};

}  // namespace ww
