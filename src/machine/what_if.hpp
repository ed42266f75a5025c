// SPEC: what another machine would have. "bandwidth=x10,latency=x0.5,software=x0.1,compute=x2,latency=5us".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "machine/model.hpp"

namespace ww {

struct WhatIf {
  std::string spec;      // as the user wrote it
  double bandwidth = 1;  // factor on bytes per second of the network: see `network`
  double latency = 1;    // factor on what is left of the one-way time without software and serialisation
  std::optional<double> latency_s;  // or its new absolute value
  double software = 1;              // factor on the library's and the kernel's CPU time for a message
  double compute = 1;               // factor on the speed of computation: x2 halves its time
  // The link whose bandwidth and latency are meant: that between hosts, but for a program whose ranks share
  // one host the memory within it, which is all the network it has. Who knows the program sets it
  // (Trace::network); unset: between hosts if the model has such a link.
  std::optional<Place> network;
  bool is_identity() const;
  Place network_of(const MachineModel& model) const;
};

// Errors name the part that is wrong and the parts there are.
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
// Where the wire is known T is cut at its frames and at the eager threshold, and stays within 1% of this sum.
// `points` are of the measured machine and are not carried over.
MachineModel apply(const MachineModel& model, const WhatIf& what_if);

// The curve with `factor` times the serialisation of the wire added, cut where that has steps. The fit of a
// measured link composes its curve with it, so that apply takes off exactly what the fit put in.
Curve add_serialisation(const Curve& curve, const Wire& wire, std::optional<double> eager_threshold_bytes,
                        double factor);

}  // namespace ww
