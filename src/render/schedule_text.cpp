#include "render/schedule_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.hpp"
#include "render/explanation.hpp"

namespace ww {
namespace {

std::string show_ticks(schedule::Ticks ticks) {
  return show_time(schedule::seconds(ticks));
}

std::string show_free(const schedule::SchedulePrediction& p) {
  if (!p.free) return "";
  const schedule::Chain& chain = p.free->chain;
  return fmt::format(
      "  without contention {}: {} messages one after the other; {} times L, {} times o, {} bytes of G,\n"
      "  {} of computation\n",
      show_ticks(p.free->evaluated.finish), chain.messages, chain.L, chain.o, chain.G,
      show_ticks(chain.compute));
}

std::string show_explained(const schedule::Schedule& program, const schedule::SchedulePrediction& p) {
  std::string text;
  for (const auto& [by, curve, within] : p.grows.by) {
    const char* const parameter = letter_of(by);
    text +=
        fmt::format("  by {} up to {}: {}{} straight piece{}\n", parameter, show_ticks(curve.to),
                    curve.cut ? "more than " : "", curve.pieces.size(), curve.pieces.size() == 1 ? "" : "s");
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < std::min(most, curve.pieces.size()); ++i)
      text += fmt::format("    from {:>9}: {:>9}, {} times {}\n", show_ticks(curve.pieces[i].from),
                          show_ticks(curve.pieces[i].finish), curve.pieces[i].slope, parameter);
    if (curve.pieces.size() > most)
      text += fmt::format("    and {} more (--json)\n", curve.pieces.size() - most);
  }
  if (p.grows.joint) text += show(*p.grows.joint, scale_of(p));
  for (const auto& [by, curve, within] : p.grows.by)
    for (const auto& [percent, most] : within)
      text += fmt::format("  {} may grow from {} to {} before the program slows by {}%\n", letter_of(by),
                          show_ticks(parameters_of(p.machine)[by]),
                          most < 0 ? "over a thousand times that" : show_ticks(most), percent);
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; p.free && i < std::min(most, p.free->blame.messages.size()); ++i) {
    const auto& message = p.free->blame.messages[i];
    const schedule::Op& send = program.ops[message.number];
    text +=
        fmt::format("  {}: {} from rank {} to {}, {} on the way\n", i == 0 ? "on the longest chain" : "  and",
                    show_bytes(static_cast<double>(send.amount)), program.ops[send.partner].peer, send.peer,
                    show_ticks(message.time));
  }
  return text;
}

}  // namespace

std::string show(const schedule::Schedule& program, const schedule::SchedulePrediction& p, bool free) {
  std::string text =
      fmt::format("{}\n  predicted    {:>9}   ", p.what_if.empty() ? "on the machine as it is" : p.what_if,
                  show_time(p.predicted_s));
  text += free                     ? "nothing in anything's way\n"
          : std::isfinite(p.low_s) ? fmt::format("{} to {} over the rules of arbitration\n",
                                                 show_time(p.low_s), show_time(p.high_s))
                                   : "95%: none, as asked for\n";
  return text + show_free(p) + show_explained(program, p);
}

}  // namespace ww
