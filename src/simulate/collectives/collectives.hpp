// One recorded collective becomes the messages of the algorithm that the library used for it.
#pragma once
#include <memory>
#include <vector>

#include "simulate/program.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

struct CollectiveReplay {
  std::uint32_t sync = none;          // index into Program::syncs where no algorithm is known, else:
  std::vector<Operations> by_member;  // in the order of Collective::members
};

// Adds the collective's messages (or its sync) to the program and counts its algorithm there. All members are
// there.
CollectiveReplay spread(Program& program, const Trace& trace, const Collective& collective);

}  // namespace ww::simulate
