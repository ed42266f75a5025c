#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

// What a paper of 1988 on the iPSC/2 says, of which only an extract without its authors is known (a zero-byte
// message between two nodes: 350 us as the aim, 490 us with its beta software; 2.8 MB/s each way) and of the
// iPSC/1 beside it: a third of the latency between neighbours and up to a twentieth over several hops is the
// iPSC/2's, which has ten times the bandwidth, both ways together. (The extract:
// https://th4.ilovetranslation.com/ilu9eP8jmFD=d.)
constexpr double ipsc2_aim_s = 350e-6, ipsc2_beta_s = 490e-6, ipsc2_bytes_per_s = 2 * 2.8e6;
constexpr double neighbour_times = 3, bandwidth_times = 10;
constexpr double longest_bytes = 1 << 20;

}  // namespace

// The iPSC/1 by its ratios to the iPSC/2, since no table of its own times was found: 1050 us and 0.56 MB/s.
// The ratio over several hops says the same: a message over the 7 hops of the largest cube takes 7 times 1050
// us when it is stored and forwarded, and 20 times 350.
MachineModel ipsc_1() {
  MachineModel model;
  model.name = "ipsc-1";
  const double latency_s = neighbour_times * ipsc2_aim_s,
               seconds_per_byte = bandwidth_times / ipsc2_bytes_per_s;
  Link link;
  link.between = Place::inter;
  link.latency_s = latency_s;
  link.latency_ci_s = {latency_s, neighbour_times * ipsc2_beta_s};
  link.one_way.segments = {{0,
                            longest_bytes,
                            latency_s,
                            seconds_per_byte,
                            link.latency_ci_s,
                            {seconds_per_byte, seconds_per_byte}}};
  link.wire = published::wire(seconds_per_byte, published::in_one_piece, 0);
  model.links = {link};
  Hypercube cube;
  cube.dimensions = 7;  // 128 nodes, the largest
  model.hypercube = cube;
  model.flags = {
      "iPSC/1-like: derived from its ratios to the iPSC/2 of 1988; no table of its own times was found",
      "neighbouring nodes; each further hop stores and forwards, which takes the whole time once more",
      "software and wire are not told apart, and the packets of its messages are not known"};
  return model;
}
const Preset ipsc_1_preset{"ipsc-1", "iPSC/1-like hypercube, neighbours", "derived from the iPSC/2 of 1988",
                           ipsc_1};

}  // namespace ww
