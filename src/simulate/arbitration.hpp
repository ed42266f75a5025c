// Which of several messages a host's port serves next, and what happens first of what happens at the same
// instant. No trace tells; every rule here is one that real systems have, and the prediction's interval holds
// what all of them give.
//
// Whatever the rule, messages from one rank to another never pass each other, and a port that could serve
// never stands idle. Of a wire whose frames are known, frames are what waits where they leave a host (networks/frame_queue.hpp).
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ww {

enum class Arbitration : std::uint8_t {
  first_come,   // what waits longest, of frames some of a pair of ranks at a time; ties go to the lower rank
  higher_rank,  // so, but ties go to the higher rank
  turns,        // pairs of ranks take turns, a message each or a frame
  shares,       // pairs of ranks get as many bytes each; of frames this is turns
  as_written  // the frames of all that was given to a host's system, in the order in which it was; of messages this is first_come
};
const char* to_string(Arbitration rule);

// The predicted time by the rules that the network has beside first_come.
struct ArbitrationSpread {
  struct Other {
    Arbitration rule = Arbitration::first_come;
    double predicted_s = 0;
  };
  std::vector<Other> others;

  double low_s(double predicted_s) const;
  double high_s(double predicted_s) const;
};

struct SimulateOptions;
struct MachineModel;
namespace simulate {
struct Program;

// What first_come is to be compared with. Empty where nothing is arbitrated: without messages between hosts,
// and on networks that draw who is next.
std::vector<Arbitration> other_rules(const Program& program, const MachineModel& model,
                                     const SimulateOptions& options);
nlohmann::json arbitration_json(const ArbitrationSpread& spread, double predicted_s);
// One sentence for the assumptions.
std::string in_words(const ArbitrationSpread& spread, double predicted_s);

}  // namespace simulate
}  // namespace ww
