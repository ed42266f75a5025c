// A run as it might have been as well: what a host does beside a program (interrupts, timers, other processes) makes some of its computations a
// little longer, so ranks come to their exchanges sooner or later after one another. Where that decides whether large messages go at once
// or one after the other, a run goes the one way or the other by chance; where it does not, it goes as replayed.
#pragma once
#include <memory>
#include <vector>

#include "simulate/program.hpp"

namespace ww::simulate {

// How much longer a computation is then, at most, and all of a rank's, as a part of the recorded time.
inline constexpr double longest_jitter_s = 200e-6, most_jitter = 0.005;

// Some that are different from one another. Of a recorded program; none of one that computes nothing, so that nothing can be told.
std::vector<std::shared_ptr<const Program>> jittered(const Program& program);

}  // namespace ww::simulate
