#include "simulate/assumptions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "simulate/networks/registry.hpp"

namespace ww::simulate {
namespace {

// Of the predicted time.
constexpr double differs_by = 0.05;

void say_calibration(std::vector<std::string>& said, const Known& known) {
  const auto& [check, calibration, as_predicted] = known;
  if (as_predicted && check.software_s != 0)
    said.push_back(
        fmt::format("software per message between hosts takes {} {} than the model says, as in the "
                    "prediction that the trace is",
                    show_time(std::fabs(check.software_s)), known.calibrated_to()));
  if (calibration.messages == 0) return;
  const std::string found = fmt::format("{} {} than the model says, found from {} messages",
                                        show_time(std::fabs(calibration.extra_software_s)),
                                        known.calibrated_to(), calibration.messages);
  if (check.software_s != 0)
    said.push_back(
        fmt::format("software per message between hosts takes {}; it does not change with the wire", found));
  else
    said.push_back(fmt::format(
        "messages took {}; the recorded time comes out without that, so it widens the interval only", found));
}

}  // namespace

void say_network(std::vector<std::string>& said, const Known& known, const SimulatedNetwork& network,
                 const NetworkSpec& spec) {
  said.insert(said.end(), network.assumptions.begin(), network.assumptions.end());
  if (is_random(spec))
    said.push_back(fmt::format(
        "the prediction is one run of this network's chances (seed 1), its interval holds {} seeds; how it "
        "changes with latency and software is not said, chance moves it more",
        seeds_of_random));
  say_calibration(said, known);
}

void say_traffic_between_hosts(std::vector<std::string>& said, const Known& known,
                               const MachineModel& model) {
  const SelfCheck& check = known.check;
  said.push_back("each host sends one message at a time and receives one at a time, first come first served");
  if (const Link* link = model.link(Place::inter); link && !link->wire)
    said.push_back("the model does not tell wire from software: a port is busy for the size-dependent part");
  else if (link && link->wire->two_way_efficiency < 1 && !check.rules.two_way_slows)
    said.push_back(
        "sending and receiving at once do not slow each other down: the recorded run shows no sign of the "
        "model's two-way efficiency");
  else if (link && link->wire->two_way_efficiency < 1)
    said.push_back(fmt::format(
        "while a host sends and receives at once each direction runs at {:.0f}% of its rate{}",
        100 * link->wire->two_way_efficiency,
        link->wire->two_way_efficiency_eager
            ? fmt::format(", of eager messages at {:.0f}%", 100 * *link->wire->two_way_efficiency_eager)
            : ""));
  say_calibration(said, known);
  if (check.met_no_data)
    said.push_back(
        "no reply to a rendezvous request meets data sent before it, as none did in the recorded run; the "
        "interval covers that they do");
  else
    said.push_back(fmt::format("{}{}", in_words(check.rules),
                               check.rules == TrafficRules{} ? "" : ", as the recorded run shows"));
}

std::string in_words(const TrafficRules& rules) {
  if (rules.in_turn) return "large messages that meet go one after the other";
  return rules.replies_wait
             ? "the reply to a rendezvous request waits behind data sent before it to the same host"
             : "the reply to a rendezvous request passes the data sent before it";
}

nlohmann::json to_json(const TrafficRules& rules) {
  return {{"two_way_slows", rules.two_way_slows},
          {"replies_wait", rules.replies_wait},
          {"in_turn", rules.in_turn}};
}

void say_modes(Diagnostics& diagnostics, const Prediction& prediction) {
  const UnderOtherRules* farthest = nullptr;
  const auto away_s = [&](const UnderOtherRules& other) {
    return std::fabs(other.predicted_s - prediction.predicted_s);
  };
  for (const UnderOtherRules& other : prediction.also_possible)
    if (away_s(other) > differs_by * prediction.predicted_s &&
        (!farthest || away_s(other) > away_s(*farthest)))
      farthest = &other;
  if (farthest != nullptr)
    diagnostics.add(
        "exchanges-in-two-modes",
        fmt::format("predicted is that {}; were it that {}, as may be in another run, {} (the interval "
                    "holds both): take messages below the eager threshold, or raise it, where the same "
                    "time is wanted in each run",
                    in_words(prediction.rules), in_words(farthest->rules), show_time(farthest->predicted_s)));
}

void say_stalls(Diagnostics& diagnostics, const Program& program, std::span<const Stall> stalls) {
  if (stalls.empty()) return;
  double sum_s = 0;
  const Stall* longest = &stalls.front();
  for (const Stall& stall : stalls) {
    sum_s += stall.seconds;
    if (stall.seconds > longest->seconds) longest = &stall;
  }
  const ProgramMessage& message = program.messages[longest->message];
  diagnostics.add(
      "messages-stood-still",
      fmt::format(
          "{} message{} took {} longer than size, wire and software explain, the longest {} (of {} bytes "
          "from rank {} to rank {}): a timer of TCP (an acknowledgement that came late, a frame sent "
          "again), or a rank that had no core. The prediction keeps it as the hosts' time, and its "
          "interval holds that it does not come again; record once more to see whether it does",
          stalls.size(), stalls.size() == 1 ? "" : "s", show_time(sum_s), show_time(longest->seconds),
          message.bytes, message.source, message.destination));
}

}  // namespace ww::simulate
