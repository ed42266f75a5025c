#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/same_math.hpp"
#include "base/units.hpp"
#include "simulate/cooling.hpp"

namespace ww::simulate {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::string in_words(const Cooling& cooling) {
  std::string text = fmt::format(
      "computation is compared with that of {}, which made the same calls and was in them for {:.3g} times "
      "as long: ",
      listed(cooling.also), cooling.waits_ratio);
  if (!cooling.depends())
    return text +
           fmt::format(
               "none took another time beyond the noise, so it takes as long as recorded, whatever the "
               "waits; the interval holds the {:.1f}% that the runs are apart",
               100 * cooling.left_over);
  double recorded_s = 0, other_s = 0, all_s = 0;
  for (const CoolingKind& kind : cooling.kinds) {
    all_s += kind.recorded_s;
    if (!kind.depends) continue;
    recorded_s += kind.recorded_s;
    other_s += kind.other_s;
  }
  return text +
         fmt::format(
             "{:.0f}% of it took {:.2f} times as long there, and is taken to follow the time that the rank "
             "was away from it, nearly all by {} (the runs leave {} to {} open); what the other run does not "
             "show so is {:.1f}% of it. The interval holds both",
             100 * recorded_s / all_s, other_s / recorded_s, show_time(3 * cooling.rule.lasts_s),
             show_time(3 * cooling.lasts_low_s), show_time(3 * cooling.lasts_high_s),
             100 * cooling.left_over);
}

nlohmann::json to_json(const Cooling& cooling) {
  nlohmann::json kinds = nlohmann::json::array();
  for (const CoolingKind& kind : cooling.kinds)
    kinds.push_back({{"after", kind.after},
                     {"before", kind.before},
                     {"about_s", kind.about_s},
                     {"computations", kind.computations},
                     {"recorded_s", kind.recorded_s},
                     {"other_s", kind.other_s},
                     {"grows", same_exp(kind.grows)},
                     {"grows_ci", {same_exp(kind.grows_low), same_exp(kind.grows_high)}},
                     {"depends", kind.depends}});
  return {{"also", cooling.also},
          {"depends", cooling.depends()},
          {"waits_ratio", cooling.waits_ratio},
          {"left_over", cooling.left_over},
          {"lasts_s", cooling.depends() ? nlohmann::json(cooling.rule.lasts_s) : nlohmann::json()},
          {"lasts_s_ci", cooling.depends() ? nlohmann::json({cooling.lasts_low_s, cooling.lasts_high_s})
                                           : nlohmann::json()},
          {"kinds", std::move(kinds)}};
}

}  // namespace ww::simulate
