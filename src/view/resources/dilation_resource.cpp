#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "study/simulated_signature.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_dilation(const Inquiry& inquiry) {
  WW_TRY(const bool simulated, inquiry.query.flag("simulated"));
  const auto told = inquiry.trace->dilation();
  if (told && !simulated) {
    nlohmann::json json = *told;
    json["by"] = "dilation";
    return json_response(json);
  }
  if (inquiry.traces.viewing().read_only)
    return refusal(403, "predictions are not for guests: it is shared with --read-only",
                   "start whatwire view yourself");
  WW_TRY(const Replaying replaying, replaying_of(inquiry));
  WW_TRY(const SimulatedSignature found,
         simulated_signature(replaying.run(), replaying.model, {},
                             {std::begin(factors_of_s3), std::end(factors_of_s3)},
                             {.threads = static_cast<unsigned>(processors())}));
  nlohmann::json json = to_json(found);
  json.erase("ranks");
  json["by"] = "simulation";
  json["told"] = told != nullptr;
  return json_response(json);
}

}  // namespace

const Resource dilation_resource = {
    .name = "dilation", .parameters = "simulated machine", .answer = answer_dilation};

}  // namespace ww::view
