#include <nlohmann/json.hpp>

#include "view/answers/instant.hpp"
#include "view/resources/resources.hpp"
#include "view/selected.hpp"

namespace ww::view {
namespace {

nlohmann::json to_json(const Index& index, const Trace& trace, std::size_t rank, const RankInstant& state) {
  const OccupancyKey key = index.keys()[state.key];
  nlohmann::json out{
      {"rank", rank},
      {"key", state.key},
      {"name", state.call ? nlohmann::json(index.names()[state.call->interval.name]) : nullptr},
      {"call", state.call ? nlohmann::json(state.call->call) : nullptr},
      {"part", part_name(state.key, key)},
      {"since_ns", state.since_ns},
      {"until_ns", state.until_ns},
      {"queued_messages", state.queued_messages},
      {"queued_bytes", state.queued_bytes},
      {"outgoing_messages", state.outgoing_messages},
      {"outgoing_bytes", state.outgoing_bytes}};
  if (!state.with.any) return out;
  out["peer"] = state.with.peer;
  out["tag"] = state.with.tag;
  out["comm"] = state.with.comm < trace.comms.size() ? trace.comms[state.with.comm].name : "";
  out["bytes"] = state.with.bytes;
  return out;
}

Result<Response> answer_state(const Inquiry& inquiry) {
  WW_TRY(const std::optional<std::int64_t> at_ns, inquiry.query.instant_ns("at_ns"));
  if (!at_ns)
    return wrong_usage("an instant is needed", "at_ns", "give nanoseconds since the begin of the program");
  WW_TRY(const SelectedPart all, selected(*inquiry.trace, {}));
  WW_TRY(nlohmann::json ranks, inquiry.trace->of_index([&](const Index& index) -> Result<nlohmann::json> {
    WW_TRY(const auto states, states_at(index, all.part, *at_ns));
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t rank = 0; rank < states.size(); ++rank)
      list.push_back(to_json(index, *all.trace, rank, states[rank]));
    return list;
  }));
  return json_response({{"at_ns", *at_ns}, {"ranks", std::move(ranks)}});
}

}  // namespace

const Resource state_resource = {
    .name = "state", .parameters = "at_ns", .answer = answer_state, .of_calls = true};

}  // namespace ww::view
