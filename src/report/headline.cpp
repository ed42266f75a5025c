#include "report/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_check.hpp"
#include "base/units.hpp"
#include "stats/stats.hpp"

namespace ww {
namespace {

using check::number_of;
using Json = nlohmann::json;

struct Time {
  double s = 0, low = 0, high = 0;
};

std::optional<Time> time_of(const Json& of, const char* key) {
  const auto found = of.is_object() ? of.find(key) : of.end();
  if (!of.is_object() || found == of.end() || !found->is_object()) return {};
  const double s = number_of(*found, "s");
  if (!(s > 0)) return {};
  return Time{s, number_of(*found, "low", s), number_of(*found, "high", s)};
}

std::vector<double> numbers_of(const Json& of, const char* key) {
  std::vector<double> numbers;
  if (const auto found = of.find(key); found != of.end() && found->is_array())
    for (const Json& one : *found)
      if (one.is_number()) numbers.push_back(one);
  return numbers;
}

const Json& prediction_of(const Json& what_if) {
  static const Json none = Json::object();
  const auto found = what_if.find("prediction");
  return found != what_if.end() && found->is_object() ? *found : none;
}

// What the recording takes when it is replayed, and what it took; 0: not known.
struct SelfCheck {
  double replayed_s = 0, recorded_s = 0;
  std::optional<double> off() const {
    if (replayed_s > 0 && recorded_s > 0) return replayed_s / recorded_s - 1;
    return {};
  }
};

SelfCheck self_check_of(const Json& study, const Json& what_if) {
  const Json& prediction = prediction_of(what_if);
  if (number_of(prediction, "replayed_s") > 0)
    return {number_of(prediction, "replayed_s"),
            number_of(prediction, "recorded_s", number_of(study, "recorded_s"))};
  return {number_of(study, "replayed_s"), number_of(study, "recorded_s")};
}

std::string range_of(const std::vector<double>& runs_s) {
  const auto [least, most] = std::minmax_element(runs_s.begin(), runs_s.end());
  return show_time(*least) + " to " + show_time(*most);
}

std::vector<std::string> doubts_of(const Json& study, const Json& what_if) {
  std::vector<std::string> doubts;
  const SelfCheck check = self_check_of(study, what_if);
  if (const auto off = check.off(); off && std::fabs(*off) > most_self_check)
    doubts.push_back(
        fmt::format("the recording replayed on the model of its own machine takes {} and not {} ({:+.0f}%)",
                    show_time(check.replayed_s), show_time(check.recorded_s), 100 * *off));
  if (const auto runs_s = numbers_of(study, "recorded_runs_s"); runs_differ(runs_s))
    doubts.push_back(fmt::format("like runs took {}", range_of(runs_s)));
  return doubts;
}

std::string joined(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", and "));
}

std::string interval_of(const Time& time) {
  return fmt::format("{} [{}, {}]", show_time(time.s), show_time(time.low), show_time(time.high));
}

std::string gain_text(double gain) {
  if (gain >= 1.005) return fmt::format("{:.3g} times as fast", gain);
  if (gain > 0.995) return "no faster";
  return fmt::format("{:.3g} times slower", 1 / gain);
}

void put_gain(Json& headline, double baseline_s, const Time& time) {
  headline["baseline_s"] = baseline_s;
  headline["gain"] = baseline_s / time.s;
  headline["gain_low"] = time.high > 0 ? Json(baseline_s / time.high) : Json();
  headline["gain_high"] = time.low > 0 ? Json(baseline_s / time.low) : Json();
}

}  // namespace

bool runs_differ(const std::vector<double>& runs_s) {
  if (runs_s.size() < 2) return false;
  const auto [least, most] = std::minmax_element(runs_s.begin(), runs_s.end());
  return *most - *least > most_runs_differ * stats::median(runs_s);
}

Json headline_of(const Json& study, const Json& what_if) {
  const std::vector<std::string> doubts = doubts_of(study, what_if);
  const auto simulated = time_of(what_if, "simulated"), real = time_of(what_if, "real"),
             clock = time_of(what_if, "virtual"), dilated = time_of(what_if, "dilated");
  const SelfCheck check = self_check_of(study, what_if);
  const double recorded_s = number_of(study, "recorded_s");
  Json headline = {{"by", nullptr},         {"s", nullptr},
                   {"low", nullptr},        {"high", nullptr},
                   {"baseline_s", nullptr}, {"gain", nullptr},
                   {"gain_low", nullptr},   {"gain_high", nullptr},
                   {"self_check", nullptr}, {"because", joined(doubts)}};
  if (const auto off = check.off()) headline["self_check"] = *off;
  const auto put_time = [&](const Time& time) {
    headline["s"] = time.s;
    headline["low"] = time.low;
    headline["high"] = time.high;
  };
  const bool real_steady =
      !runs_differ(numbers_of(what_if, "real_runs_s")) && !runs_differ(numbers_of(study, "recorded_runs_s"));
  std::string sentence;
  if (real && real_steady && recorded_s > 0) {
    headline["by"] = "real run";
    put_time(*real);
    put_gain(headline, recorded_s, *real);
    sentence = fmt::format("{} really takes {}: {}", show_time(recorded_s), interval_of(*real),
                           gain_text(recorded_s / real->s));
  } else if (simulated && doubts.empty()) {
    headline["by"] = "simulation";
    put_time(*simulated);
    const double baseline_s = check.replayed_s > 0 ? check.replayed_s : recorded_s;
    if (baseline_s > 0) put_gain(headline, baseline_s, *simulated);
    sentence = fmt::format("{} ({}) would take {}: {}", show_time(recorded_s),
                           check.replayed_s > 0 ? "replayed " + show_time(check.replayed_s) : "not replayed",
                           interval_of(*simulated), gain_text(baseline_s / simulated->s));
  } else if (clock && !runs_differ(numbers_of(what_if, "virtual_runs_s"))) {
    headline["by"] = "virtual clock";
    put_time(*clock);
    const auto today = time_of(study, "virtual_today");
    if (today) put_gain(headline, today->s, *clock);
    sentence = today ? fmt::format("by the virtual clock {} would take {}: {}", show_time(today->s),
                                   interval_of(*clock), gain_text(today->s / clock->s))
                     : fmt::format("by the virtual clock it would take {}", interval_of(*clock));
    if (!doubts.empty()) sentence += fmt::format("; simulation does not lead, as {}", joined(doubts));
  } else {
    const auto known = simulated ? simulated : clock ? clock : dilated;
    if (known) put_time(*known);
    sentence = doubts.empty() ? "nothing is known yet"
                              : fmt::format("no figure can be relied upon, as {}", joined(doubts));
    if (known)
      sentence += fmt::format("; {} says {}",
                              simulated ? "simulation"
                              : clock   ? "the virtual clock"
                                        : "dilation",
                              interval_of(*known));
  }
  headline["sentence"] = sentence;
  return headline;
}

void add_headlines(Json& study) {
  if (!study.is_object() || !study.contains("what_ifs") || !study["what_ifs"].is_array()) return;
  for (Json& what_if : study["what_ifs"])
    if (what_if.is_object() && !what_if.contains("headline"))
      what_if["headline"] = headline_of(study, what_if);
}

std::optional<std::string> why_no_verdict(const Json& study) {
  const auto what_ifs = study.find("what_ifs");
  const bool any = what_ifs != study.end() && what_ifs->is_array() && !what_ifs->empty();
  const auto doubts = doubts_of(study, any ? what_ifs->front() : Json::object());
  if (doubts.empty()) return {};
  return joined(doubts);
}

}  // namespace ww
