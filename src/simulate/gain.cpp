#include "simulate/gain.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/numbers.hpp"
#include "base/units.hpp"

namespace ww {

std::string self_check_off(double recorded_s, double replayed_s) {
  if (!(recorded_s > 0) || std::fabs(replayed_s / recorded_s - 1) <= most_off) return {};
  return fmt::format(
      "the replay on the recording machine takes {}, the recorded run {} ({}): the model is not of this "
      "machine, or the run was disturbed",
      show_time(replayed_s), show_time(recorded_s), signed_percent(replayed_s / recorded_s - 1, 0));
}

Gain gain_of(const Prediction& prediction) {
  Gain out =
      gain_of(prediction, prediction.predicted_s, prediction.predicted_low_s, prediction.predicted_high_s);
  if (prediction.changes_nothing) out.value = out.low = out.high = 1;
  return out;
}

Gain gain_of(const Prediction& like, double predicted_s, double low_s, double high_s) {
  Gain out;
  out.against_s = like.baseline_s;
  const auto over = [&](double s) { return s > 0 || std::isnan(s) ? out.against_s / s : 0.0; };
  out.value = over(predicted_s);
  out.low = over(high_s);
  out.high = over(low_s);
  out.withheld = self_check_off(like.recorded_s, like.replayed_s);
  return out;
}

std::string remedy_of_withheld() {
  return "record again without other load and with a core for each rank, with the model of that machine; or "
         "take virtual time, which needs neither: whatwire dilate --virtual --machine MODEL -- LAUNCH";
}

nlohmann::json to_json(const Gain& gain) {
  const bool said = gain.withheld.empty();
  const auto number = [&](double value) {
    return said && value > 0 ? nlohmann::json(value) : nlohmann::json();
  };
  return {{"gain", number(gain.value)},
          {"gain_low", number(gain.low)},
          {"gain_high", number(gain.high)},
          {"gain_against_s", gain.against_s},
          {"gain_withheld", said ? nlohmann::json() : nlohmann::json(gain.withheld)}};
}

}  // namespace ww
