#include <algorithm>
#include <cmath>

#include "analyze/alignment.hpp"
#include "base/units.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::size_t most_lags = 400'000;  // numbers in an answer
constexpr std::int64_t most_bins = 2'000, most_steps = 10'000;

Result<std::shared_ptr<const Trace>> trace_of(const Inquiry& inquiry, const char* which) {
  WW_TRY(const std::int64_t number, inquiry.query.integer(which, 0, 1'000'000));
  const auto open = inquiry.traces.find(static_cast<int>(number));
  if (!open)
    return wrong_usage("there is no such trace", which,
                       "data/traces lists the numbers of those that are open");
  return open->trace();
}

nlohmann::json to_json(const LagOfCall& call) {
  return {{"name", call.name}, {"count", call.count}, {"later_s", call.later_s}};
}

Result<Response> answer_compare(const Inquiry& inquiry) {
  WW_TRY(const auto a, trace_of(inquiry, "a"));
  WW_TRY(const auto b, trace_of(inquiry, "b"));
  WW_TRY(const std::int64_t bins, inquiry.query.integer("bins", 1, most_bins, 200));
  WW_TRY(const std::int64_t limit, inquiry.query.integer("limit", 0, most_steps, 500));
  const std::size_t ranks_both = std::max<std::size_t>(1, std::min(a->ranks.size(), b->ranks.size()));
  const std::size_t bins_there =
      std::clamp<std::size_t>(most_lags / ranks_both, 1, static_cast<std::size_t>(bins));
  const Alignment found = align(*a, *b, bins_there, static_cast<std::size_t>(limit));
  nlohmann::json ranks = nlohmann::json::array(), calls = nlohmann::json::array(),
                 steps = nlohmann::json::array();
  for (std::size_t rank = 0; rank < found.ranks.size(); ++rank) {
    const RankLag& lag = found.ranks[rank];
    ranks.push_back({{"rank", rank},
                     {"calls_a", lag.calls_a},
                     {"calls_b", lag.calls_b},
                     {"aligned", lag.aligned},
                     {"begin_later_ns", lag.begin_later_ns},
                     {"end_later_ns", lag.end_later_ns},
                     {"later_ns", lag.later_ns}});
  }
  for (const LagOfCall& call : found.calls) calls.push_back(to_json(call));
  for (const LagStep& step : found.steps)
    steps.push_back({{"rank", step.rank},
                     {"name", step.name},
                     {"in_call", step.in_call},
                     {"call", step.call},
                     {"a_from_ns", step.a_from_ns},
                     {"a_to_ns", step.a_to_ns},
                     {"b_from_ns", step.b_from_ns},
                     {"b_to_ns", step.b_to_ns},
                     {"later_ns", step.later_ns},
                     {"grew_ns", step.grew_ns()}});
  return json_response({{"elapsed_a_s", a->elapsed_s()},
                        {"elapsed_b_s", b->elapsed_s()},
                        {"ranks_a", a->ranks.size()},
                        {"ranks_b", b->ranks.size()},
                        {"bin_ns", found.bin_ns},
                        {"bins", found.bins},
                        {"ranks", std::move(ranks)},
                        {"computing", to_json(found.computing)},
                        {"not_aligned", to_json(found.not_aligned)},
                        {"calls", std::move(calls)},
                        {"steps", std::move(steps)},
                        {"left_out", found.all_steps - found.steps.size()}});
}

}  // namespace

const Resource compare_resource = {.name = "compare",
                                   .parameters = "a b bins limit",
                                   .answer = answer_compare,
                                   .of_trace = false,
                                   .kept = false};  // predicted runs come and go

}  // namespace ww::view
