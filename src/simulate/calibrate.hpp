// Software inside an application that has just computed is slower than in a warm ping-pong: caches are cold
// and the library has other things to look at. And a shared machine is slower at one hour than at another,
// so that the model may also have been measured at a worse one. By how much is found in the trace itself.
#pragma once
#include <cstdint>

#include "machine/model.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

struct Calibration {
  double extra_software_s = 0;  // per message between hosts; negative: quicker than the model says
  double one_way_s = 0;         // what the model says these messages take, mean
  std::uint64_t messages = 0;   // that it was found from
};

// From messages between hosts that were sent after their receiver had begun to wait for nothing else, when
// the sender's host had nothing under way that they would wait behind, and with nothing beside them: messages
// of one host to several share its port frame by frame, as several streams do, and so do those of several to
// one. Recorded from entering the send
// to leaving the receive, less the model's one-way time; median by direction, so that an error of the clocks
// cancels between the two directions, then the mean of the directions.
Calibration calibrate(const Program& program, const MachineModel& model);

}  // namespace ww::simulate
