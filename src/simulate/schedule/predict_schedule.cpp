#include "simulate/schedule/predict_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "machine/flags.hpp"

namespace ww::schedule {
namespace {

// A curve is drawn to ten times the machine's value, a tolerance looked for to a thousand times.
constexpr Ticks curve_times = 10, tolerance_times = 1000;

std::vector<RankTimes> times_of(const Schedule& schedule, const LogGopsTicks& machine, const Played& played) {
  std::vector<RankTimes> out(schedule.ranks());
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    Ticks compute = 0, software = 0;
    for (std::uint64_t i = schedule.first_op[rank]; i < schedule.first_op[rank + 1]; ++i) {
      const Op& op = schedule.ops[i];
      const Ticks small =
          machine.rendezvous(op.amount) ? machine.send_processor(1) + machine.receive_processor(1) : 0;
      if (op.kind == GoalKind::compute)
        compute += machine.compute(op.amount);
      else if (op.kind == GoalKind::send)
        software += machine.send_processor(op.amount) + small;
      else
        software += machine.receive_processor(op.amount) + small;
    }
    out[rank] = {seconds(played.rank_finish[rank]), seconds(compute), seconds(software)};
  }
  return out;
}

bool wants_chain(const ScheduleOptions& options) {
  return options.interval || options.explain;
}

// Where the chain is wanted, out.free is found with it.
Result<FinishSpread> without_contention(const Schedule& schedule, SchedulePrediction& out,
                                        const ScheduleOptions& options) {
  Evaluated evaluated;
  if (!wants_chain(options) || options.listening.services != nullptr) {
    WW_TRY(evaluated, evaluate(schedule, out.machine, options.listening));
  }
  if (wants_chain(options)) {
    WW_TRY(out.free, explain(schedule, out.machine, options.listening.cancellation));
    evaluated = out.free->evaluated;
  }
  const Ticks finish = evaluated.finish;
  return FinishSpread{{finish, std::move(evaluated.rank_finish), schedule.size()}, finish, finish};
}

Result<FinishSpread> by_windows(const Schedule& schedule, const LogGopsTicks& machine,
                                const ScheduleOptions& options) {
  if (options.interval) return play_all_rules(schedule, machine, options.threads, options.listening);
  WW_TRY(Played alone, play_windows(schedule, machine, Rule::created, options.threads, options.listening));
  const Ticks finish = alone.finish;
  return FinishSpread{std::move(alone), finish, finish};
}

std::string in_words(const LogGopsTicks& machine) {
  return fmt::format("L {}, o {}, g {}, G {:.4g} ns a byte, O {:.4g} ns a byte, S {} bytes",
                     show_time(seconds(machine.L)), show_time(seconds(machine.o)),
                     show_time(seconds(machine.g)), seconds(machine.G) * 1e9, seconds(machine.O) * 1e9,
                     machine.S_bytes == ~std::uint64_t{0} ? "unlimited" : std::to_string(machine.S_bytes));
}

}  // namespace

Result<TakenParameters> loggops_of(const MachineModel& model) {
  TakenParameters out;
  if (model.loggops) {
    out.machine = *model.loggops;
    return out;
  }
  const Link* link = model.link(Place::inter);
  if (link == nullptr) link = model.link(Place::intra);
  if (link == nullptr || link->one_way.empty())
    return fail("the machine model says nothing about messages", model.name, "measure it, or take a preset");
  const double byte_s = std::max(0.0, link->one_way.at(1));
  const double software_s =
      std::min(byte_s, std::max(0.0, model.costs.F.at(1)) + std::max(0.0, model.costs.U.at(1)));
  const Segment& last = link->one_way.segments.back();
  LogGops& machine = out.machine;
  machine.o_s = software_s / 2;
  machine.L_s = byte_s - software_s;
  constexpr double large_bytes = 1 << 22;
  machine.G_s_per_byte =
      link->wire ? link->wire->port_busy_s(large_bytes) / large_bytes : std::max(0.0, last.seconds_per_byte);
  machine.g_s = link->wire ? link->wire->port_busy_s(1) : machine.o_s;
  machine.O_s_per_byte =
      model.costs.F.empty() ? 0 : std::max(0.0, model.costs.F.segments.back().seconds_per_byte);
  machine.S_bytes = link->eager_threshold_bytes.value_or(1e19);
  out.assumptions.push_back(
      fmt::format("the model '{}' has no LogGOPS parameters: they are taken from its messages {}", model.name,
                  link->between == Place::inter ? "between hosts" : "within a host"));
  return out;
}

