// Predictions on the terminal and as CSV.
#pragma once
#include <string>
#include <vector>

#include "simulate/gain.hpp"
#include "simulate/simulate.hpp"

namespace ww {

// "1.02x   95%: 0.98x to 1.06x", or "withheld".
std::string show(const Gain& gain);
// The same for a line of CSV: ",16.7e-3,1.02,0.98,1.06"; empty fields where it is withheld.
inline constexpr const char* gain_columns = ",replayed_s,gain,gain_low,gain_high";
std::string in_csv(const Gain& gain);
// `program`: that was predicted.
std::string show(const Prediction& prediction, const simulate::Program& program);
// Above and below predictions of one run, which `first` is one of: what was recorded and how well its replay
// agrees; what was assumed, and the diagnostics.
std::string show_self_check(const Prediction& first);
std::string show_assumptions(const Prediction& first);
// Of several what-ifs: those of the first, then of each other one what has not been said. Diagnostics are the first's.
std::string show_assumptions(const std::vector<Prediction>& predictions);
struct SaidOf {
  std::string what_if;
  const std::vector<std::string>* assumptions;
};
std::string show_assumptions(const std::vector<SaidOf>& all);  // without diagnostics
// One line a prediction.
std::string prediction_csv(const std::vector<Prediction>& predictions);

}  // namespace ww
