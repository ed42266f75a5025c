// How a lab has a launcher place programs on its hosts: the options that come in front of the user's own. One
// file each, in placing/, and one line in placing.cpp.
#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "lab/contexts.hpp"
#include "lab/lab_plan.hpp"
#include "launch/starter.hpp"

namespace ww::lab {

using LaunchLine = std::vector<std::string>;
using PlacingOptions = std::vector<LaunchLine>;  // before each context's own

struct Placing {
  const launch::Starter* launcher;
  // The launch line itself may be changed too.
  PlacingOptions (*options)(const Plan& plan, LaunchLine& launch, const std::vector<Context>& contexts);
};

// nullptr: no launcher, or none that a lab knows how to use.
const Placing* placing_by(const std::string& launcher);

PlacingOptions placed_by_open_mpi(const Plan& plan, LaunchLine& launch, const std::vector<Context>& contexts);
PlacingOptions placed_by_mpich(const Plan& plan, LaunchLine& launch, const std::vector<Context>& contexts);

inline void add(LaunchLine& line, std::initializer_list<std::string> words) {
  line.insert(line.end(), words);
}

}  // namespace ww::lab
