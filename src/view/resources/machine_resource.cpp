#include "base/json_object.hpp"
#include "machine/flags.hpp"
#include "simulate/predicted_run.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_machine(const Inquiry& inquiry) {
  WW_TRY(const auto conditions, simulate::conditions_of(inquiry.trace->origin().source));
  WW_TRY(const MachineModel model, model_of(inquiry, conditions));
  std::vector<std::string> said;
  Diagnostics diagnostics;
  say_flags({&model}, said, diagnostics);
  nlohmann::json json = to_json(model);
  json["diagnostics"] = diagnostics;
  return json_response(json);
}

}  // namespace

const Resource machine_resource = {
    .name = "machine", .parameters = "machine", .answer = answer_machine, .heavy = false};

}  // namespace ww::view
