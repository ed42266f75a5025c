#include "view/facts.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_trace(const Inquiry& inquiry) {
  WW_TRY(const auto facts, inquiry.trace->facts());
  WW_TRY(const auto index, inquiry.trace->index());
  nlohmann::json json = *facts;
  add_index(json, *index);
  const TraceOrigin origin = inquiry.trace->origin();
  json["name"] = origin.name;
  json["kind"] = to_string(origin.kind);
  return json_response(json);
}

}  // namespace

const Resource trace_resource = {
    .name = "trace", .parameters = "", .answer = answer_trace, .heavy = false, .of_calls = true};

}  // namespace ww::view
