// What a program's time would do if the network changed, on the terminal: lines, each ended.
#pragma once
#include <string>

#include "simulate/free/explain.hpp"

namespace ww {

// `program`: that was explained.
std::string show(const simulate::Explanation& explanation, const simulate::Program& program);
// A table of time ratios.
std::string show(const schedule::JointMap& map, const schedule::JointScale& scale);

}  // namespace ww
