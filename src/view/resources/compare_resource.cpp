#include <cmath>
#include <nlohmann/json.hpp>

#include "view/answers/alignment.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t last_trace_number = std::int64_t{1} << 30;

Result<std::shared_ptr<OpenTrace>> trace_of(const Inquiry& inquiry, const char* name) {
  WW_TRY(const std::int64_t number, inquiry.query.integer(name, 0, last_trace_number));
  auto trace = inquiry.traces.find(static_cast<int>(number));
  if (!trace) return wrong_usage("there is no such trace", name, "data/traces lists those that there are");
  return trace;
}

nlohmann::json to_json(const AlignedRank& row) {
  nlohmann::json lags = nlohmann::json::array();
  for (const auto& lag : row.lag_ns)
    lags.push_back(lag ? nlohmann::json(std::llround(*lag)) : nlohmann::json());
  return {{"rank", row.rank},
          {"aligned", row.aligned},
          {"only_a", row.only_a},
          {"only_b", row.only_b},
          {"last_lag_ns", row.last_lag_ns ? nlohmann::json(*row.last_lag_ns) : nlohmann::json()},
          {"lag_ns", std::move(lags)}};
}

Result<Response> answer_compare(const Inquiry& inquiry) {
  WW_TRY(const auto a, trace_of(inquiry, "a"));
  WW_TRY(const auto b, trace_of(inquiry, "b"));
  WW_TRY(const std::int64_t bins, inquiry.query.integer("bins", 1, 4096, 256));
  WW_TRY(const Alignment aligned, a->of_index([&](const Index& of_a) {
    return b->of_index(
        [&](const Index& of_b) { return align(of_a, of_b, static_cast<std::uint32_t>(bins)); });
  }));
  nlohmann::json ranks = nlohmann::json::array();
  for (const AlignedRank& row : aligned.ranks) ranks.push_back(to_json(row));
  return json_response({{"bins", aligned.bins},
                        {"from_ns", 0},
                        {"bin_ns", aligned.bin_ns},
                        {"ranks", std::move(ranks)},
                        {"ranks_only_a", aligned.ranks_only_a},
                        {"ranks_only_b", aligned.ranks_only_b}});
}

}  // namespace

const Resource compare_resource = {.name = "compare",
                                   .parameters = "a b bins",
                                   .answer = answer_compare,
                                   .of_trace = false,
                                   .kept = false};  // numbers of predicted runs come and go

}  // namespace ww::view
