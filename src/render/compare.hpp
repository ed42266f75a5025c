// Two runs side by side on the terminal.
#pragma once
#include <string>

#include "analyze/compare.hpp"

namespace ww {

std::string show(const Comparison& comparison, const std::string& name_a, const std::string& name_b);

}  // namespace ww