Result<LogGops> loggops_under(const LogGops& given, const WhatIf& what_if) {
  if (what_if.per_byte != 1 || what_if.topology || !what_if.compute_scopes.empty() ||
      what_if.ranks_per_host > 1)
    return wrong_usage("a what-if that a schedule under LogGOPS knows nothing of", what_if.spec,
                       "give bandwidth=, latency=, software=, compute= or machine=; networks and per-byte= "
                       "are played by --evaluator events");
  LogGops machine = given;
  machine.L_s = what_if.latency_s.value_or(machine.L_s * what_if.latency);
  machine.G_s_per_byte /= what_if.bandwidth;
  machine.g_s /= what_if.bandwidth;
  machine.o_s *= what_if.software;
  machine.O_s_per_byte *= what_if.software;
  return machine;
}

Result<LogGopsTicks> machine_of(const MachineModel& model, const WhatIf& what_if) {
  WW_TRY(const TakenParameters taken, loggops_of(what_if.machine ? *what_if.machine : model));
  WW_TRY(const LogGops on, loggops_under(taken.machine, what_if));
  WW_TRY(LogGopsTicks machine, in_ticks(on));
  machine.compute_factor = what_if.compute;
  return machine;
}

Result<SchedulePrediction> predict_schedule(const Schedule& schedule, const MachineModel& model,
                                            const WhatIf& what_if, const ScheduleOptions& options) {
  SchedulePrediction out;
  out.what_if = what_if.spec;
  WW_TRY(TakenParameters taken, loggops_of(what_if.machine ? *what_if.machine : model));
  WW_TRY(out.on, loggops_under(taken.machine, what_if));
  WW_TRY(out.machine, in_ticks(out.on));
  out.machine.compute_factor = what_if.compute;
  const Cancellation* const cancellation = options.listening.cancellation;
  const auto start = std::chrono::steady_clock::now();
  WW_TRY(const FinishSpread spread, options.free_only ? without_contention(schedule, out, options)
                                                      : by_windows(schedule, out.machine, options));
  out.evaluate_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.predicted_s = seconds(spread.played.finish);
  out.low_s = options.interval ? seconds(spread.low) : std::numeric_limits<double>::quiet_NaN();
  out.high_s = options.interval ? seconds(spread.high) : std::numeric_limits<double>::quiet_NaN();
  out.events = schedule.events();
  out.ranks = times_of(schedule, out.machine, spread.played);
  if (wants_chain(options) && !out.free) {
    WW_TRY(out.free, explain(schedule, out.machine, cancellation));
  }
  if (options.explain) {
    const Parameters now = parameters_of(out.machine);
    WW_TRY(out.grows,
           growths(growing(schedule, out.machine, cancellation), out.free->evaluated.finish,
                   {now, now * curve_times, now * tolerance_times}, limits_for(schedule.events())));
  }
  auto& said = out.assumptions;
  said.push_back("LogGOPS: " + in_words(out.machine));
  said.insert(said.end(), taken.assumptions.begin(), taken.assumptions.end());
  if (!options.free_only)
    said.push_back(
        std::string("of what could begin at the same time on a processor, what came into being first comes "
                    "first, then the lower rank") +
        (options.interval ? "; the interval is the range over three other rules (what has waited longest, "
                            "sends first, messages first)"
                          : ""));
  if (!options.interval) said.push_back("one replay, as asked for: it has no interval");
  said.push_back(
      "a message above S bytes is asked for first: request and reply cost what messages of one byte cost");
  said.push_back("wires are never full: messages meet only at processors and cards");
  if (schedule.wildcards > 0)
    said.push_back(fmt::format("{} receives of any source or tag take the first message left over, by rank",
                               schedule.wildcards));
  if (options.free_only || out.free)
    said.push_back(
        "free of contention: each processor serves its operations in the order of the schedule, receives "
        "where they are needed; sensitivities, blame and curves are of that");
  std::vector<const MachineModel*> models{&model};
  if (what_if.machine) models.push_back(what_if.machine.get());
  say_flags(models, said, out.diagnostics);
  return out;
}

