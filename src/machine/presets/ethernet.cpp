#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

using published::Row;

const char* const wire_is_derived =
    "wire: the class's rate and frames of MTU 1500 (IEEE 802.3); the MPI library's own header is not counted";

MachineModel model_of(const char* name, Link link, double bits_per_s, std::vector<std::string> flags) {
  MachineModel model;
  model.name = name;
  link.wire = published::ethernet(bits_per_s);
  model.links = {std::move(link)};
  model.flags = std::move(flags);
  model.flags.push_back(published::points_are_printed);
  model.flags.push_back(wire_is_derived);
  return model;
}

Row at_rate(double bytes, double megabits_per_s) {
  return {bytes, bytes * 8 / megabits_per_s};
}

Segment line(double from_bytes, double to_bytes, double base_s, double seconds_per_byte) {
  return {from_bytes,       to_bytes,         base_s,
          seconds_per_byte, {base_s, base_s}, {seconds_per_byte, seconds_per_byte}};
}

}  // namespace

// jfgrimm: OSU latency and bandwidth of Open MPI, MPICH and MPICH over UCX, gist
// 3af692a5475bdd4ed836b5a18197a209, 2021; the columns "MPICH", which go over TCP. What could be read of it
// ends at 32 KiB, where osu_bw reached 116.19 MB/s. The page does not name the wire: that rate is 98.7% of
// what 1 Gb/s carries in frames of 1448 of 1538 bytes. SimGrid's platform griffon
// (examples/platforms/griffon.xml, two links of 24 us) with its calibration for 1 Gb/s Ethernet (docs,
// smpi/lat-factor: 2.01467) takes 96.7 us: the other end of the latency's interval.
MachineModel ethernet_1() {
  Link link =
      published::link_of({{1, 25.42},
                          {2, 24.61},
                          {4, 24.61},
                          {8, 24.59},
                          {16, 25.13},
                          {32, 24.87},
                          {64, 25.38},
                          {128, 26.18},
                          {256, 29.07},
                          {512, 34.92},
                          {1024, 49.15},
                          {2048, 71.83},
                          {4096, 234.99},
                          {8192, 233.84},
                          {16384, 238.18},
                          {32768, 419.28, false}},
                         {{2048, 4096, "not explained by the source; a timer of the interface or of TCP"}});
  link.one_way.segments.back().to_bytes = 16384;
  // to 32 KiB as printed, from there at the rate of osu_bw
  const double step = (419.28e-6 - link.one_way.at(16384)) / 16384;
  published::extend(link, 32768, 1 / step);
  published::extend(link, 4194304, 116.19e6);
  link.latency_ci_s = {24.59e-6, 2 * 24e-6 * 2.01467};
  return model_of(
      "ethernet-1", std::move(link), 1e9,
      {"source: jfgrimm, OSU results of MPICH over TCP, "
       "gist.github.com/jfgrimm/3af692a5475bdd4ed836b5a18197a209, 2021",
       "sources disagree on the latency: 25 us there, 97 us in SimGrid's calibrated platform "
       "griffon (1 Gb/s Ethernet)",
       "beyond 32 KiB: the rate that osu_bw reached there, 116.19 MB/s", published::costs_are_empty});
}
const Preset ethernet_1_preset{"ethernet-1", "1 Gb/s Ethernet, MPICH over TCP", "jfgrimm 2021", ethernet_1};

