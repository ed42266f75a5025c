#include "simulate/free/explain.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "machine/latency.hpp"

namespace ww::simulate {
namespace {

constexpr double curve_times = 9, tolerance_times = 999;  // what is added, in terms of the machine's value
constexpr std::uint64_t slower = 8;                       // than a schedule's evaluation, an operation

double seconds(Picoseconds time) {
  return static_cast<double>(time) / picoseconds_per_s;
}

double now_of(Parameter parameter, const MachineModel& model, Place network) {
  const Link* link = model.link(network);
  if (link == nullptr || link->one_way.empty()) return 0;
  switch (parameter) {
    case Parameter::latency:
      return latency_of(model.costs, *link).s;
    case Parameter::per_byte:
      return link->wire ? link->wire->seconds_per_byte
                        : std::max(0.0, link->one_way.segments.back().seconds_per_byte);
    case Parameter::overhead:
      return std::max(0.0, model.costs.F.at(1));
  }
  return 0;
}

// What curves and tolerances go up by. Software may leave nothing of the smallest message for a latency,
// which then grows in terms of that message.
double step_of(Parameter parameter, const MachineModel& model, Place network) {
  const double now_s = now_of(parameter, model, network);
  if (parameter != Parameter::latency || now_s > 0) return now_s;
  const Link* link = model.link(network);
  return link == nullptr || link->one_way.empty() ? 0 : link->one_way.at(1);
}

const char* key_of(Parameter parameter) {
  return parameter == Parameter::latency    ? "latency"
         : parameter == Parameter::per_byte ? "seconds_per_byte"
                                            : "overhead";
}

double least_reach(const CurvesFromNothing& curves, Parameter parameter) {
  switch (parameter) {
    case Parameter::latency:
      return curves.latency_s;
    case Parameter::per_byte:
      return curves.seconds_per_byte;
    case Parameter::overhead:
      return curves.overhead_s;
  }
  return 0;
}

class BlockedTimes : public Observer {
 public:
  explicit BlockedTimes(std::size_t ranks) : of_rank_s(ranks, 0) {}
  void blocked(const Blocked& wait) override {
    of_rank_s[static_cast<std::size_t>(wait.rank)] += wait.to_s - wait.from_s;
  }
  std::vector<double> of_rank_s;
};

}  // namespace

CurvesFromNothing parameters_of(const MachineModel& model, Place network) {
  return {now_of(Parameter::latency, model, network), now_of(Parameter::per_byte, model, network),
          now_of(Parameter::overhead, model, network)};
}

Result<Explanation> explain(const Program& program, const ReplayCosts& costs, const MachineModel& model,
                            FreeOptions options, const CurvesFromNothing* curves) {
  const auto added = [](double times, double now_s) {
    return static_cast<Picoseconds>(std::llround(times * now_s * picoseconds_per_s));
  };
  Explanation out;
  options.blame = true;
  BlockedTimes blocked(program.ranks.size());
  options.observer = &blocked;
  WW_TRY(out.run, replay_free(program, costs, options));
  out.blocked_s = std::move(blocked.of_rank_s);
  options.observer = nullptr;
  options.blame = false;
  schedule::Reach reach;
  for (const Parameter parameter : schedule::all_parameters) {
    out.now_s[parameter] = now_of(parameter, model, options.network);
    const double step_s = step_of(parameter, model, options.network);
    reach.curves[parameter] = added(curve_times, step_s);
    reach.tolerances[parameter] = added(tolerance_times, step_s);
    if (curves == nullptr) continue;
    const double now_s = out.now_s[parameter], at_least_s = least_reach(*curves, parameter);
    reach.from[parameter] = -added(1, now_s);
    reach.curves[parameter] = std::max(reach.curves[parameter], added(1, at_least_s - now_s));
  }
  reach.jointly = curves == nullptr;
  std::uint64_t work = 0;
  for (const RankProgram& rank : program.ranks) work += rank.size();
  WW_TRY(out.grows, schedule::growths(growing(program, costs, options), out.run.finish, reach,
                                      schedule::limits_for(slower * work)));
  const double byte_s = out.now_s[Parameter::per_byte];
  out.joint_scale = {picoseconds_per_s,
                     out.now_s[Parameter::latency],
                     byte_s,
                     step_of(Parameter::latency, model, options.network),
                     byte_s,
                     {1, 2, 5, 10}};
  return out;
}

nlohmann::json to_json(const Explanation& explanation, const Program& program) {
  const FreeRun& run = explanation.run;
  const auto ends = [&](std::uint64_t number) {
    const ProgramMessage& message = program.messages[number];
    return schedule::MessageEnds{message.source, message.destination, message.bytes};
  };
  nlohmann::json blame = to_json(run.blame, true, program.regions, ends, picoseconds_per_s);
  blame["compute_s"] = seconds(run.blame.compute);
  blame["under_way_s"] = seconds(run.blame.under_way);
  nlohmann::json grows = nlohmann::json::object();
  for (const auto& [parameter, curve, within] : explanation.grows.by) {
    const double now_s = explanation.now_s.at(parameter);
    nlohmann::json& one = grows[key_of(parameter)] = to_json(curve, now_s, picoseconds_per_s);
    one["now_s"] = now_s;
    one["tolerance"] = nlohmann::json::array();
    for (const auto& [percent, most] : within)
      one["tolerance"].push_back(
          {{"slower", percent / 100.0},
           {"up_to_s", most < 0 ? nlohmann::json() : nlohmann::json(now_s + seconds(most))}});
  }
  nlohmann::json out = {{"predicted_s", seconds(run.finish)},
                        {"sensitivity",
                         {{"latency_s_per_s", run.slopes.latency},
                          {"seconds_per_byte_s_per_s", run.slopes.per_byte},
                          {"overhead_s_per_s", run.slopes.overhead}}},
                        {"blame", std::move(blame)},
                        {"blocked_s", explanation.blocked_s},
                        {"curves", std::move(grows)}};
  if (explanation.grows.joint)
    out["map"] = schedule::to_json(*explanation.grows.joint, explanation.joint_scale);
  return out;
}

}  // namespace ww::simulate