JointScale scale_of(const SchedulePrediction& p) {
  return {ticks_per_s, 0, 0, seconds(p.machine.L), seconds(p.machine.G), {0, 0.5, 1, 2, 5, 10}};
}

namespace {

nlohmann::json free_json(const Schedule& schedule, const SchedulePrediction& p) {
  const Chain& chain = p.free->chain;
  const auto ends = [&](std::uint64_t number) {
    const Op& send = schedule.ops[number];
    return MessageEnds{schedule.ops[send.partner].peer, send.peer, send.amount};
  };
  nlohmann::json blame = to_json(p.free->blame, false, schedule.calls, ends, ticks_per_s);
  blame["in_flight_s"] = seconds(p.free->blame.under_way);
  nlohmann::json free = {{"predicted_s", seconds(p.free->evaluated.finish)},
                         {"chain",
                          {{"L", chain.L},
                           {"o", chain.o},
                           {"g", chain.g},
                           {"G_bytes", chain.G},
                           {"O_bytes", chain.O},
                           {"compute_s", seconds(chain.compute)},
                           {"operations", chain.operations},
                           {"messages", chain.messages}}},
                         {"blame", std::move(blame)}};
  for (const Growth& growth : p.grows.by) {
    const char* const parameter = letter_of(growth.parameter);
    free["curves"][parameter] = to_json(growth.curve, 0, ticks_per_s);
    free["curves"][parameter]["evaluations"] = growth.curve.evaluations;
    for (const auto& [percent, most] : growth.within)
      free["tolerance"].push_back({{"parameter", parameter},
                                   {"slower", percent / 100.0},
                                   {"now_s", seconds(parameters_of(p.machine)[growth.parameter])},
                                   {"up_to_s", most < 0 ? nlohmann::json() : nlohmann::json(seconds(most))}});
  }
  if (p.grows.joint) free["map"] = to_json(*p.grows.joint, scale_of(p));
  return free;
}

}  // namespace

nlohmann::json to_json(const Schedule& schedule, const SchedulePrediction& p) {
  nlohmann::json ranks = nlohmann::json::array();
  for (std::size_t rank = 0; rank < p.ranks.size(); ++rank) {
    const RankTimes& times = p.ranks[rank];
    ranks.push_back({{"rank", rank},
                     {"elapsed_s", times.elapsed_s},
                     {"compute_s", times.compute_s},
                     {"library_s", times.software_s},
                     {"blocked_s", times.blocked_s()},
                     {"blocked_algorithmic_s", nullptr},
                     {"blocked_service_s", nullptr}});
  }
  const auto on_chain = [&](std::int64_t Chain::*times) {
    return p.free ? nlohmann::json(p.free->chain.*times) : nlohmann::json();
  };
  return {{"what_if", p.what_if},
          {"recorded_s", nullptr},
          {"replayed_s", nullptr},
          {"predicted_s", p.predicted_s},
          {"predicted_low_s", p.low_s},
          {"predicted_high_s", p.high_s},
          {"ranks", std::move(ranks)},
          {"events", p.events},
          {"evaluate_s", p.evaluate_s},
          {"load_s", p.load_s},
          {"sensitivity",
           {{"latency_s_per_s", on_chain(&Chain::L)},
            {"seconds_per_byte_s_per_s", on_chain(&Chain::G)},
            {"overhead_s_per_s", on_chain(&Chain::o)}}},
          {"loggops",
           {{"L_s", seconds(p.machine.L)},
            {"o_s", seconds(p.machine.o)},
            {"g_s", seconds(p.machine.g)},
            {"G_s_per_byte", seconds(p.machine.G)},
            {"O_s_per_byte", seconds(p.machine.O)},
            {"S_bytes", p.machine.S_bytes}}},
          {"contention_free", p.free ? free_json(schedule, p) : nlohmann::json()},
          {"assumptions", p.assumptions},
          {"diagnostics", p.diagnostics}};
}

}  // namespace ww::schedule
