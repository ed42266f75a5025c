// With a share w of the time waiting, a network D times as fast can at best take w (1 - 1/D) of it away (S3
// counts the software of messages as computation: it is the wire that becomes faster). Of that best, `came`
// is what the run at the largest D did lose; above 1 where computation hides what is left of the waiting.
//   computation-bound    w is below 10%, or the best is below 5%: there is nothing to gain;
//   communication-bound  at least half of the best came;
//   logical-delay        less than half of it: much waiting that a faster network does not shorten, so it is
//                        the algorithm's (S3's closing remark).
// There is none where the runs contradict it, or one another (Doubt):
//   a speed-up beyond 1 / (1 - w), which is all waiting gone, or below 1: no network does that to computation
//   that stays what it is, so it did not (kept within the rounds' interval, or 5% of a single round);
//   rounds whose interval holds both a half of the best and less.
// The trace is the second witness: how much of the waiting was for partners that had not begun. At D = 1 that
// also holds what a partner was late because of its own messages, so what counts is the largest D.
#include "dilate/verdict.hpp"

#include <algorithm>

namespace ww {
namespace {

constexpr double little_waiting = 0.10, little_gain = 0.05, enough_came = 0.5;
constexpr double beyond = 0.05;  // of a speed-up that cannot be: less is the method's error

double fraction(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

Verdict judge(const Evidence& given) {
  Verdict out;
  out.evidence = given;
  Evidence& e = out.evidence;
  if (e.speedup.empty()) return out;
  const SpeedUp& last =
      *std::max_element(e.speedup.begin(), e.speedup.end(),
                        [](const SpeedUp& a, const SpeedUp& b) { return a.factor < b.factor; });
  if (last.factor <= 1 || e.undilated.elapsed_s() <= 0) return out;
  const double waiting = fraction(e.undilated.receive_wait_s, e.undilated.elapsed_s());
  const double best = waiting * (1 - 1 / last.factor);
  if (e.most_possible <= 0) e.most_possible = waiting < 1 ? 1 / (1 - waiting) : last.value;
  out.last = last;
  out.best = best;
  const bool several = last.interval != IntervalOf::one_round;
  const bool above = last.value > e.most_possible * (1 + beyond), below = last.value * (1 + beyond) < 1;
  if (above || below) {
    out.doubt = above ? Doubt::too_quick : Doubt::slower;
    out.rounds_differ = several && (above ? last.low <= e.most_possible : last.high >= 1);
    return out;
  }
  if (waiting < little_waiting || 1 / (1 - best) < 1 + little_gain) {
    out.verdict = "computation-bound";
    return out;
  }
  const auto came_at = [&](double speedup) { return fraction(1 - 1 / speedup, best); };
  if (several && last.low > 0) {
    out.came_low = came_at(last.low);
    out.came_high = came_at(last.high);
    if ((out.came_low < enough_came) != (out.came_high < enough_came)) {
      out.doubt = Doubt::undecided;
      return out;
    }
  }
  const double algorithmic = fraction(e.largest.algorithms_s(), e.largest.receive_wait_s);
  if (came_at(last.value) < enough_came) {
    out.verdict = "logical-delay";
    out.remark = algorithmic >= enough_came ? Remark::trace_agrees : Remark::trace_disagrees;
    return out;
  }
  out.verdict = "communication-bound";
  const double left = fraction(e.largest.receive_wait_s, e.largest.elapsed_s());
  if (left >= little_waiting && algorithmic >= enough_came) out.remark = Remark::rest_is_the_algorithms;
  return out;
}

}  // namespace ww
