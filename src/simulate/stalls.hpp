// Messages that stood still: delayed acknowledgements, retransmissions, a sender's window, a rank without a core. No size, no
// rate and no software explains them, and another wire does not shorten them: they are the hosts' time.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/model.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

struct Stall {
  std::uint32_t message = 0;  // of the program
  double seconds = 0;         // beyond what the model says of it
};

// Linux acknowledges after 40 ms at the latest and sends again after 200 ms at the earliest (RFC 6298, and its own least of both):
// what is shorter than the first is no timer's.
inline constexpr double least_stall_s = 30e-3;

// Of messages between hosts whose receiver waited for nothing else, before which nothing was under way from their host, and
// whose sender, where it is needed above the eager threshold, stayed in its call: those that took least_stall_s longer than the
// model of the recording machine says, and three times as long. In the order of the program's messages.
std::vector<Stall> find_stalls(const Program& program, const MachineModel& recorded_on);

}  // namespace ww::simulate