// M. A. Javed on the list users@open-mpi.org, 14 to 21 April 2014
// (open-mpi.org/community/lists/users/2014/04/24241.php): Open MPI 1.8, two hosts, 10 Gb/s without a switch.
// Its table of latencies ends at 2 KiB; larger sizes are given as rates of the same kind of exchange. After
// SpeedStep and interrupt coalescing were switched off 9390 Mb/s were reached. The software's costs come from
// elsewhere: SimGrid's calibration of the cluster taurus of Grid'5000, whose hosts have 10 Gb/s Ethernet
// (github.com/Ezibenroc/platform-calibration, data/taurus_26_07_2016, calibration of 9 June 2016: smpi/os and
// smpi/or; half its round trip is 23.0 us + 16.5 ns a byte up to 1420 bytes).
MachineModel ethernet_10() {
  Link link = published::link_of(
      {{1, 37.76},
       {2, 37.75},
       {4, 37.78},
       {8, 55.17, false},
       {16, 37.89},
       {32, 39.08},
       {64, 37.78},
       {128, 59.46, false},
       {256, 39.37},
       {512, 40.39},
       {1024, 47.18},
       {2048, 47.84},
       at_rate(4096, 539.59),
       at_rate(8192, 827.73),
       at_rate(16384, 1655.35),
       at_rate(32768, 3274.3),
       at_rate(65536, 1995.22),
       at_rate(131072, 3270.84),
       at_rate(262144, 4316.22),
       at_rate(524288, 5019.46),
       at_rate(1048576, 5236.17),
       at_rate(2097152, 5362.61),
       at_rate(4194304, 5495.2)},
      {{32768, 65536, "eager to rendezvous: btl_tcp_eager_limit is 64 KiB with the library's header"}});
  link.latency_ci_s = {23.05e-6, link.latency_s};
  link.one_way.segments.back().seconds_per_byte_ci.low = 8 / 9390e6;
  MachineModel model =
      model_of("ethernet-10", std::move(link), 10e9,
               {"source: M. A. Javed, Open MPI 1.8 on 10 Gb/s Ethernet, "
                "open-mpi.org/community/lists/users/2014/04/24241.php, 2014",
                "8 and 128 bytes took half as long again as their neighbours there: shown, not fitted",
                "sources disagree: latency 38 us there, 23 us on Grid'5000's taurus; rate 5.5 Gb/s there, "
                "9.39 Gb/s after tuning the hosts",
                "costs F and A + U (stands in U): another pair of hosts, SimGrid's calibration of taurus, "
                "2016; up to 64 KiB"});
  model.costs.F.segments = {line(0, 1420, 3.79946e-6, 1.09810e-10),
                            line(1420, 33500, 4.06752e-6, 8.98783e-11),
                            line(33500, 65536, 6.01205e-6, 7.10122e-11)};
  model.costs.U.segments = {line(0, 1420, 3.51810e-6, 3.01847e-10),
                            line(1420, 33500, 8.16125e-6, 2.66840e-10),
                            line(33500, 65536, 1.493477e-5, 1.976450e-10)};
  return model;
}
const Preset ethernet_10_preset{"ethernet-10", "10 Gb/s Ethernet, Open MPI over TCP",
                                "Javed 2014; software: SimGrid's taurus 2016", ethernet_10};

// M. Netto: HPC applications, chapter 7, OSU micro-benchmarks (github.com/marconetto/hpcapps, 2025): two HBv3
// machines of Azure, HPC-X, UCX over TCP on eth0. The interface is not the wire of this class: on machines of
// that series 30 connections together carried 38.1 Gb/s, a single one 14.6 to 25.3
// (github.com/converged-computing/usernetes-azure, experiments/tcp, 2025).
MachineModel ethernet_25() {
  const Link link = published::link_of(
      {{1, 28.90},        {2, 28.95},         {4, 28.88},        {8, 29.36},       {16, 29.35},
       {32, 29.32},       {64, 29.34},        {128, 29.58},      {256, 29.71},     {512, 30.18},
       {1024, 31.14},     {2048, 48.60},      {4096, 48.89},     {8192, 49.84},    {16384, 69.42},
       {32768, 73.34},    {65536, 148.47},    {131072, 159.46},  {262144, 332.43}, {524288, 458.98},
       {1048576, 757.19}, {2097152, 1244.72}, {4194304, 2304.61}},
      {{1024, 2048, "more than one frame"},
       {8192, 16384, "not explained by the source"},
       {32768, 65536, "not explained by the source"},
       {131072, 262144, "rendezvous, probably"}});
  return model_of(
      "ethernet-25", link, 25e9,
      {"source: M. Netto, OSU results of HPC-X over TCP, github.com/marconetto/hpcapps chapter7, 2025",
       "no publication of MPI on a wire of just 25 Gb/s was found: the source's interface carried 38.1 Gb/s "
       "over 30 "
       "connections, 14.6 to 25.3 over one (usernetes-azure, experiments/tcp, 2025)",
       "virtual machines of a cloud: latency and jumps are also those of its virtual network",
       published::costs_are_empty});
}
const Preset ethernet_25_preset{"ethernet-25", "25 Gb/s Ethernet, HPC-X over TCP, a cloud's virtual machines",
                                "Netto 2025", ethernet_25};

