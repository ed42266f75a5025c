#include "simulate/events/engine.hpp"

#include "simulate/events/player.hpp"
#include "simulate/events/unhindered.hpp"
#include "simulate/predicted_run.hpp"

namespace ww::simulate {

Result<Simulated> play(const Program& program, const ReplayCosts& costs, const SimulateOptions& options) {
  const auto tell = [&](auto* observer) -> Result<Simulated> {
    Engine engine(program, costs, options, observer);
    WW_CHECK(engine.join_hosts(options));
    return engine.play();
  };
  auto* const notes = dynamic_cast<RunNotes*>(options.observer);
  if (options.observer != nullptr && notes == nullptr) return tell(options.observer);
  if (goes_unhindered(program, costs, options)) {
    WW_TRY(std::optional<Simulated> played, play_unhindered(program, costs, options, notes));
    if (played) return *std::move(played);
    return tell(static_cast<Nobody*>(nullptr));  // which says what it waits for
  }
  return notes != nullptr ? tell(notes) : tell(static_cast<Nobody*>(nullptr));
}

}  // namespace ww::simulate
