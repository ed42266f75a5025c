#include "simulate/play_on.hpp"

#include "simulate/costs.hpp"
#include "simulate/events/engine.hpp"

namespace ww::simulate {

Result<Simulated> play_on(const Program& program, const MachineModel& model, const SimulateOptions& options,
                          const MachineModel& recorded_on, std::span<const Stall> stalls) {
  return play_on(program, MessageKinds::of(program, &recorded_on), model, options, recorded_on, stalls);
}

Result<Simulated> play_on(const Program& program, const MessageKinds& kinds, const MachineModel& model,
                          const SimulateOptions& options, const MachineModel& recorded_on,
                          std::span<const Stall> stalls) {
  WW_TRY(ReplayCosts costs,
         ReplayCosts::make(program, kinds, model, options.extra_software_s, stalls, &recorded_on));
  if (options.sends_keep_all) costs.keep_all();
  if (options.shared_cores.cores > 0) costs.receivers_do(options.shared_cores.of_latency_s);
  return play(program, costs, options);
}

}  // namespace ww::simulate
