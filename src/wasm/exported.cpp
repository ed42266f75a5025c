// What a page calls: a trace that it holds, and questions about it, answered as `whatwire view` answers them (docs/design/viewing.md).
// Bytes go in and out by addresses in the module's memory.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "machine/model.hpp"
#include "trace/packed.hpp"
#include "view/open_traces.hpp"
#include "view/responder.hpp"

#define WW_EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace ww {
namespace {

struct Answered {
  int status = 0;
  std::string content_type;
  std::shared_ptr<const std::string> body;
};

view::OpenTraces& traces() {
  static view::OpenTraces all({"whatwire " WHATWIRE_VERSION, false, false});
  return all;
}

// The one that was made last: pages ask one thing after the other.
Answered& latest() {
  static Answered answered;
  return answered;
}

void answer(view::Response response) {
  latest() = {response.status, std::move(response.content_type), std::move(response.body)};
}

Result<std::shared_ptr<const MachineModel>> model_of(std::string_view json) {
  if (json.empty()) return nullptr;
  const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return fail("the machine model is not JSON");
  WW_TRY(MachineModel model, model_from_json(parsed));
  return std::make_shared<const MachineModel>(std::move(model));
}

// What such a run was predicted under stands in files beside it.
bool is_prediction_of_predicted(std::string_view path) {
  const auto opened = traces().find(0);
  const bool predicts = path == "data/0/predict" || path == "data/0/curves" || path == "data/0/scenarios" ||
                        path == "data/0/dilation";
  return predicts && opened && opened->origin().kind == view::TraceOrigin::Kind::predicted;
}

}  // namespace
}  // namespace ww

using namespace ww;

WW_EXPORT(ww_allocate) char* ww_allocate(std::size_t bytes) {
  return static_cast<char*>(std::malloc(bytes));
}
WW_EXPORT(ww_release) void ww_release(char* at) {
  std::free(at);
}

// Opens a packed trace under its name; `model`: that of the machine that recorded it, as JSON, or nothing. Its number, or -1: then the
// answer says why.
WW_EXPORT(ww_open)
int ww_open(const char* packed, std::size_t packed_bytes, const char* model, std::size_t model_bytes,
            const char* name, std::size_t name_bytes) {
  auto trace = unpack({packed, packed_bytes});
  auto machine = model_of({model, model_bytes});
  if (!trace || !machine) {
    answer(view::refusal(trace ? machine.error() : trace.error()));
    return -1;
  }
  view::TraceOrigin origin;
  origin.kind = trace->predicted ? view::TraceOrigin::Kind::predicted : view::TraceOrigin::Kind::recorded;
  origin.name = printable({name, name_bytes});
  origin.source = origin.name;
  return traces().add(std::make_shared<view::OpenTrace>(
      std::move(origin), std::make_shared<const Trace>(*std::move(trace)), *std::move(machine)));
}

// The status; what else there is of the answer is asked for by the functions below, until the next.
WW_EXPORT(ww_answer)
int ww_answer(const char* path, std::size_t path_bytes, const char* query, std::size_t query_bytes) {
  static view::Responder responder(traces());
  if (is_prediction_of_predicted({path, path_bytes})) {
    answer(view::refusal(409,
                         "this page holds a predicted run, of which nothing further is predicted in a page",
                         "export the recording that it was made from, or use whatwire view"));
    return latest().status;
  }
  answer(responder.answer({{path, path_bytes}, {query, query_bytes}}));
  return latest().status;
}
WW_EXPORT(ww_body) const char* ww_body() {
  return latest().body ? latest().body->data() : nullptr;
}
WW_EXPORT(ww_body_bytes) std::size_t ww_body_bytes() {
  return latest().body ? latest().body->size() : 0;
}
WW_EXPORT(ww_type) const char* ww_type() {
  return latest().content_type.data();
}
WW_EXPORT(ww_type_bytes) std::size_t ww_type_bytes() {
  return latest().content_type.size();
}
