#include "simulate/assumptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "simulate/cooling.hpp"
#include "simulate/lab_wire.hpp"
#include "simulate/networks/registry.hpp"

namespace ww::simulate {
namespace {

// Of the predicted time.
constexpr double differs_by = 0.05;
// Of the recorded time: what a rank was kept from its core is in the interval whatever it is, and said from here on.
constexpr double kept_that_matters = 0.01;

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
  if (check.software_s != 0 && check.software_s != calibration.extra_software_s)
    said.push_back(fmt::format(
        "software per message between hosts takes {} {} than the model says; messages took {}, of which so "
        "much gives the recorded time; half of that is taken on another network",
        show_time(std::fabs(check.software_s)), known.calibrated_to(), found));
  else if (check.software_s != 0)
    said.push_back(fmt::format(
        "software per message between hosts takes {}; half of that is taken on another network", found));
  else
    said.push_back(fmt::format(
        "messages took {}; the recorded time comes out without that, so it widens the interval only", found));
}

void say_computation(std::vector<std::string>& said, const Prediction& out, const Program& program,
                     const WhatIf& what_if) {
  if (program.graph)
    said.push_back(what_if.compute == 1
                       ? "computation takes as long as the schedule says"
                       : fmt::format("computation is {} times as fast as in the schedule", what_if.compute));
  else if (out.cooling && what_if.compute == 1)
    said.push_back(in_words(*out.cooling));
  else
    said.push_back(
        what_if.compute == 1
            ? "computation between MPI calls takes as long as recorded (data that do not fit the "
              "caches cool while a rank waits, so it may be quicker where waits are shorter; the interval "
              "holds "
              "up to a fifth more or less)"
            : fmt::format("computation between MPI calls is {} times as fast as recorded{}", what_if.compute,
                          out.cooling ? ", and " + in_words(*out.cooling) : ""));
  if (!what_if.compute_scopes.empty())
    said.push_back(
        "computation in the named ranks and regions is so many times as fast, that outside them unchanged; "
        "a computation that lies partly in a region counts by its part");
}

}  // namespace

std::string cores_are_shared(const Program& program, double alone_s) {
  return fmt::format(
      "the {} hosts share {} cores, as when it was recorded, and the software of their messages waits for "
      "these: ranks and switch took "
      "{} of them then, more than there is of them in the {} that it would take with a core for each host; "
      "the interval holds that, too",
      program.hosts.size(), program.recorded.shared_cores, show_time(program.recorded.core_work_s),
      show_time(alone_s));
}

