#include "ether/csma_theory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

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
    return static_cast<std::size_t>(first) * static_cast<std::size_t>(attempts) +
           static_cast<std::size_t>(second);
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

SaturatedBus saturated_stations_walked(const BusRules& rules, std::uint32_t frame_bytes, int stations,
                                       std::int64_t frames, std::uint64_t seed) {
  struct Station {
    std::int64_t wants = 0;  // bit times
    int collided = 0;
  };
  const std::int64_t frame = rules.preamble + 8 * std::max(frame_bytes, rules.smallest_frame_bytes);
  std::mt19937_64 random(seed);
  std::vector<Station> all(static_cast<std::size_t>(stations));
  std::int64_t free = 0, sent = 0, collided = 0, dropped = 0;
  std::vector<Station*> senders;
  while (sent < frames) {
    std::int64_t now = std::numeric_limits<std::int64_t>::max(), later = now;
    for (const Station& station : all) now = std::min(now, std::max(free, station.wants));
    senders.clear();
    for (Station& station : all)
      if (station.wants <= now)
        senders.push_back(&station);
      else
        later = std::min(later, station.wants);
    if (senders.size() == 1) {
      // The winner goes on alone with as many frames as begin before another wants the wire.
      const std::int64_t run =
          stations == 1
              ? frames
              : std::max<std::int64_t>(1, (later - now + frame + rules.gap - 1) / (frame + rules.gap));
      sent += run;
      free = now + run * (frame + rules.gap);
      *senders.front() = {free - rules.gap, 0};
      continue;
    }
    const std::int64_t jam_ends = now + rules.preamble + rules.jam;
    free = jam_ends + rules.gap;
    for (Station* station : senders) {
      ++collided;
      station->wants = jam_ends;
      if (++station->collided == rules.attempts) {
        ++dropped;
        station->collided = 0;
      } else {
        const int window = std::min(station->collided, rules.backoff_limit);
        station->wants +=
            rules.slot * std::uniform_int_distribution<std::int64_t>(0, (1 << window) - 1)(random);
      }
    }
  }
  const auto packets = static_cast<double>(sent);
  return {packets * static_cast<double>(frame) / static_cast<double>(free),
          static_cast<double>(collided) / packets, static_cast<double>(dropped) / packets};
}

}  // namespace ww::ether
