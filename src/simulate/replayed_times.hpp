// Of one rank: its recorded times to those of a replay.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/predicted_run.hpp"

namespace ww::simulate {

// llround(seconds * 1e9), which is a call on processors without an instruction for it: the sum with 2^52 has the whole number in its
// last bits, rounded, of two that are as near to the even one.
inline constexpr double exact_ns = 4503599627370496.0;
// Of 0 <= ns < exact_ns.
inline std::int64_t whole_of(double ns) {
  const double sum = ns + exact_ns;
  return std::bit_cast<std::int64_t>(sum) - std::bit_cast<std::int64_t>(exact_ns) +
         (ns - (sum - exact_ns) >= 0.5 ? 1 : 0);
}
inline std::int64_t whole_ns(double seconds) {
  const double ns = seconds * 1e9;
  return ns >= 0 && ns < exact_ns ? whole_of(ns) : std::llround(ns);
}

// It does not fall, and what lies between the ends of calls keeps its proportion.
class ReplayedTimes {
 public:
  explicit ReplayedTimes(std::int64_t origin_ns) : origin_ns_(origin_ns) {}
  // Only these recorded times will be asked for, which rise and outlive it.
  ReplayedTimes(std::int64_t origin_ns, std::span<const std::int64_t> asked_ns)
      : origin_ns_(origin_ns), asked_ns_(asked_ns), keeps_all_(false) {}

  // In the order of recorded time.
  void add(std::int64_t recorded_ns, double replayed_s) {
    if (!knots_.empty()) {
      recorded_ns = std::max(recorded_ns, knots_.back().recorded_ns);
      replayed_s = std::max(replayed_s, knots_.back().replayed_s);
    }
    if (!keeps_all_) {
      // Of the knots between two times that are asked for the first and the last will be looked at.
      const std::size_t before = passed_;
      while (passed_ < asked_ns_.size() && asked_ns_[passed_] < recorded_ns) ++passed_;
      since_passed_ = passed_ > before ? 1 : since_passed_ + 1;
      if (since_passed_ > 2) {
        knots_.back() = {recorded_ns, replayed_s};
        return;
      }
    }
    knots_.push_back({recorded_ns, replayed_s});
  }
  std::int64_t at(double replayed_s) const { return origin_ns_ + whole_ns(replayed_s); }

  std::int64_t operator()(std::int64_t recorded_ns) const {
    const auto next =
        std::upper_bound(knots_.begin(), knots_.end(), recorded_ns,
                         [](std::int64_t time, const Knot& knot) { return time < knot.recorded_ns; });
    // Before the program and after it time passes as recorded.
    if (next == knots_.begin()) return recorded_ns + at(next->replayed_s) - next->recorded_ns;
    const Knot& before = *(next - 1);
    const std::int64_t since = recorded_ns - before.recorded_ns, before_ns = at(before.replayed_s);
    if (next == knots_.end()) return before_ns + since;
    const double part =
        static_cast<double>(since) / static_cast<double>(next->recorded_ns - before.recorded_ns);
    return before_ns + std::llround(part * static_cast<double>(at(next->replayed_s) - before_ns));
  }

 private:
  struct Knot {
    std::int64_t recorded_ns;
    double replayed_s;
  };
  std::int64_t origin_ns_;
  std::vector<Knot> knots_;
  std::span<const std::int64_t> asked_ns_;
  bool keeps_all_ = true;
  std::size_t passed_ = 0, since_passed_ = 0;
};

// The calls of a rank that are within the program, which are those that a replay plays.
struct ReplayedCalls {
  std::size_t first = 0, last = 0;
};
inline ReplayedCalls replayed_calls(const RankTrace& recorded, const RunNotes::Rank& noted) {
  const auto first = static_cast<std::size_t>(
      std::lower_bound(recorded.enter_ns.begin(), recorded.enter_ns.end(), recorded.begin_ns) -
      recorded.enter_ns.begin());
  const std::size_t last = first + noted.enter_s.size();
  WW_INVARIANT(last <= recorded.calls() && noted.leave_s.size() == noted.enter_s.size());
  return {first, last};
}

inline void add_program(ReplayedTimes& times, const RankTrace& recorded, const RunNotes::Rank& noted,
                        const ReplayedCalls& calls, double begin_s, double end_s) {
  times.add(recorded.begin_ns, begin_s);
  for (std::size_t call = calls.first; call < calls.last; ++call) {
    times.add(recorded.enter_ns[call], noted.enter_s[call - calls.first]);
    times.add(std::min(recorded.leave_ns[call], recorded.end_ns), noted.leave_s[call - calls.first]);
  }
  times.add(recorded.end_ns, end_s);
}

}  // namespace ww::simulate