void say_assumptions(Prediction& out, const Known& known, const Program& program, const MachineModel& model,
                     const WhatIf& what_if) {
  auto& said = out.assumptions;
  say_computation(said, out, program, what_if);
  if (what_if.machine)
    said.push_back(fmt::format(
        "the messages are those of the machine '{}', the computation that of the recording one, whose "
        "processors it takes to be the same; the library chooses its algorithms as when recorded",
        what_if.machine->name));
  const Link* used = model.link(*what_if.network);
  said.push_back(
      program.progress == Progress::always
          ? "messages above the eager threshold move whatever both ranks do: the library has processes or "
            "threads of its own for them"
      : used && !used->rendezvous_needs_sender
          ? "messages above the eager threshold are fetched by a receiver that is inside an MPI call, "
            "whatever the sender does"
          : "messages above the eager threshold move only when both ranks are inside MPI calls");
  if (what_if.network == Place::intra)
    said.push_back(
        "all ranks share one host: bandwidth and latency are those of its memory between two ranks; "
        "bandwidth means all of a message's time that grows with its size; messages do not slow each other "
        "down");
  else if (what_if.topology)
    say_network(said, known, out.simulated.network, *what_if.topology);
  else
    say_traffic_between_hosts(said, known, model);
  if (what_if.network == Place::inter) {
    const auto of_lab = assumptions_of_lab(model, what_if);
    said.insert(said.end(), of_lab.begin(), of_lab.end());
  }
  if (model.costs.F.empty() && model.costs.U.empty())
    said.push_back("the model has no software costs: sending and receiving calls take no time of their own");
  if (std::any_of(program.messages.begin(), program.messages.end(),
                  [](const ProgramMessage& message) { return message.reduced; }))
    said.push_back(model.reduction.empty()
                       ? "the arithmetic of reductions takes no time, as the model does not tell it"
                       : "the arithmetic of reductions is that of adding doubles, as measured");
  if (program.recorded.kept_share > kept_that_matters)
    said.push_back(
        fmt::format("a rank of the recorded run was kept from its core for {:.0f}% of its time: the "
                    "interval holds that nothing "
                    "disturbs the other run, and that it is disturbed as much",
                    100 * program.recorded.kept_share));
  if (program.recorded.core_wait_s > kept_that_matters * out.predicted_s)
    said.push_back(fmt::format(
        "ranks shared cores and one waited {} for its own in the recorded run, which is no network's: the "
        "interval holds that it waits as long in the other run",
        show_time(program.recorded.core_wait_s)));
  if (out.on_shared_cores_s > (1 + kept_that_matters) * out.predicted_s)
    said.push_back(fmt::format(
        "each host has a core; the {} hosts shared {} when it was recorded, and where the software "
        "of their messages waits for these it takes {}, which the interval holds",
        program.hosts.size(), program.recorded.shared_cores, show_time(out.on_shared_cores_s)));
  if (!out.arbitration.others.empty()) said.push_back(in_words(out.arbitration, out.predicted_s));
  said.insert(said.end(), program.assumptions.begin(), program.assumptions.end());
}

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
  const Link* const between = model.link(Place::inter);
  if (between && frames_known(*between)) {
    said.push_back(
        "each host sends one frame at a time and receives one at a time: of a pair of ranks some frames wait "
        "in the host's queue, first come first served, and the rest behind them; what waits from one rank to "
        "another is one stream, as what TCP sends, so messages share its frames and arrive with them; who "
        "reads a second small message of another, and has sent that one nothing since the first, "
        "acknowledges "
        "both by a frame");
    if (model.lab.linux_tcp)
      said.push_back(
          "the lab's TCP is as Linux sets it: of two large messages that meet, who begins later sends what "
          "its "
          "window has, waits behind what the other has handed over, and goes on; windows grow as nothing is "
          "lost");
    if (model.lab.at_once > 1)
      said.push_back(
          fmt::format("what is sent from one rank to another goes up to {:.0f} frames at once, and nothing "
                      "comes between them, as in the lab that was measured",
                      model.lab.at_once));
  } else {
    said.push_back(
        "each host sends one message at a time and receives one at a time, first come first served");
  }
  if (between && !between->wire)
    said.push_back("the model does not tell wire from software: a port is busy for the size-dependent part");
  else if (between && between->wire->two_way_efficiency < 1 && !check.rules.two_way_slows)
    said.push_back(
        "sending and receiving at once do not slow each other down: the recorded run shows no sign of the "
        "model's two-way efficiency");
  else if (between && between->wire->two_way_efficiency < 1)
    said.push_back(fmt::format(
        "while a host sends and receives at once each direction runs at {:.0f}% of its rate{}",
        100 *
            std::max(between->wire->two_way_efficiency, between->wire->two_way_efficiency_eager.value_or(0)),
        between->wire->two_way_efficiency_eager
            ? fmt::format(", of eager messages at {:.0f}%", 100 * *between->wire->two_way_efficiency_eager)
            : ""));
  say_calibration(said, known);
  said.push_back(fmt::format("{}{}", in_words(check.rules),
                             check.rules == TrafficRules{} ? "" : ", as the recorded run shows"));
}

std::string in_words(const TrafficRules& rules) {
  if (rules.in_turn) return "large messages that meet go one after the other";
  if (rules.reads_apart) return "a request is read with what comes before it only if it follows at once";
  return rules.replies_wait ? "the reply to a rendezvous request waits behind data sent before it to the "
                              "same host; the library reads "
                              "requests while it waits inside a call, so who comes first is found by replay"
                            : "the reply to a rendezvous request passes the data sent before it";
}

nlohmann::json to_json(const TrafficRules& rules) {
  return {{"two_way_slows", rules.two_way_slows},
          {"replies_wait", rules.replies_wait},
          {"in_turn", rules.in_turn},
          {"reads_apart", rules.reads_apart}};
}

void say_other_model(Diagnostics& diagnostics, const MachineModel& predicted_for, const MachineModel& given) {
  diagnostics.add(
      "predicted-for-another",
      fmt::format("the trace is a prediction for the machine '{}' and not for '{}': leave --machine "
                  "out, its own model is in its directory",
                  predicted_for.name, given.name));
}

void say_no_interval(Prediction& out) {
  out.has_interval = false;
  out.predicted_low_s = out.predicted_high_s = out.latency_s_per_s = out.seconds_per_byte_s_per_s =
      out.overhead_s_per_s = std::numeric_limits<double>::quiet_NaN();
  out.assumptions.push_back("one replay, as asked for: it has no interval");
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
