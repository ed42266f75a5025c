// The same machine, a little different: for sensitivities and for intervals.
#pragma once
#include "machine/model.hpp"

namespace ww::simulate {

// The link of `network` with one more of: seconds of latency (three times for a rendezvous message: request,
// reply, data), seconds a byte of the wire, seconds of software in the sender's call.
MachineModel with_more_latency(const MachineModel& model, Place network, double seconds);
MachineModel with_more_per_byte(const MachineModel& model, Place network, double seconds_per_byte);
MachineModel with_more_overhead(const MachineModel& model, Place network, double seconds);

// All segments of all links, and of reductions, at one end of their intervals.
enum class Bound { low, high };
MachineModel with_curves_at(const MachineModel& model, Bound bound);
// The wire between hosts; unchanged if it is not told apart.
MachineModel with_wire_at(const MachineModel& model, Bound bound);
MachineModel with_two_way_at(const MachineModel& model, Bound bound);

}  // namespace ww::simulate
