#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "simulate/free/explain.hpp"
#include "simulate/placement.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr double reach = 10;  // times what the machine has whose parts the what-if changes

nlohmann::json in_json(const simulate::CurvesFromNothing& at) {
  return {{"latency", at.latency_s}, {"seconds_per_byte", at.seconds_per_byte}, {"overhead", at.overhead_s}};
}

// Where the ranks are in the prediction.
Place network_of(const MachineModel& machine, const simulate::Program& program, int ranks_per_host) {
  const int each = simulate::ranks_per_host_on(machine, program, ranks_per_host);
  if (each == 0) return program.recorded.network;
  return program.ranks.size() > static_cast<std::size_t>(each) ? Place::inter : Place::intra;
}

Result<Response> answer_curves(const Inquiry& inquiry) {
  WW_TRY(const WhatIf what_if, what_if_of(inquiry.query.text("what_if")));
  WW_TRY(const Replaying replaying, replaying_of(inquiry));
  const MachineModel& changed = what_if.machine ? *what_if.machine : replaying.model;
  const simulate::CurvesFromNothing unchanged =
      simulate::parameters_of(changed, network_of(changed, *replaying.program, what_if.ranks_per_host));
  const simulate::CurvesFromNothing far{reach * unchanged.latency_s, reach * unchanged.seconds_per_byte,
                                        reach * unchanged.overhead_s};
  WW_TRY(const auto predicted,
         predict_all(replaying.run(), replaying.model, {what_if},
                     {.explain = true, .curves = &far, .threads = static_cast<unsigned>(processors())}));
  const Prediction& prediction = predicted.front();
  nlohmann::json json = to_json(prediction);
  json.erase("ranks");
  json["unchanged_s"] = in_json(unchanged);
  json["not_explained"] =
      prediction.not_explained.empty() ? nlohmann::json() : nlohmann::json(prediction.not_explained);
  return json_response(json);
}

}  // namespace

const Resource curves_resource = {
    .name = "curves", .parameters = "what_if machine", .answer = answer_curves, .guests = false};

}  // namespace ww::view
