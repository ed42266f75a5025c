// S1's interference experiment (Krumme, Greenfield 1988, section 5.2 and appendix A, test 8): node 0 computes
// while 1, 2 or 3 neighbours stream messages of 2000 bytes through it. Each stream has three messages ahead
// and sends one more for every answer of its receiver; the answers take other ways. S1 times a hundred messages when a stream
// begins and the last hundred ("final" in appendix B), here it is all that pass while node 0 computes, and their last fifth.
#pragma once
#include "measure/samples.hpp"
#include "measure/simulated/apparatus.hpp"

namespace ww::measure::simulated {

// Records of the kind "interference", one for each number of neighbours that the cube has room for (each
// needs two dimensions). Errors: of the simulation; more active channels than the machine's memory can serve,
// for which there is no model.
Result<std::vector<nlohmann::json>> interference(const Apparatus& apparatus);

}  // namespace ww::measure::simulated
