// Every algorithm: the build lists the files of algorithms/, each of which defines the Algorithm of its name.
#pragma once
#include "patterns/pattern.hpp"

namespace ww::patterns {

#define WW_ALGORITHM(name) extern const Algorithm name;
#include "patterns/algorithms.inc"
#undef WW_ALGORITHM

}  // namespace ww::patterns
