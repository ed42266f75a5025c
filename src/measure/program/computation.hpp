// The underlying computation Q of S1's experiments: a loop of integer or of floating-point operations that
// touches no memory to speak of, so that what lengthens it is time taken from the processor.
#pragma once
#include <cstdint>

namespace ww::measure {

enum class Arithmetic { integer, floating };
const char* to_string(Arithmetic arithmetic);

// Computes for a number of turns; the result depends on every turn.
void compute(Arithmetic arithmetic, std::int64_t turns);
// Turns that take about so long when nothing disturbs; at least 1.
std::int64_t turns_for(Arithmetic arithmetic, double seconds);

}  // namespace ww::measure
