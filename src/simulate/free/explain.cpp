#include "simulate/free/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"
#include "machine/latency.hpp"

namespace ww::simulate {
namespace {

constexpr double curve_times = 9, tolerance_times = 999;  // what is added, in terms of the machine's value
constexpr std::uint64_t slower = 8;                       // than a schedule's evaluation, an operation
constexpr std::size_t told_messages = 20, shown_messages = 5, shown_calls = 5;

double seconds(Picoseconds time) {
  return static_cast<double>(time) / picoseconds_per_s;
}

double now_of(Parameter parameter, const MachineModel& model, Place network) {
  const Link* link = model.link(network);
  if (link == nullptr || link->one_way.empty()) return 0;
  switch (parameter) {
    case Parameter::latency:
      return latency_of(model.costs, *link).s;
    case Parameter::per_wire_byte:
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

const char* in_words(Parameter parameter) {
  switch (parameter) {
    case Parameter::latency:
      return "latency";
    case Parameter::per_wire_byte:
      return "the wire's time a byte";
    case Parameter::overhead:
      break;
  }
  return "a send's software";
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

Result<Explanation> explain(const Program& program, const Costs& costs, const MachineModel& model,
                            FreeOptions options) {
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
  for (const Parameter parameter : {Parameter::latency, Parameter::per_wire_byte, Parameter::overhead}) {
    Grows grows;
    grows.parameter = parameter;
    grows.now_s = now_of(parameter, model, options.network);
    const double step_s = step_of(parameter, model, options.network);
    if (added(curve_times, step_s) <= 0) continue;
    const schedule::Evaluate evaluate = by(parameter, program, costs, options);
    WW_TRY(grows.curve, schedule::all_pieces(evaluate, 0, added(curve_times, step_s)));
    for (const int percent : {1, 5}) {
      WW_TRY(const Picoseconds most,
             schedule::largest_within(evaluate, 0, out.run.finish + out.run.finish / 100 * percent,
                                      added(tolerance_times, step_s)));
      grows.within.push_back(
          {percent, most < 0 ? std::numeric_limits<double>::infinity() : grows.now_s + seconds(most)});
    }
    out.grows.push_back(std::move(grows));
  }
  const double latency_s = now_of(Parameter::latency, model, options.network);
  const double step_s = step_of(Parameter::latency, model, options.network);
  const double byte_s = now_of(Parameter::per_wire_byte, model, options.network);
  const schedule::Place2 most{added(curve_times, step_s), added(curve_times, byte_s)};
  if (most.x <= 0 || most.y <= 0) return out;
  std::uint64_t work = 0;
  for (const RankProgram& rank : program.ranks) work += rank.size();
  WW_TRY(schedule::JointMap map, schedule::joint_map(by_latency_and_bytes(program, costs, options),
                                                     {{}, most}, schedule::limits_for(slower * work)));
  out.joint = std::move(map);
  out.joint_scale = {picoseconds_per_s, latency_s, byte_s, step_s, byte_s, {1, 2, 5, 10}};
  return out;
}

nlohmann::json to_json(const Explanation& explanation, const Program& program) {
  const FreeRun& run = explanation.run;
  const Blame& blame = run.blame;
  nlohmann::json by_rank = nlohmann::json::array(), by_call = nlohmann::json::object(),
                 messages = nlohmann::json::array(), grows = nlohmann::json::object();
  for (std::size_t rank = 0; rank < blame.by_rank_s.size(); ++rank)
    by_rank.push_back({{"rank", rank}, {"s", blame.by_rank_s[rank]}});
  for (std::size_t call = 0; call < blame.by_call_s.size(); ++call)
    if (blame.by_call_s[call] > 0) by_call[program.regions[call]] = blame.by_call_s[call];
  for (std::size_t i = 0; i < std::min(told_messages, blame.messages.size()); ++i) {
    const ProgramMessage& message = program.messages[blame.messages[i].message];
    messages.push_back({{"from", message.source},
                        {"to", message.destination},
                        {"bytes", message.bytes},
                        {"s", blame.messages[i].s}});
  }
  for (const Grows& one : explanation.grows) {
    nlohmann::json pieces = nlohmann::json::array(), within = nlohmann::json::array();
    for (const schedule::Piece& piece : one.curve.pieces)
      pieces.push_back({{"from_s", one.now_s + seconds(piece.from)},
                        {"predicted_s", seconds(piece.finish)},
                        {"s_per_s", piece.slope}});
    for (const Grows::Within& tolerance : one.within)
      within.push_back({{"slower", tolerance.percent / 100.0},
                        {"up_to_s", std::isinf(tolerance.up_to_s) ? nlohmann::json()
                                                                  : nlohmann::json(tolerance.up_to_s)}});
    grows[to_string(one.parameter)] = {{"now_s", one.now_s},
                                       {"pieces", std::move(pieces)},
                                       {"to_s", one.now_s + seconds(one.curve.to)},
                                       {"cut", one.curve.cut},
                                       {"tolerance", std::move(within)}};
  }
  nlohmann::json out = {{"predicted_s", seconds(run.finish)},
                        {"sensitivity",
                         {{"latency_s_per_s", run.slopes.crossings},
                          {"seconds_per_byte_s_per_s", run.slopes.wire_bytes},
                          {"overhead_s_per_s", run.slopes.messages}}},
                        {"blame",
                         {{"compute_s", blame.compute_s},
                          {"under_way_s", blame.under_way_s},
                          {"by_rank", std::move(by_rank)},
                          {"by_call", std::move(by_call)},
                          {"messages", std::move(messages)}}},
                        {"blocked_s", explanation.blocked_s},
                        {"curves", std::move(grows)}};
  if (explanation.joint) out["map"] = schedule::to_json(*explanation.joint, explanation.joint_scale);
  return out;
}

std::string show(const Explanation& explanation, const Program& program) {
  const FreeRun& run = explanation.run;
  std::string out =
      fmt::format("  without contention {}: computation {}, calls {}, messages under way {}\n",
                  show_time(seconds(run.finish)), show_time(run.blame.compute_s),
                  show_time(std::max(0.0, seconds(run.finish) - run.blame.compute_s - run.blame.under_way_s)),
                  show_time(run.blame.under_way_s));
  if (!explanation.blocked_s.empty())
    out +=
        fmt::format("    blocked {}, of the rank that is blocked longest\n",
                    show_time(*std::max_element(explanation.blocked_s.begin(), explanation.blocked_s.end())));
  out += fmt::format("    {} crossings one after the other, {} bytes, {} messages' software\n",
                     run.slopes.crossings, run.slopes.wire_bytes, run.slopes.messages);
  for (const Grows& one : explanation.grows)
    for (const Grows::Within& tolerance : one.within)
      out += std::isinf(tolerance.up_to_s)
                 ? fmt::format("    {} may grow a thousandfold from {} without slowing the program by {}%\n",
                               in_words(one.parameter), show_time(one.now_s), tolerance.percent)
                 : fmt::format("    {} may grow from {} to {} before the program slows by {}%\n",
                               in_words(one.parameter), show_time(one.now_s), show_time(tolerance.up_to_s),
                               tolerance.percent);
  for (const Grows& one : explanation.grows)
    out += fmt::format("    by {} up to {}: {}{} straight piece{}\n", in_words(one.parameter),
                       show_time(one.now_s + seconds(one.curve.to)), one.curve.cut ? "more than " : "",
                       one.curve.pieces.size(), one.curve.pieces.size() == 1 ? "" : "s");
  if (explanation.joint) out += "  " + schedule::show(*explanation.joint, explanation.joint_scale);
  std::vector<std::pair<double, std::size_t>> calls;
  for (std::size_t call = 0; call < run.blame.by_call_s.size(); ++call)
    if (run.blame.by_call_s[call] > 0) calls.push_back({run.blame.by_call_s[call], call});
  std::sort(calls.rbegin(), calls.rend());
  for (std::size_t i = 0; i < std::min(shown_calls, calls.size()); ++i)
    out += fmt::format("    on the longest chain: {} in {}\n", show_time(calls[i].first),
                       program.regions[calls[i].second]);
  for (std::size_t i = 0; i < std::min(shown_messages, run.blame.messages.size()); ++i) {
    const ProgramMessage& message = program.messages[run.blame.messages[i].message];
    out += fmt::format("    on the longest chain: {} from rank {} to {}, {}\n",
                       show_bytes(static_cast<double>(message.bytes)), message.source, message.destination,
                       show_time(run.blame.messages[i].s));
  }
  return out;
}

}  // namespace ww::simulate
