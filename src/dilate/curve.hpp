// The speed-up curve: E_1 / E_D (S3, section 3.3), with intervals from repeated, interleaved runs, and where
// it flattens.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "dilate/components.hpp"

namespace ww {

// Where the interval of a speed-up comes from.
enum class IntervalOf : std::uint8_t {
  one_round,  // low and high are the value
  student,    // two to five rounds
  order       // six and more
};
const char* to_string(IntervalOf interval);

struct SpeedUp {
  double factor = 1, value = 1, low = 1, high = 1;  // 95%
  int rounds = 1;
  IntervalOf interval = IntervalOf::one_round;
};

// One run. Those of a round were made one after the other, so that what disturbs the machine for longer
// disturbs them alike.
struct RoundTime {
  double factor = 1;
  int round = 1;
  double normalised_s = 0;
};

// The median of the quotients of the rounds, each of two runs of the same round: pairs, since the rounds of a
// machine that drifts differ more than the runs of one. Its interval: with six rounds or more the order
// statistics of the quotients, which ask nothing of their distribution; fewer have none, so Student's of
// their logarithms, widened to hold the median. At least one quotient.
SpeedUp speedup_of(double factor, const std::vector<double>& quotients);

// In the order of D; empty without D = 1.
std::vector<SpeedUp> speedup_curve(const std::vector<RoundTime>& times);
nlohmann::json to_json(const std::vector<SpeedUp>& curve);

// What remained at one D: means over ranks and rounds.
struct Remaining {
  double factor = 1;
  Components components;
};

struct Flattening {
  double factor =
      1;  // the least D from which on no step to the next D gained 5%, or more than the rounds differ
  Components remaining;
};
// Nothing where the last step still gained, or there is one D only.
std::optional<Flattening> flattening(const std::vector<SpeedUp>& curve,
                                     const std::vector<Remaining>& remaining);

}  // namespace ww
