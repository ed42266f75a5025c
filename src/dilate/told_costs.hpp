// What messages cost on a machine, as the preloaded library reads it (interpose/core/message_curves.hpp).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "machine/model.hpp"

namespace ww {

// Of messages between hosts, beside the model: what a program's own recording told.
struct SoftwareTold {
  double extra_s = 0;  // of a message, half at either end
  double kept_share =
      1;  // of a small message's send so much keeps its rank, the rest is on its way (simulate/costs.hpp)
};

// "EAGER;SEND;FLIGHT;RECEIVE;PORT;REPLY", between hosts ";TOGETHER", ";FRAMES", ";meeting=MEETING", ";window=FRAMES", ";ahead=BYTES", ";control=SECONDS" and ";near=SECONDS" too, of a message of that place of the model: pieces of straight lines
// through what cost_of_message gives, within 0.5% of the one-way time or 10 ns, while there are fewer than
// 250 of them. send + flight + receive is the one-way time; port and reply are parts of the flight. Empty:
// the model does not have that link.
std::string message_costs(const MachineModel& model, Place place, const SoftwareTold& told);

// The environment of the ranks: the costs of the machine that they run on, and of the one that they are to
// run as if on.
std::vector<std::pair<std::string, std::string>> costs_environment(const MachineModel& machine,
                                                                   const MachineModel& target,
                                                                   const SoftwareTold& told,
                                                                   const SoftwareTold& told_of_target);

}  // namespace ww