// vsoch: OSU benchmarks on c3-standard-176 (github.com/converged-computing/metrics-operator-experiments,
// google/network-osu-benchmark/c3-standard-176, 2023): two virtual machines of Google with 100 Gb/s, compact
// placement, Open MPI over TCP. osu_bw 5939.50, osu_bibw 5826.52 MB/s at 4 MiB: both directions together are
// no faster than one.
MachineModel ethernet_100() {
  Link link = published::link_of(
      {{1, 19.11},        {2, 19.22},        {4, 19.20},       {8, 19.18},       {16, 19.12},
       {32, 19.18},       {64, 19.22},       {128, 19.26},     {256, 20.37},     {512, 20.62},
       {1024, 20.87},     {2048, 39.07},     {4096, 39.10},    {8192, 39.87},    {16384, 40.62},
       {32768, 44.72},    {65536, 96.54},    {131072, 109.25}, {262144, 124.30}, {524288, 166.29},
       {1048576, 265.00}, {2097152, 407.44}, {4194304, 720.24}},
      {{1024, 2048, "more than one frame"},
       {32768, 65536, "eager to rendezvous: btl_tcp_eager_limit is 64 KiB with the library's header"}});
  link.latency_ci_s = {19.11e-6, 28.90e-6};
  MachineModel model = model_of(
      "ethernet-100", std::move(link), 100e9,
      {"source: vsoch, OSU results of Open MPI over TCP on Google's c3-standard-176 (100 Gb/s), "
       "github.com/converged-computing/metrics-operator-experiments google/network-osu-benchmark, 2023",
       "one TCP connection: 5.9 GB/s of the 11.8 that the wire carries; the software sets the pace",
       "latency: 19.1 us there, 28.9 us on Azure's HBv3 over TCP (see ethernet-25)",
       "virtual machines of a cloud: latency and jumps are also those of its virtual network",
       published::costs_are_empty});
  model.links[0].wire->two_way_efficiency = 5826.52 / (2 * 5939.50);
  model.links[0].wire->two_way_efficiency_ci = {5826.52 / (2 * 5939.50), 5826.52 / (2 * 5939.50)};
  return model;
}
const Preset ethernet_100_preset{"ethernet-100",
                                 "100 Gb/s Ethernet, Open MPI over TCP, a cloud's virtual machines",
                                 "vsoch 2023", ethernet_100};

// No publication of MPI over TCP on 400 Gb/s (IEEE 802.3bs, 2017) was found. The software of ethernet-100
// with a wire four times as fast; the pace of one connection lies between what ethernet-100 reaches and
// the 15.4 GB/s that one TCP stream carried over a link of 200 Gb/s
// (github.com/meta-pytorch/torchcomms/pull/3897, 2026; 23.3 GB/s over eight).
MachineModel ethernet_400() {
  const MachineModel slower = ethernet_100();
  MachineModel model = published::with_wire(slower, "ethernet-400", 4);
  Interval& pace = model.links[0].one_way.segments.back().seconds_per_byte_ci;
  pace = {1 / 15.4e9, slower.links[0].one_way.segments.back().seconds_per_byte};
  model.flags = {
      "derived: ethernet-100's times less what a wire four times as fast takes off (bandwidth=x4); nothing "
      "was measured",
      "no publication of MPI over TCP on 400 Gb/s was found",
      "pace of one connection: from ethernet-100's 5.9 GB/s to the 15.4 GB/s of one TCP stream on 200 Gb/s "
      "(github.com/meta-pytorch/torchcomms/pull/3897, 2026)",
      wire_is_derived};
  return model;
}
const Preset ethernet_400_preset{"ethernet-400", "400 Gb/s Ethernet over TCP, derived from ethernet-100",
                                 "derived; bounds of 2026", ethernet_400};

}  // namespace ww
