#include <nlohmann/json.hpp>

#include "view/answers/skew.hpp"
#include "view/resources/resources.hpp"
#include "view/selected.hpp"

namespace ww::view {
namespace {

Result<Response> answer_skew(const Inquiry& inquiry) {
  WW_TRY(const Selection selection, inquiry.query.selection());
  WW_TRY(const std::int64_t limit, inquiry.query.integer("limit", 0, 100'000, 2'000));
  WW_TRY(const SelectedPart selected, view::selected(*inquiry.trace, selection));
  const Skew skew = skew_of(selected.part, static_cast<std::size_t>(limit));
  nlohmann::json collectives = nlohmann::json::array(), by_op = nlohmann::json::array();
  for (const CollectiveSkew& one : skew.collectives)
    collectives.push_back(
        {{"op", to_string(one.op)},
         {"comm", one.comm < selected.trace->comms.size() ? selected.trace->comms[one.comm].name : ""},
         {"first_ns", one.first_ns},
         {"last_ns", one.last_ns},
         {"left_ns", one.left_ns},
         {"last_rank", one.last_rank},
         {"bytes", one.bytes}});
  for (const SkewOfOp& one : skew.by_op)
    by_op.push_back({{"op", to_string(one.op)},
                     {"count", one.count},
                     {"skew_s", one.skew_s},
                     {"transfer_s", one.transfer_s}});
  return json_response({{"collectives", std::move(collectives)},
                        {"by_op", std::move(by_op)},
                        {"all", skew.all},
                        {"left_out", skew.all - skew.collectives.size()}});
}

}  // namespace

const Resource skew_resource = {.name = "skew", .parameters = "SEL limit", .answer = answer_skew};

}  // namespace ww::view
