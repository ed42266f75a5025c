#include <fmt/format.h>

#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "simulate/predicted_run.hpp"
#include "view/predicting.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

Result<Response> answer_predict(const Inquiry& inquiry) {
  const TraceOrigin origin = inquiry.trace->origin();
  const int of = inquiry.traces.number_of(inquiry.trace);
  if (origin.of >= 0)
    return fail("it is a prediction itself", origin.name, fmt::format("ask of trace {}", origin.of));
  WW_TRY(const bool quick, inquiry.query.flag("quick"));
  const std::string spec = inquiry.query.text("what_if");
  WW_TRY(const WhatIf what_if, what_if_of(spec));
  const std::string question = fmt::format("{}?{}", of, inquiry.query.canonical());
  if (const auto there = inquiry.traces.find_predicted(question))
    return json_response(nlohmann::json::parse(*there->origin().answer));
  WW_TRY(const auto conditions, simulate::conditions_of(origin.source));
  WW_TRY(const MachineModel model, model_of(inquiry, conditions));
  WW_TRY(const auto trace, inquiry.trace->trace());
  std::uint64_t calls = 0;
  for (const RankTrace& rank : trace->ranks) calls += rank.calls();
  const bool with_picture = calls <= OpenTraces::most_predicted_calls;
  const auto noted = inquiry.trace->new_noted_run(trace, with_picture ? trace->messages.size() : 0);
  WW_TRY(const auto checked, inquiry.trace->checked(model));
  if (quick) inquiry.trace->begin_quick_replay(inquiry.stop);
  auto predicted = checked->predict(what_if, {.threads = quick ? 1 : static_cast<unsigned>(processors()),
                                              .interval = !quick,
                                              .observer = with_picture ? &noted->notes : nullptr,
                                              .cancellation = &*inquiry.stop});
  if (!predicted && quick && inquiry.stop->requested())
    return refusal(409, "another prediction was asked for meanwhile", "look at that one");
  if (!predicted) return tl::unexpected(std::move(predicted.error()));
  nlohmann::json json = to_json(*predicted);
  json["trace"] = nullptr;
  if (!with_picture) {
    json["no_trace"] =
        fmt::format("of more than {} calls no picture is made", OpenTraces::most_predicted_calls);
    return json_response(json);
  }
  const int number = inquiry.traces.number_for_predicted();
  json["trace"] = number;
  TraceOrigin made{TraceOrigin::Kind::predicted,
                   fmt::format("{}: {}", origin.name, spec.empty() ? "as recorded" : printable(spec)),
                   origin.source,
                   printable(spec),
                   of,
                   question,
                   std::make_shared<const std::string>(json_text(json)),
                   quick};
  noted->simulated = std::move(predicted->simulated);
  inquiry.traces.add_predicted(
      number, calls,
      std::make_shared<OpenTrace>(std::move(made), noted, std::make_shared<const MachineModel>(model)));
  return json_response(json);
}

}  // namespace

const Resource predict_resource = {.name = "predict",
                                   .parameters = "what_if machine quick",
                                   .answer = answer_predict,
                                   .kept = false,
                                   .guests = false};

}  // namespace ww::view
