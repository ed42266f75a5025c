// The same machine, a little different: for sensitivities and for intervals.
#pragma once
#include <random>

#include "machine/model.hpp"
#include "machine/what_if.hpp"

namespace ww::simulate {

// A thousandth of a small message and of a byte's time over the link of `network`; 0: the model has no such link.
struct Steps {
  double seconds = 0, s_per_byte = 0;
};
Steps steps_of(const MachineModel& model, Place network);
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

// One of the machines that the model's intervals allow: every number that has one is drawn by itself, normally, so
// that 95% of the draws lie within it; where its sides differ, each has its own deviation.
MachineModel drawn(const MachineModel& model, std::mt19937_64& random);
bool has_intervals(const MachineModel& model);

// What the what-if makes of another measurement of the machine that it is about.
MachineModel apply_to(MachineModel measured, const WhatIf& what_if);
// How many times as long the software that was calibrated takes by the what-if. It is the recording machine's: of the
// library that runs among cold caches. On another machine it is taken to be as many times quicker as that machine's
// software of a small message is, or where one of the models has none, as its whole small message.
double software_ratio(const MachineModel& recorded_on, const WhatIf& what_if);
// How much of it a prediction takes, in all.
double carried_software(const MachineModel& recorded_on, const WhatIf& what_if);

}  // namespace ww::simulate
