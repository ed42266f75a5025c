// A made-up machine model that holds everything a model can hold. Every number follows from a formula in
// sample_machine.cpp, so that tests can say what must be drawn.
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace ww::sample {

// As `machine show --json` prints it: two links, the six lines of S1's Table 3, collectives, every
// observation, a closed loop, flags.
nlohmann::json machine();

}  // namespace ww::sample
