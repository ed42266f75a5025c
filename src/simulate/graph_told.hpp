// What an evaluator of schedules did, told as calls, messages and waits of the recorded program that the
// schedule was made of.
#pragma once
#include <vector>

#include "simulate/observer.hpp"
#include "simulate/program.hpp"
#include "simulate/schedule/listening.hpp"
#include "simulate/schedule/schedule.hpp"

namespace ww::simulate {

// Rank by rank. `lowered`: schedule_of(program), which `services` are of.
// A message that a processor takes while its rank computes is no part of a call; those that it serves in a wait
// are software, and the rest of the wait is told as such.
void tell(const Program& program, const schedule::Schedule& lowered, const schedule::LogGopsTicks& machine,
          const std::vector<schedule::Service>& services, Observer& observer);

}  // namespace ww::simulate
