// The speed-up of a prediction. It divides the replay of the recorded run on its own machine, not the
// recorded time, by the prediction: what the replay is off by is in both, and is no gain. A what-if that
// changes nothing gives exactly 1.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "simulate/simulate.hpp"

namespace ww {

// Of the recorded time: where the replay is further off, no speed-up and no verdict is said.
inline constexpr double most_off = 0.10;

struct Gain {
  double value = 1, low = 1, high = 1;  // low and high: from the prediction's interval (95%)
  double against_s = 0;                 // what was divided: the replayed time
  std::string withheld;                 // why nobody may take `value` for a speed-up; empty: they may
};

// Why no speed-up can be said of predictions from this run; empty: it can.
std::string self_check_off(double recorded_s, double replayed_s);
Gain gain_of(const Prediction& prediction);
// Of a prediction of `like`'s run, of which the times are known only.
Gain gain_of(const Prediction& like, double predicted_s, double low_s, double high_s);

// What to do where it is withheld.
std::string remedy_of_withheld();
// "gain", "gain_low", "gain_high" (null where it is withheld), "gain_against_s", and "gain_withheld" with the
// reason, or null.
nlohmann::json to_json(const Gain& gain);

}  // namespace ww
