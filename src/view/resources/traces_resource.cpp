#include "machine/presets.hpp"
#include "simulate/networks/registry.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

// What a what-if may name: its choosers have them.
nlohmann::json machines() {
  nlohmann::json list = nlohmann::json::array();
  for (const Preset* preset : presets())
    list.push_back({{"name", preset->name}, {"about", preset->description}});
  return list;
}
nlohmann::json networks() {
  nlohmann::json list = nlohmann::json::array();
  for (const simulate::NetworkKind* kind : simulate::network_kinds())
    list.push_back({{"name", kind->name}, {"about", kind->says}});
  return list;
}

Result<Response> answer_traces(const Inquiry& inquiry) {
  nlohmann::json list = nlohmann::json::array();
  for (const OpenTraces::Numbered& numbered : inquiry.traces.all()) {
    const TraceOrigin origin = numbered.trace->origin();
    if (numbered.trace->knows_calls_only()) continue;  // a picture of one that is listed
    nlohmann::json one = {{"number", numbered.number},
                          {"name", origin.name},
                          {"kind", to_string(origin.kind)},
                          {"source", origin.source.string()}};
    if (numbered.trace->is_unclosed()) one["unclosed"] = true;
    if (numbered.trace->has_picture()) one["picture"] = true;
    if (origin.of >= 0) {
      one["spec"] = origin.spec;
      one["of"] = origin.of;
      if (origin.passing) one["passing"] = true;
    }
    list.push_back(std::move(one));
  }
  nlohmann::json answer = {{"made_by", inquiry.traces.viewing().made_by},
                           {"read_only", inquiry.traces.viewing().read_only},
                           {"traces", std::move(list)},
                           {"machines", machines()},
                           {"networks", networks()}};
  if (inquiry.traces.viewing().may_run) answer["may_run"] = true;
  return json_response(answer);
}

}  // namespace

const Resource traces_resource = {.name = "traces",
                                  .parameters = "",
                                  .answer = answer_traces,
                                  .of_trace = false,
                                  .heavy = false,
                                  .kept = false};

}  // namespace ww::view
