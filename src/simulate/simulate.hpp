// Replays a trace on a machine model: the computation as recorded, the messages as the model says.
// Deterministic; one stated arbitration rule (first come, first served; ties by rank), and others to compare.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation.hpp"
#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "machine/what_if.hpp"
#include "simulate/arbitration.hpp"
#include "simulate/computations.hpp"
#include "simulate/doubt_sum.hpp"
#include "simulate/networks/channel_use.hpp"
#include "trace/trace.hpp"

namespace ww {

namespace simulate {
struct Cooling;
struct CoolingInReplay;
struct CurvesFromNothing;
struct Explanation;
struct Program;
class Observer;
}  // namespace simulate

struct SimulatedRank {
  std::int32_t rank = 0;
  double begin_s = 0;  // since the earliest begin of a rank
  double elapsed_s = 0, compute_s = 0, library_s = 0, blocked_s = 0, blocked_algorithmic_s = 0,
         blocked_service_s = 0;
  double send_s = 0;  // of library_s: to dispatch messages of its own (not those inside collectives)
  // What it sent, the messages inside collectives counted one by one. network_s: from when the messages that
  // leave its host (or all, where all ranks share one) were handed to the network until they were there,
  // together, so that messages side by side count twice; queued_s: of that beyond what each would have taken
  // alone, because ports were busy.
  std::uint64_t messages_sent = 0, bytes_sent = 0;
  double network_s = 0, queued_s = 0;
};

// What carried the messages between hosts, and what it counted: collisions of a bus, say.
struct SimulatedNetwork {
  std::string name;
  std::vector<std::pair<std::string, double>> counts;
  std::vector<std::string> assumptions;
  std::vector<ChannelUse>
      channels;  // that carried something, the busiest first; none where the network tells of none
};

struct Simulated {
  double elapsed_s = 0;  // from the earliest begin to the latest end, as Trace::elapsed_s
  std::vector<SimulatedRank> ranks;
  std::uint64_t events = 0;
  double evaluate_s = 0;
  SimulatedNetwork network;
};

// What a network of ports does with traffic that meets; the defaults are the rules for contiguous data over
// TCP.
struct TrafficRules {
  bool two_way_slows =
      true;  // both directions at once work at the model's two-way efficiency, else independently
  bool replies_wait =
      true;  // a rendezvous reply waits behind data sent before it to the same host, else it passes
  // ... and behind data that are yet to go there, once these have their reply: large messages that meet take
  // turns where their senders came so near to each other that microseconds decide. Only with replies_wait.
  bool in_turn = false;
  // What follows the message that a rank waited for is read with it as far as in is.S's quickest runs only (reads_apart_share in
  // events/reading.hpp). Only with replies_wait.
  bool reads_apart = false;
  bool operator==(const TrafficRules&) const = default;
};

// How many cores the hosts of a run share, if fewer than there are (a lab on a small machine; events/cores_of_hosts.hpp), and what of a message's
// latency between them is software of its receiver's host. 0 cores: each host has its own.
struct SharedCores {
  int cores = 0;
  double of_latency_s = 0;  // without what the switch is known to do
  // Of a core that the lab's switch takes for what a host hands over at once, and how much that is.
  double lab_s_of_piece = 0, piece_bytes = 1460;
  double pieces(std::int64_t bytes) const {
    return std::max(1.0, std::ceil(static_cast<double>(bytes) / piece_bytes));
  }
};

struct SimulateOptions {
  double compute_factor = 1;    // computation takes 1 / this
  double extra_software_s = 0;  // added to every message between hosts: see calibrate()
  TrafficRules rules = {};
  std::optional<NetworkSpec> network = {};  // ports if not given
  std::uint64_t seed = 1;                   // of networks with a random part
  Arbitration arbitration = Arbitration::first_come;
  // Computation by the time that a rank was away from it (cooling.hpp); of recorded programs.
  const simulate::CoolingInReplay* cooling = nullptr;
  simulate::Observer* observer = nullptr;      // is told of the replay (observer.hpp)
  const Cancellation* cancellation = nullptr;  // ends it early: cancelled()
  SharedCores shared_cores = {};
  bool sends_keep_all = false;  // sends in a row keep their rank as one alone does (ReplayCosts::kept_share)
};

// What plays a program: events one by one, on any machine and network; or, under LogGOPS alone, windows of
// events (schedule/windows.hpp), or nothing in anything's way (schedule/maxplus.hpp).
enum class Evaluator : std::uint8_t { events, windows, free };

// What a run was replayed under, beside its trace.
struct Conditions {
  MachineModel model;
  double software_s = 0;  // SimulateOptions::extra_software_s
  TrafficRules rules;
  std::optional<NetworkSpec> network;
  int ranks_per_host = 0;  // 0: the hosts are those that the trace names
  Evaluator evaluator = Evaluator::events;
};

// A network that the simulator can build; what is wrong otherwise. Programs of too many hosts show later.
Result<void> check_network(const NetworkSpec& network);
struct NetworkHelp {
  std::string name, says;
  std::vector<std::string> keys;
};
std::vector<NetworkHelp> known_networks();

// One replay. Errors: the trace cannot be replayed (deadlock with the cycle of ranks and calls, unmatched
// messages).
Result<Simulated> replay(const Trace& trace, const MachineModel& model, const SimulateOptions& options);

// What a prediction would be under other rules that the recorded run does not rule out.
struct UnderOtherRules {
  TrafficRules rules;
  double predicted_s = 0;
};

struct Prediction {
  std::string what_if;   // as the user wrote it
  bool recorded = true;  // else a schedule, of which nothing was: the next two are of no run
  double recorded_s = 0;
  double replayed_s = 0;  // on the recording machine's model, with the calibrated software: the self-check
  double uncalibrated_s = 0;  // ... without it
  // What a gain divides by (gain.hpp): replayed_s, with the computations that the prediction has.
  double baseline_s = 0;
  bool changes_nothing = false;  // the what-if says nothing
  // 95%; the bounds are no numbers where no interval was asked for
  double predicted_s = 0, predicted_low_s = 0, predicted_high_s = 0;
  bool has_interval = true;
  std::vector<SourceOfDoubt> doubts;  // what makes it as wide as it is
  Simulated simulated;                // the predicted run
  double latency_s_per_s = 0, seconds_per_byte_s_per_s = 0,
         overhead_s_per_s = 0;    // sensitivities of predicted_s
  ArbitrationSpread arbitration;  // inside the interval
  // With the cores that its hosts shared when it was recorded (SharedCores); inside the interval; predicted_s
  // itself where they fall short (simulate/doubts.hpp). 0: each had its own, or no interval was asked for and they suffice.
  double on_shared_cores_s = 0;
  TrafficRules rules;                          // that give the recorded time back best
  std::vector<UnderOtherRules> also_possible;  // inside the interval
  double send_kept_share =
      1;  // of the software of a small message's send, in the mean of those recorded (costs.hpp)
  double calibrated_software_s = 0;  // per message between hosts, beyond the model (or below it: negative)
  std::uint64_t disturbed_computations =
      0;  // that count as long as in like runs; disturbance_s shorter, together
  double disturbance_s = 0;
  // Half of the interval that computation alone would give it, since waiting changes and computation with it.
  double computation_doubt_s = 0;
  std::shared_ptr<const simulate::Cooling> cooling;  // where a second recording told how it does
  double load_s = 0;  // of loading the trace (where predictions are not of a loaded one) and compiling it, or
                      // of mapping the program
  // Where it was asked for: the same without contention, and its JSON text; or why there is none.
  std::shared_ptr<const simulate::Explanation> explained;
  std::string contention_free;
  std::string not_explained;
  std::shared_ptr<const Conditions> conditions;  // of the predicted run, where an observer was told of it
  std::vector<std::string> assumptions;
  Diagnostics diagnostics;
};

struct PredictOptions {
  // What the trace's computations take in the prediction, from without_disturbances; as recorded without.
  const Undisturbed* computed = nullptr;
  // How the trace's computations depend on waiting, by another recording of the same program (cooling.hpp: its
  // kinds are those of this trace). Of a recorded program by the events engine.
  std::shared_ptr<const simulate::Cooling> cooling = {};
  bool explain = false;                                 // contention_free too
  const simulate::CurvesFromNothing* curves = nullptr;  // its curves for a picture (free/explain.hpp)
  Evaluator evaluator = Evaluator::events;
  unsigned threads = 1;  // the predictions are the same in any number
  // Without it a prediction is the self-check and one replay; no bounds, no sensitivities, no other
  // arbitration.
  bool interval = true;
  // Is told of the predicted run of a recorded program; of one what-if only.
  simulate::Observer* observer = nullptr;
  const Cancellation* cancellation = nullptr;
};

// Replays on `recorded_on` (the self-check), calibrates the software inside the application, then predicts.
Result<Prediction> predict(const Trace& trace, const MachineModel& recorded_on, const WhatIf& what_if);
// The same for several what-ifs; the trace is compiled and calibrated once. In the order of `what_ifs`.
Result<std::vector<Prediction>> predict_all(const Trace& trace, const MachineModel& recorded_on,
                                            const std::vector<WhatIf>& what_ifs,
                                            const PredictOptions& options = {});

// A compiled trace (program.hpp, stored.hpp), with the trace itself where a what-if may need it: one that is
// needs_trace().
struct Replayable {
  const simulate::Program& program;
  const Trace* trace = nullptr;
  // Of a predicted run that was loaded (predicted_run.hpp). On its own model its self-check is one replay under
  // them, and what-ifs without a network keep its network.
  const Conditions* conditions = nullptr;
};
bool needs_trace(const WhatIf& what_if);
Result<std::vector<Prediction>> predict_all(const Replayable& run, const MachineModel& recorded_on,
                                            const std::vector<WhatIf>& what_ifs,
                                            const PredictOptions& options = {});
// The same of many: what_if(i) for i below `count`; take(i, ...) is called by any of the threads, one i by
// one only. The error is that of the lowest i that has one.
Result<void> predict_each(const Replayable& run, const MachineModel& recorded_on, std::size_t count,
                          const std::function<Result<WhatIf>(std::size_t)>& what_if,
                          const std::function<void(std::size_t, Prediction&&)>& take,
                          const PredictOptions& options = {});
nlohmann::json to_json(const Prediction& prediction);  // `simulate --json`

}  // namespace ww
