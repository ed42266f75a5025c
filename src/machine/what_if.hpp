// SPEC: what another machine would have. "bandwidth=x10,latency=x0.5,software=x0.1,compute=x2,latency=5us";
// "per-byte=x0.5,machine=infiniband-hdr,compute@rank:0-3=x2,compute@region:solve=x2,network=fat-tree:k=8".
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/model.hpp"
#include "machine/network_spec.hpp"

namespace ww {

// Computation that is another than the rest: "compute@rank:0-3+7=x2", "compute@region:solve=x2", or both
// behind one another, which then means that region on those ranks.
struct ComputeScope {
  std::vector<std::pair<std::int32_t, std::int32_t>> ranks;  // first and last; empty: all
  std::string region;                                        // that the program marked; empty: everywhere
  double factor = 1;                                         // on its speed, beside WhatIf::compute
  bool holds(std::int32_t rank) const;
};

struct WhatIf {
  std::string spec;      // as the user wrote it
  double bandwidth = 1;  // factor on bytes per second of the network: see `network`
  double latency = 1;    // factor on what is left of the one-way time without software and serialisation
  std::optional<double> latency_s;  // or its new absolute value
  double software = 1;              // factor on the library's and the kernel's CPU time for a message
  // Factor on the part of that CPU time that grows with the message: copies, checksums. Beside `software`.
  double per_byte = 1;
  double compute = 1;  // factor on the speed of computation: x2 halves its time
  std::vector<ComputeScope> compute_scopes;
  // Another way of joining the hosts than what the machine has; the costs of a message stay the machine's.
  // Simulation alone can do it: the model of the machine is the same.
  std::optional<NetworkSpec> topology;
  // So many ranks a host, in their order, and not where they were recorded; 0: there. Simulation and virtual time
  // can do it: the model of the machine is the same.
  int ranks_per_host = 0;
  // The network of another machine takes the place of the recording machine's; the other parts change that
  // one.
  std::shared_ptr<const MachineModel> machine;
  // The link whose bandwidth and latency are meant: that between hosts, but for a program whose ranks share
  // one host the memory within it, which is all the network it has. Who knows the program sets it
  // (Trace::network); unset: between hosts if the model has such a link.
  std::optional<Place> network;
  bool is_identity() const;
  // Messages take the network that they had.
  bool keeps_network() const {
    return bandwidth == 1 && latency == 1 && !latency_s && !topology && !machine && ranks_per_host == 0;
  }
  // How much of the software that was found in a recording messages have here. What is found on two networks is little alike
  // (docs/design/simulation.md).
  double found_software_share() const { return keeps_network() ? 1 : 0.5; }
  // Says nothing about the time between calls, so that it can be seen without changing the program's pace.
  bool keeps_computation() const { return compute == 1 && compute_scopes.empty(); }
  Place network_of(const MachineModel& model) const;
};

// Errors name the part that is wrong and the parts there are; of machine= why it cannot be loaded.
Result<WhatIf> parse_what_if(std::string_view spec);

// The model of the machine that the what-if describes. The link that is not its network keeps bandwidth and
// latency; software applies to all. The one-way time T(n) of a link is taken as software(n) +
// serialisation(n) + rest(n):
//   software(n) = F + U of a message of n bytes; where the wire is known, of its first and last frame only,
//     since the software of the frames between overlaps with the wire. Never more than what T leaves beside
//     the serialisation. A is no part of it: it runs before the message comes (S1). Where only A + U was
//     measured it stands in U, and A counts as part of T.
//   bandwidth=xB takes (1 - 1/B) of the serialisation off T. Without a known wire the slopes of T are divided
//   by B. latency: one crossing is L = rest of the smallest message; a new L' adds L' - L once to an eager
//   message and three
//     times to a rendezvous (request, acknowledgement, data). T never falls below serialisation and software.
//   software=xs: the costs are multiplied by s, and their share of T with them.
//   per-byte=xp: the slopes of the costs are multiplied by p (their jumps stay), and their share of T
//   follows.
// compute=xc takes the arithmetic of reductions to 1/c; other computation is the program's. machine=M: all of
// this is done to M, and `model` is not looked at.
// Where the wire is known T is cut at its frames and at the eager threshold, and stays within 1% of this sum.
// `points` are of the measured machine and are not carried over.
MachineModel apply(const MachineModel& model, const WhatIf& what_if);

// By how much longer one crossing of its network takes than the model's, without machine=: what the delay of a wire would
// have to grow by. Nothing: the model has no such network.
std::optional<double> more_latency_s(const MachineModel& model, const WhatIf& what_if);

// The curve with `factor` times the serialisation of the wire added, cut where that has steps. The fit of a
// measured link composes its curve with it, so that apply takes off exactly what the fit put in.
Curve add_serialisation(const Curve& curve, const Wire& wire, std::optional<double> eager_threshold_bytes,
                        double factor);

}  // namespace ww
