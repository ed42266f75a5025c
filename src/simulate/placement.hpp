// Where the ranks are, if not where they were recorded.
#pragma once
#include <string>

#include "machine/model.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

// Puts so many ranks on each host, in their order, whatever hosts they were recorded on. What was seen of recorded
// messages (crossings) stays, and so do the algorithms of collectives.
void place_ranks(Program& program, int ranks_per_host);
std::string host_name(std::int32_t placed);  // of a host that the recorded run did not name
std::string placement_in_words(int ranks_per_host);

// How many ranks a host gets: what was asked for, or, on a machine that knows no messages within a host, one. 0: as
// it is.
int ranks_per_host_on(const MachineModel& model, const Program& program, int asked);

}  // namespace ww::simulate
