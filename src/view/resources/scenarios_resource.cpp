#include <fmt/format.h>

#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "simulate/scenarios.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::size_t most_scenarios = 12;

// "SPEC;SPEC", as SPECs have commas; before them the machine that recorded.
Result<std::vector<Scenario>> scenarios_of(const std::string& specs) {
  std::vector<Scenario> out{{"today", {}}};
  for (std::size_t from = 0; from < specs.size();) {
    const std::size_t to = std::min(specs.find(';', from), specs.size());
    const std::string spec = specs.substr(from, to - from);
    from = to + 1;
    if (spec.empty()) continue;
    if (out.size() == most_scenarios)
      return wrong_usage("too many what-ifs at once", "what_ifs",
                         fmt::format("at most {}", most_scenarios - 1));
    WW_TRY(WhatIf what_if, what_if_of(spec));
    out.push_back({printable(spec), std::move(what_if)});
  }
  return out;
}

Result<Response> answer_scenarios(const Inquiry& inquiry) {
  WW_TRY(const std::vector<Scenario> scenarios, scenarios_of(inquiry.query.text("what_ifs")));
  WW_TRY(const Replaying replaying, replaying_of(inquiry));
  std::vector<WhatIf> what_ifs;
  for (const Scenario& one : scenarios) what_ifs.push_back(one.what_if);
  WW_TRY(const auto predictions, predict_all(replaying.run(), replaying.model, what_ifs,
                                             {.threads = static_cast<unsigned>(processors())}));
  nlohmann::json list = scenarios_json(*replaying.trace, scenarios, predictions);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    list[i]["assumptions"] = predictions[i].assumptions;
    list[i]["diagnostics"] = predictions[i].diagnostics;
  }
  return json_response({{"recorded_s", predictions.front().recorded_s},
                        {"replayed_s", predictions.front().replayed_s},
                        {"scenarios", std::move(list)}});
}

}  // namespace

const Resource scenarios_resource = {
    .name = "scenarios", .parameters = "what_ifs machine", .answer = answer_scenarios, .guests = false};

}  // namespace ww::view
