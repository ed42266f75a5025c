// With a share w of the time waiting, a network D times as fast can at best take w (1 - 1/D) of it away (S3
// counts the software of messages as computation: it is the wire that becomes faster). Of that best, `came`
// is what the run at the largest D did lose; above 1 where computation hides what is left of the waiting.
//   computation-bound    w is below 10%, or the best is below 5%: there is nothing to gain;
//   communication-bound  at least half of the best came;
//   logical-delay        less than half of it: much waiting that a faster network does not shorten, so it is
//                        the algorithm's (S3's closing remark).
// There is none where the runs contradict it, or one another (Verdict::withheld):
//   a speed-up beyond 1 / (1 - w), which is all waiting gone, or below 1: no network does that to computation
//   that stays what it is, so it did not (kept within the rounds' interval, or 5% of a single round);
//   rounds whose interval holds both a half of the best and less.
// The trace is the second witness: how much of the waiting was for partners that had not begun. At D = 1 that
// also holds what a partner was late because of its own messages, so what counts is the largest D.
#include "dilate/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

constexpr double little_waiting = 0.10, little_gain = 0.05, enough_came = 0.5;
constexpr double beyond = 0.05;  // of a speed-up that cannot be: less is the method's error

double fraction(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string grounds(const Evidence& e, const SpeedUp& last, double best) {
  const Components &one = e.undilated, &end = e.largest;
  const double whole = one.elapsed_s(), left = end.elapsed_s();
  std::string text = fmt::format(
      "at D = 1 {:.1f}% of the time is waiting ({:.1f}% for partners that had not begun) and {:.1f}% the "
      "software "
      "of messages; a network {:g} times as fast gives a speed-up of {:.2f}",
      share(one.receive_wait_s, whole), share(one.algorithmic_s, whole), share(one.software_s(), whole),
      last.factor, last.value);
  if (last.interval != IntervalOf::one_round) text += fmt::format(" [{:.2f}, {:.2f}]", last.low, last.high);
  text += fmt::format(" where waiting as much shorter would give {:.2f}", 1 / (1 - best));
  if (e.most_possible > 0) text += fmt::format(", none at all {:.2f}", e.most_possible);
  return text +
         fmt::format("; there {:.1f}% of what is left is waiting ({:.1f}% for partners that had not begun)",
                     share(end.receive_wait_s, left), share(end.algorithmic_s, left));
}

constexpr const char* repeat_more =
    "repeat without other load and more often (--repeat 6), or take virtual time, which other load does not "
    "disturb (--virtual)";

std::string with_interval(const SpeedUp& s) {
  return s.interval == IntervalOf::one_round ? fmt::format("{:.2f}", s.value)
                                             : fmt::format("{:.2f} [{:.2f}, {:.2f}]", s.value, s.low, s.high);
}

// Why the speed-up cannot be; empty: it can.
std::string contradiction(const Evidence& e, const SpeedUp& last) {
  const bool above = last.value > e.most_possible * (1 + beyond), below = last.value * (1 + beyond) < 1;
  if (!above && !below) return {};
  const bool rounds_differ =
      last.interval != IntervalOf::one_round && (above ? last.low <= e.most_possible : last.high >= 1);
  std::string text =
      above ? fmt::format(
                  "a speed-up of {} is more than any network gives: {:.1f}% of the time at D = 1 is "
                  "waiting, and with all that a network could take away it would be {:.2f}",
                  with_interval(last), share(e.undilated.receive_wait_s, e.undilated.elapsed_s()),
                  e.most_possible)
            : fmt::format("a speed-up of {}: no faster network makes a program slower", with_interval(last));
  if (rounds_differ)
    text += "; the rounds differ too much to tell";
  else
    text += fmt::format("; computation took {} at D = 1 and {} at D = {:g} instead of as long",
                        show_time(e.undilated.user_s), show_time(e.largest.user_s), last.factor);
  return text + ": " + repeat_more;
}

}  // namespace

Verdict judge(const Evidence& given) {
  Evidence e = given;
  if (e.speedup.empty()) return {};
  const SpeedUp& last =
      *std::max_element(e.speedup.begin(), e.speedup.end(),
                        [](const SpeedUp& a, const SpeedUp& b) { return a.factor < b.factor; });
  if (last.factor <= 1 || e.undilated.elapsed_s() <= 0) return {};
  const double waiting = fraction(e.undilated.receive_wait_s, e.undilated.elapsed_s());
  const double best = waiting * (1 - 1 / last.factor);
  if (e.most_possible <= 0) e.most_possible = waiting < 1 ? 1 / (1 - waiting) : last.value;
  std::string because = grounds(e, last, best);
  if (std::string why = contradiction(e, last); !why.empty()) return {"", because, std::move(why)};
  if (waiting < little_waiting || 1 / (1 - best) < 1 + little_gain) return {"computation-bound", because, ""};

  const auto came_at = [&](double speedup) { return fraction(1 - 1 / speedup, best); };
  const double came = came_at(last.value);
  if (last.interval != IntervalOf::one_round && last.low > 0 &&
      (came_at(last.low) < enough_came) != (came_at(last.high) < enough_came))
    return {
        "", because + " (the rounds differ too much to decide: repeat more often, with --repeat)",
        fmt::format("the rounds differ too much to decide: from {:.0f} to {:.0f}% of the best that a faster "
                    "network could bring came; {}",
                    100 * came_at(last.low), 100 * came_at(last.high), repeat_more)};
  const double algorithmic = fraction(e.largest.algorithms_s(), e.largest.receive_wait_s);
  const double left = fraction(e.largest.receive_wait_s, e.largest.elapsed_s());
  if (came >= enough_came) {
    if (left >= little_waiting && algorithmic >= enough_came)
      because += ", so what is left to gain is the algorithm's";
    return {"communication-bound", because, ""};
  }
  because += algorithmic >= enough_came
                 ? ": the waiting is in the algorithm, not in the network, and the trace agrees"
                 : ". The trace does not agree that the waiting is the algorithm's: something else than the "
                   "network holds messages back (a busy machine, or a wire that is not between these ranks)";
  return {"logical-delay", because, ""};
}

}  // namespace ww
