#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "simulate/free/explain.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr double reach = 10;  // times what the machine has that recorded

nlohmann::json in_json(const simulate::CurvesFromNothing& at) {
  return {{"latency", at.latency_s}, {"seconds_per_byte", at.seconds_per_byte}, {"overhead", at.overhead_s}};
}

Result<Response> answer_curves(const Inquiry& inquiry) {
  WW_TRY(const WhatIf what_if, what_if_of(inquiry.query.text("what_if")));
  WW_TRY(const Replaying replaying, replaying_of(inquiry));
  const simulate::CurvesFromNothing recorded =
      simulate::parameters_of(replaying.model, replaying.program->recorded.network);
  const simulate::CurvesFromNothing far{reach * recorded.latency_s, reach * recorded.seconds_per_byte,
                                        reach * recorded.overhead_s};
  WW_TRY(const auto predicted,
         predict_all(replaying.run(), replaying.model, {what_if},
                     {.explain = true, .curves = &far, .threads = static_cast<unsigned>(processors())}));
  const Prediction& prediction = predicted.front();
  nlohmann::json json = to_json(prediction);
  json.erase("ranks");
  json["at_recorded_s"] = in_json(recorded);
  json["not_explained"] =
      prediction.not_explained.empty() ? nlohmann::json() : nlohmann::json(prediction.not_explained);
  return json_response(json);
}

}  // namespace

const Resource curves_resource = {
    .name = "curves", .parameters = "what_if machine", .answer = answer_curves, .guests = false};

}  // namespace ww::view
