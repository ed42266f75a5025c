// How a program's computations depend on how long their rank was away from them, found from two runs of it that
// waited differently: what fills a cache is displaced while a rank waits, and has to be fetched again. By a
// second recording, since one alone does not tell how long a computation would have taken after another wait.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/away.hpp"

namespace ww::simulate {

// Of a computation of kind k that began `away_s` after the rank's last one:
//   ln t = ln t_warm + grows[k] (1 - exp(-away_s / lasts_s))
// Lines of a cache displaced at a constant rate, wherever they are, leave exp(-away / lasts) of what was there
// (the random replacement of Thiebaut and Stone, "Footprints in the Cache", 1987), and the time to fetch the rest is in
// proportion to it. How quickly is the machine's and what runs on it, the same for all computations; how much
// it matters is the computation's. grows below 0: it takes longer after short waits (frames that come while it
// computes take its processor).
struct CoolingRule {
  double lasts_s = 0;
  std::vector<double> grows;  // by kind; 0: it does not depend

  double lost(double away_s) const;  // 0: nothing was away, towards 1
  // How many times as long a computation takes after away_s as after other_away_s.
  double factor(std::uint32_t kind, double away_s, double other_away_s) const;
};

// Computations between the same calls, of about the same length (within one octave), are of one kind.
struct CoolingKind {
  std::string after, before;             // names of the calls; empty: the program begins, or ends
  double about_s = 0;                    // the median of them
  std::uint64_t computations = 0;        // in both runs, of pairs of runs together
  double recorded_s = 0, other_s = 0;    // all of them, in the recordings and in the other runs
  double grows = 0;                      // as found, whether or not it is beyond the noise
  double grows_low = 0, grows_high = 0;  // 95%
  bool depends = false;                  // beyond its noise
};

struct Cooling {
  static constexpr std::uint32_t too_short = UINT32_MAX;
  std::vector<std::string> also;  // the other runs
  CoolingRule rule;
  // The rules at the ends of what the runs leave open, one thing a rule: lasts_s shorter and longer (with what
  // `grows` is then), `grows` less and more.
  std::vector<CoolingRule> also_possible;
  double lasts_low_s = 0, lasts_high_s = 0;
  std::vector<CoolingKind> kinds;
  // By rank and computation, index into kinds. too_short: together below a twentieth of the rank's computation, or
  // below 5 us, a timer's interrupt; such ones stay as recorded and count as time away.
  std::vector<std::vector<std::uint32_t>> kind_of;
  double waits_ratio = 1;  // time in calls in the other runs, by that in the recordings
  // By which part of all computation the recordings' computations, found from the other runs' by the rule, are
  // off: the sum over the kinds of |found - recorded|. Those that took half longer than the rule has it, in one
  // run, were disturbed and do not count.
  double left_over = 0;

  bool depends() const;
  std::vector<bool> counts(std::size_t rank) const;  // its computations that are not too short
};

struct RunPair {
  const Computed* recorded = nullptr;
  const Computed* other = nullptr;
};

// Of pairs of runs of one program, the first of each on the network that predictions start from, all of which
// made the same calls. `grows` of a kind is the slope that has the least sum of |errors|, each in seconds, of
// ln(recorded / other) = grows (lost(away when recorded) - lost(away in the other)), which is a weighted median;
// its interval inverts the sign test. A kind depends where that interval has no 0 in it, eight pairs are there, and what
// was lost differs by a fifth or more, in the mean: a slope from less would carry what else differed between the runs
// five times as far. lasts_s: of a grid those values are possible whose sum over the kinds that depend is within
// exp(1.92 / n) of the least (the profile likelihood of Laplace's errors at 95%); the one in their middle is taken, and
// at least half and twice of it are left open. Errors: made_the_same_calls().
Result<Cooling> find_cooling(std::span<const RunPair> pairs);
// Of one recording beside other runs. Errors: is_of_real_computation(recorded), too.
Result<std::shared_ptr<const Cooling>> compare_computation(const Trace& recorded,
                                                           std::span<const Computed> others);

// What a replay scales the program's computations by: by `rule` from the time away that each had in the recorded
// run to that in the replay.
struct CoolingInReplay {
  CoolingRule rule;
  const Cooling* cooling = nullptr;
  const std::vector<std::vector<double>>* away_s = nullptr;  // when recorded, by rank and computation
};

std::string in_words(const Cooling& cooling);  // an assumption of every prediction by it
// "computation" of `simulate --json`: {"also","depends","waits_ratio","left_over","lasts_s","lasts_s_ci",
// "kinds":[{"after","before","about_s","computations","recorded_s","other_s","grows","grows_ci","depends"}]};
// grows: how many times as long after an endless pause as after none.
nlohmann::json to_json(const Cooling& cooling);

}  // namespace ww::simulate
