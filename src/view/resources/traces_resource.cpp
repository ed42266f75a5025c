#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_traces(const Inquiry& inquiry) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [number, trace, used] : inquiry.traces.all()) {
    const TraceOrigin origin = trace->origin();
    nlohmann::json one = {{"number", number},
                          {"name", origin.name},
                          {"kind", to_string(origin.kind)},
                          {"source", origin.source.string()}};
    if (origin.of >= 0) {
      one["spec"] = origin.spec;
      one["of"] = origin.of;
    }
    list.push_back(std::move(one));
  }
  return json_response({{"made_by", inquiry.traces.viewing().made_by},
                        {"read_only", inquiry.traces.viewing().read_only},
                        {"traces", std::move(list)}});
}

}  // namespace

const Resource traces_resource = {.name = "traces",
                                  .parameters = "",
                                  .answer = answer_traces,
                                  .of_trace = false,
                                  .heavy = false,
                                  .kept = false};

}  // namespace ww::view
