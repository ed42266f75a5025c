// What went over each channel of the network that a prediction is of, as a table.
#pragma once
#include <string>

#include "simulate/simulate.hpp"

namespace ww {

std::string show_channels(const Prediction& prediction);

}  // namespace ww
