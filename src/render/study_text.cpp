#include "render/study_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/json_check.hpp"
#include "base/numbers.hpp"
#include "base/units.hpp"
#include "render/table.hpp"
#include "report/headline.hpp"

namespace ww {
namespace {

std::string time_or_dash(const nlohmann::json& estimate) {
  return !estimate.is_object() ? "-" : show_time(check::number_of(estimate, "s"));
}

std::string with_interval(const nlohmann::json& estimate) {
  if (!estimate.is_object()) return "-";
  // both ends in the unit of the value
  const double value_s = check::number_of(estimate, "s");
  const std::string value = show_time(value_s);
  const std::string unit = value.substr(value.find(' ') + 1);
  const double unit_s = unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : unit == "ns" ? 1e-9 : 1;
  return fmt::format("{} [{:.3g}, {:.3g}]", value, check::number_of(estimate, "low", value_s) / unit_s,
                     check::number_of(estimate, "high", value_s) / unit_s);
}

std::string error_of(const nlohmann::json& relative) {
  return relative.is_null() ? "-" : signed_percent(relative.get<double>());
}

std::string replayed_of(const nlohmann::json& study, const nlohmann::json& w) {
  double s = check::number_of(study, "replayed_s");
  if (w.contains("prediction")) s = check::number_of(w["prediction"], "replayed_s", s);
  return s > 0 ? show_time(s) : "-";
}

// Of what leads: against its own baseline.
std::string gain_of(const nlohmann::json& headline) {
  if (check::text_of(headline, "by").empty()) return "withheld";
  const double gain = check::number_of(headline, "gain");
  return gain > 0 ? fmt::format("{:.3g}x", gain) : "-";
}

}  // namespace

std::string agreement_table(const std::vector<nlohmann::json>& studies) {
  Table table({"program", "what if", "recorded", "replayed", "simulated [95%]", "error", "dilated", "error",
               "virtual", "error", "real", "gain", "agree"},
              2);
  std::set<std::string> notes;
  std::string headlines;
  for (const nlohmann::json& study : studies)
    for (const nlohmann::json& w : study.at("what_ifs")) {
      const nlohmann::json headline = w.contains("headline") ? w["headline"] : headline_of(study, w);
      table.add({study.at("name"), w.at("spec"), show_time(study.at("recorded_s").get<double>()),
                 replayed_of(study, w), with_interval(w.value("simulated", nlohmann::json())),
                 error_of(w.value("simulated_error", nlohmann::json())),
                 time_or_dash(w.value("dilated", nlohmann::json())),
                 error_of(w.value("dilated_error", nlohmann::json())),
                 time_or_dash(w.value("virtual", nlohmann::json())),
                 error_of(w.value("virtual_error", nlohmann::json())),
                 time_or_dash(w.value("real", nlohmann::json())), gain_of(headline),
                 w.value("agree", nlohmann::json()) == true ? "yes" : "no"});
      const std::string about =
          fmt::format("{}, {}: ", study.at("name").get<std::string>(), w.at("spec").get<std::string>());
      headlines += about + check::text_of(headline, "sentence") + "\n";
      for (const auto& [key, says] : {std::pair{"not_dilated", "not dilated: "},
                                      {"not_virtual", "no virtual time: "},
                                      {"no_real", "no real run: "},
                                      {"disagreement", ""}})
        if (const std::string why = check::text_of(w, key); !why.empty()) notes.insert(about + says + why);
    }
  std::string text = table.text() + headlines;
  for (const std::string& note : notes) text += note + "\n";
  return text;
}

}  // namespace ww
