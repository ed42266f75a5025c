#include "render/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "simulate/program.hpp"

namespace ww {
namespace {

constexpr std::size_t shown_messages = 5, shown_calls = 5;

const char* in_words(schedule::Parameter parameter) {
  switch (parameter) {
    case schedule::Parameter::latency:
      return "latency";
    case schedule::Parameter::per_byte:
      return "the wire's time a byte";
    case schedule::Parameter::overhead:
      break;
  }
  return "a send's software";
}

}  // namespace

std::string show(const schedule::JointMap& map, const schedule::JointScale& scale) {
  const double now_s = finish_s(map, scale, 1, 1);
  const auto to_s = [&](schedule::Ticks ticks, double base_s) {
    return show_time(base_s + static_cast<double>(ticks) / scale.ticks_per_s);
  };
  std::string out = fmt::format(
      "  by latency and the time a byte together, up to {} and {}: {}{} plane{}; off by {} at most\n"
      "    the time against now, latency down, the time a byte across:\n    {:>6}",
      to_s(map.box.to.x, scale.latency_s), to_s(map.box.to.y, scale.seconds_per_byte),
      map.cut ? "more than " : "", map.regions.size(), map.regions.size() == 1 ? "" : "s",
      map.off == 0 ? "nothing" : to_s(map.off, 0), "");
  for (const double byte : scale.times) out += fmt::format("{:>8}", fmt::format("x{:g}", byte));
  out += "\n";
  for (const double latency : scale.times) {
    out += fmt::format("    {:>6}", fmt::format("x{:g}", latency));
    for (const double byte : scale.times)
      out += fmt::format("{:>8.3f}", now_s > 0 ? finish_s(map, scale, latency, byte) / now_s : 1.0);
    out += "\n";
  }
  return out;
}

std::string show(const simulate::Explanation& explanation, const simulate::Program& program) {
  const simulate::FreeRun& run = explanation.run;
  const auto of_ps = [](simulate::Picoseconds time) {
    return static_cast<double>(time) / simulate::picoseconds_per_s;
  };
  std::string out = fmt::format("  without contention {}: computation {}, calls {}, messages under way {}\n",
                                show_time(of_ps(run.finish)), show_time(of_ps(run.blame.compute)),
                                show_time(of_ps(run.finish - run.blame.compute - run.blame.under_way)),
                                show_time(of_ps(run.blame.under_way)));
  if (!explanation.blocked_s.empty())
    out +=
        fmt::format("    blocked {}, of the rank that is blocked longest\n",
                    show_time(*std::max_element(explanation.blocked_s.begin(), explanation.blocked_s.end())));
  out += fmt::format("    {} crossings one after the other, {} bytes, {} messages' software\n",
                     run.slopes.latency, run.slopes.per_byte, run.slopes.overhead);
  const auto value = [&](schedule::Parameter parameter, simulate::Picoseconds added) {
    return show_time(explanation.now_s.at(parameter) + of_ps(added));
  };
  for (const auto& [parameter, curve, within] : explanation.grows.by)
    for (const auto& [percent, most] : within)
      out += most < 0
                 ? fmt::format("    {} may grow a thousandfold from {} without slowing the program by {}%\n",
                               in_words(parameter), value(parameter, 0), percent)
                 : fmt::format("    {} may grow from {} to {} before the program slows by {}%\n",
                               in_words(parameter), value(parameter, 0), value(parameter, most), percent);
  for (const auto& [parameter, curve, within] : explanation.grows.by)
    out += fmt::format("    by {} up to {}: {}{} straight piece{}\n", in_words(parameter),
                       value(parameter, curve.to), curve.cut ? "more than " : "", curve.pieces.size(),
                       curve.pieces.size() == 1 ? "" : "s");
  if (explanation.grows.joint) out += "  " + show(*explanation.grows.joint, explanation.joint_scale);
  std::vector<std::pair<simulate::Picoseconds, std::size_t>> calls;
  for (std::size_t call = 0; call < run.blame.by_call.size(); ++call)
    if (run.blame.by_call[call] > 0) calls.push_back({run.blame.by_call[call], call});
  std::sort(calls.rbegin(), calls.rend());
  for (std::size_t i = 0; i < std::min(shown_calls, calls.size()); ++i)
    out += fmt::format("    on the longest chain: {} in {}\n", show_time(of_ps(calls[i].first)),
                       program.regions[calls[i].second]);
  for (std::size_t i = 0; i < std::min(shown_messages, run.blame.messages.size()); ++i) {
    const simulate::ProgramMessage& message = program.messages[run.blame.messages[i].number];
    out += fmt::format("    on the longest chain: {} from rank {} to {}, {}\n",
                       show_bytes(static_cast<double>(message.bytes)), message.source, message.destination,
                       show_time(of_ps(run.blame.messages[i].time)));
  }
  return out;
}

}  // namespace ww
