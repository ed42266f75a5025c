// A study's second recording of the program: computation may depend on how long ranks wait (caches cool down), which one
// recording does not tell (simulate/cooling.hpp). In a lab, on a wire much quicker than any that is asked for: what is asked for
// lies between the two.
#pragma once
#include <vector>

#include "simulate/cooling.hpp"
#include "simulate/simulate.hpp"
#include "trace/trace.hpp"

namespace ww {

// Is what computation may do to the prediction worth a run? Of predictions for quicker networks; for slower ones the second
// recording would have to wait longer than all that is asked for.
bool second_recording_matters(const Prediction& prediction);

// How many times as fast its wire is as the quickest that is asked for.
inline constexpr double much_quicker = 10;

// `cooled` in place of those of `predictions` that are for quicker networks, with half of what they differ by in their intervals.
void take_cooled(std::vector<Prediction>& predictions, std::vector<Prediction>&& cooled);

// How many times as fast the program computes as predicted as it did in a dilated run, whose waits are those of this network; 1 without
// a second recording, and where it is not worth another run.
double compute_gain(const Prediction& prediction, const Trace& run);

}  // namespace ww
