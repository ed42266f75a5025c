// SPEC: what another machine would have. "bandwidth=x10,latency=x0.5,software=x0.1,compute=x2,latency=5us".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "machine/model.hpp"

namespace ww {

struct WhatIf {
  std::string spec;                  // as the user wrote it
  double bandwidth = 1;              // factor on bytes per second of the wire between hosts
  double latency = 1;                // factor on what is left of the one-way time without software and serialisation
  std::optional<double> latency_s;   // or its new absolute value
  double software = 1;               // factor on the library's and the kernel's CPU time for a message
  double compute = 1;                // factor on the speed of computation: x2 halves its time
  bool is_identity() const;
};

// Errors name the part that is wrong and the parts there are.
Result<WhatIf> parse_what_if(std::string_view spec);

// The model of the machine that the what-if describes. Links within a host keep their wire; software applies to all.
MachineModel apply(const MachineModel& model, const WhatIf& what_if);

}  // namespace ww
