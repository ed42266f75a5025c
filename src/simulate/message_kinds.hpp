// Which of a program's messages cost the same on any machine, and what its recorded sends tell of the machine that recorded
// it: what costs need of each message by itself, found once and not for each machine anew.
#pragma once
#include <cstdint>
#include <vector>

#include "machine/model.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

struct MessageKind {
  enum class Way : std::uint8_t { itself, intra, inter } way = Way::itself;
  bool reduced = false;
  std::uint64_t bytes = 0;
  std::uint32_t first = 0;  // message of the program, the first of that kind
};

struct MessageKinds {
  // Of the program with its ranks on the hosts where they are now. recorded_on: null: no send tells anything.
  static MessageKinds of(const Program& program, const MachineModel* recorded_on);

  std::vector<MessageKind> kinds;      // in the order of their first messages
  std::vector<std::uint32_t> kind_of;  // by message
  bool some_synchronous = false;       // ProgramMessage::synchronous of one
  // ReplayCosts::kept_share of the small messages between hosts whose calls tell: the median, where some do not tell (1
  // otherwise), and the mean; 1 where fewer than ten do.
  double usual_kept_share = 1, mean_kept_share = 1;
};

// Of the software of a send alone (F on the machine that recorded it) what its recorded call took.
inline double kept_share_of(const ProgramMessage& message, double alone_s) {
  const double took_s = 1e-9 * ProgramMessage::called_step_ns * message.send_called;
  return took_s / alone_s < 1 ? took_s / alone_s : 1;
}

}  // namespace ww::simulate
