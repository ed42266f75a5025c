// A schedule's prediction under LogGOPS on the terminal.
#pragma once
#include <string>

#include "simulate/schedule/predict_schedule.hpp"

namespace ww {

// `free`: nothing was in anything's way.
std::string show(const schedule::Schedule& program, const schedule::SchedulePrediction& prediction,
                 bool free);

}  // namespace ww
