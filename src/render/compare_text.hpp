// Two runs side by side on the terminal.
#pragma once
#include <string>
#include <vector>

#include "analyze/compare.hpp"

namespace ww {

std::string show(const Comparison& comparison, const std::string& name_a, const std::string& name_b);
// Empty when there are none.
std::string show(const std::vector<WhatIfChange>& what_ifs);

}  // namespace ww
