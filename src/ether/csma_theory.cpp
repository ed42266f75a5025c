#include "ether/csma_theory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ww::ether {
namespace {

// After a collision in which both stations took part.
struct Round {
  double tie = 0, first_wins = 0, second_wins = 0;  // probabilities
  double frames = 0, seconds = 0;                   // until the next collision, expected
};

// `first` and `second`: attempts of their frames so far, 0 for a frame that has not been tried. Times from
// the beginning of the collision.
Round round_after(const BusRules& rules, double frame_s, int first, int second) {
  const double bit_s = 1 / rules.bits_per_s;
  const double jam_ends_s = (rules.preamble + rules.jam) * bit_s, gap_s = rules.gap * bit_s,
               slot_s = rules.slot * bit_s;
  const int window_first = 1 << std::min(first, rules.backoff_limit),
            window_second = 1 << std::min(second, rules.backoff_limit);
  const double each = 1.0 / window_first / window_second;
  Round out;
  for (int a = 0; a < window_first; ++a)
    for (int b = 0; b < window_second; ++b) {
      const int winner = std::min(a, b), loser = std::max(a, b);
      const double starts_s = jam_ends_s + (winner == 0 ? gap_s : winner * slot_s);
      if (a == b) {
        out.tie += each;
        out.seconds += each * starts_s;
        continue;
      }
      (a < b ? out.first_wins : out.second_wins) += each;
      const double waits_s = jam_ends_s + loser * slot_s - starts_s;
      const double frames = std::max(1.0, std::ceil(waits_s / (frame_s + gap_s) - 1e-12));
      out.frames += each * frames;
      out.seconds += each * (starts_s + frames * (frame_s + gap_s));
    }
  return out;
}

}  // namespace

double metcalfe_boggs_utilisation(double frame_s, double slot_s, int stations) {
  const double acquired = stations == 1 ? 1 : std::pow(1 - 1.0 / stations, stations - 1);
  return frame_s / (frame_s + slot_s * (1 - acquired) / acquired);
}

SaturatedBus two_saturated_stations(const BusRules& rules, std::uint32_t frame_bytes) {
  const double frame_s =
      (rules.preamble + 8.0 * std::max(frame_bytes, rules.smallest_frame_bytes)) / rules.bits_per_s;
  const int attempts = rules.attempts;
  const auto state = [&](int first, int second) {
    return static_cast<std::size_t>(first * attempts + second);
  };
  std::vector<Round> rounds(static_cast<std::size_t>(attempts * attempts));
  for (int first = 0; first < attempts; ++first)
    for (int second = 0; second < attempts; ++second)
      rounds[state(first, second)] = round_after(rules, frame_s, first, second);
  const auto after = [&](int tried) { return tried + 1 == attempts ? 0 : tried + 1; };
  std::vector<double> share(rounds.size(), 0), next(rounds.size());
  share[state(1, 1)] = 1;
  for (double change = 1; change > 1e-12;) {
    std::fill(next.begin(), next.end(), 0);
    for (int first = 0; first < attempts; ++first)
      for (int second = 0; second < attempts; ++second) {
        const Round& round = rounds[state(first, second)];
        const double here = share[state(first, second)];
        next[state(after(first), after(second))] += here * round.tie;
        next[state(1, after(second))] += here * round.first_wins;
        next[state(after(first), 1)] += here * round.second_wins;
      }
    change = 0;
    for (std::size_t i = 0; i < share.size(); ++i) change += std::fabs(next[i] - share[i]);
    share.swap(next);
  }
  double frames = 0, seconds = 0, drops = 0;
  for (int first = 0; first < attempts; ++first)
    for (int second = 0; second < attempts; ++second) {
      const double here = share[state(first, second)];
      frames += here * rounds[state(first, second)].frames;
      seconds += here * rounds[state(first, second)].seconds;
      drops += here * ((first == 0) + (second == 0));
    }
  return {frames * frame_s / seconds, 2 / frames, drops / frames};
}

}  // namespace ww::ether
