#include "simulate/ideal_time.hpp"

#include "simulate/simulate.hpp"

namespace ww {
namespace {

MachineModel without_cost(const MachineModel* recorded_on) {
  MachineModel model;
  model.name = "ideal";
  for (const Place place : {Place::inter, Place::intra}) {
    Link link;
    link.between = place;
    link.one_way.segments = {Segment{0, 1e18, 0, 0, {}, {}}};
    if (const Link* like = recorded_on != nullptr ? recorded_on->link(place) : nullptr) {
      link.eager_threshold_bytes = like->eager_threshold_bytes;
      link.rendezvous_needs_sender = like->rendezvous_needs_sender;
    }
    model.links.push_back(link);
  }
  return model;
}

}  // namespace

Result<IdealRun> replay_on_ideal(const Trace& trace, const MachineModel* recorded_on) {
  WW_TRY(const Simulated simulated, replay(trace, without_cost(recorded_on), {}));
  return IdealRun{simulated.elapsed_s,
                  recorded_on != nullptr
                      ? "ideal network: no latency, no time a byte, no software; large messages wait for "
                        "their receive as the machine model says"
                      : "ideal network: no latency, no time a byte, no software; only synchronous sends wait "
                        "for their receive (--machine tells which messages do)"};
}

}  // namespace ww
