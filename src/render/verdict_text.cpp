#include "render/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

constexpr const char* repeat_more =
    "repeat without other load and more often (--repeat 6), or take virtual time, which other load does not "
    "disturb (--virtual)";

std::string grounds(const Verdict& v) {
  const Evidence& e = v.evidence;
  const SpeedUp& last = v.last;
  const Components &one = e.undilated, &end = e.largest;
  const double whole = one.elapsed_s(), left = end.elapsed_s();
  std::string text = fmt::format(
      "at D = 1 {:.1f}% of the time is waiting ({:.1f}% for partners that had not begun) and {:.1f}% the "
      "software "
      "of messages; a network {:g} times as fast gives a speed-up of {:.2f}",
      share(one.receive_wait_s, whole), share(one.algorithmic_s, whole), share(one.software_s(), whole),
      last.factor, last.value);
  if (last.interval != IntervalOf::one_round) text += fmt::format(" [{:.2f}, {:.2f}]", last.low, last.high);
  text += fmt::format(" where waiting as much shorter would give {:.2f}", 1 / (1 - v.best));
  if (e.most_possible > 0) text += fmt::format(", none at all {:.2f}", e.most_possible);
  return text +
         fmt::format("; there {:.1f}% of what is left is waiting ({:.1f}% for partners that had not begun)",
                     share(end.receive_wait_s, left), share(end.algorithmic_s, left));
}

std::string with_interval(const SpeedUp& s) {
  return s.interval == IntervalOf::one_round ? fmt::format("{:.2f}", s.value)
                                             : fmt::format("{:.2f} [{:.2f}, {:.2f}]", s.value, s.low, s.high);
}

std::string contradiction(const Verdict& v) {
  const Evidence& e = v.evidence;
  const std::string speedup = with_interval(v.last);
  std::string text =
      v.doubt == Doubt::too_quick
          ? fmt::format(
                "a speed-up of {} is more than any network gives: {:.1f}% of the time at D = 1 is "
                "waiting, and with all that a network could take away it would be {:.2f}",
                speedup, share(e.undilated.receive_wait_s, e.undilated.elapsed_s()), e.most_possible)
          : fmt::format("a speed-up of {}: no faster network makes a program slower", speedup);
  if (v.rounds_differ)
    text += "; the rounds differ too much to tell";
  else
    text += fmt::format("; computation took {} at D = 1 and {} at D = {:g} instead of as long",
                        show_time(e.undilated.user_s), show_time(e.largest.user_s), v.last.factor);
  return text + ": " + repeat_more;
}

std::string say_shares(const Components& c) {
  const double whole = c.elapsed_s();
  const auto percent_of = [&](double part) { return percent(part, whole); };
  return fmt::format("{} user time, {} software of messages, {} waiting ({} for partners that had not begun)",
                     percent_of(c.user_s), percent_of(c.software_s()), percent_of(c.receive_wait_s),
                     percent_of(c.algorithmic_s));
}

}  // namespace

std::string because(const Verdict& v) {
  if (v.last.factor <= 1) return "";
  if (v.doubt == Doubt::undecided)
    return grounds(v) + " (the rounds differ too much to decide: repeat more often, with --repeat)";
  switch (v.remark) {
    case Remark::rest_is_the_algorithms:
      return grounds(v) + ", so what is left to gain is the algorithm's";
    case Remark::trace_agrees:
      return grounds(v) + ": the waiting is in the algorithm, not in the network, and the trace agrees";
    case Remark::trace_disagrees:
      return grounds(v) +
             ". The trace does not agree that the waiting is the algorithm's: something else than the "
             "network holds messages back (a busy machine, or a wire that is not between these ranks)";
    case Remark::nothing:
      break;
  }
  return grounds(v);
}

std::string why_none(const Verdict& v) {
  if (v.doubt == Doubt::nothing) return "";
  if (v.doubt != Doubt::undecided) return contradiction(v);
  return fmt::format(
      "the rounds differ too much to decide: from {:.0f} to {:.0f}% of the best that a faster "
      "network could bring came; {}",
      100 * v.came_low, 100 * v.came_high, repeat_more);
}

std::string because(const Flattening& flat) {
  const Components& c = flat.remaining;
  const double whole = c.elapsed_s(), service_s = c.receive_wait_s - c.algorithms_s();
  const double fixed_s = c.user_s + c.software_s();
  const char* what = "what remains does not come from the network";
  if (service_s > std::max(fixed_s, c.algorithms_s()))
    what =
        "most of what remains still is waiting for messages on their way, which did not become shorter: "
        "is something else than the network holding them back?";
  else if (c.algorithms_s() > fixed_s)
    what = c.followed
               ? "most of what remains is waiting that no network shortens: the algorithm's"
               : "most of what remains is waiting for partners that had not begun: the algorithm's, unless "
                 "these were late because of the network";
  else if (c.user_s >= c.software_s())
    what = "most of what remains is the program's own work, which no network shortens";
  else
    what = "most of what remains is the software of messages, which no wire shortens";
  return fmt::format("at D = {:g} {}: {}", flat.factor, whole > 0 ? say_shares(c) : "nothing is left", what);
}

}  // namespace ww
