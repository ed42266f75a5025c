#include <limits>

#include "view/marks.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t most_listed = 100'000, listed_otherwise = 2'000;

Result<Response> answer_marks(const Inquiry& inquiry) {
  WW_TRY(const auto from_ns, inquiry.query.instant_ns("from_ns"));
  WW_TRY(const auto to_ns, inquiry.query.instant_ns("to_ns"));
  if (from_ns && to_ns && *from_ns >= *to_ns)
    return wrong_usage("the window is empty", "to_ns", "let to_ns be later than from_ns");
  std::vector<NumberRange> ranks;
  if (inquiry.query.has("ranks")) {
    WW_TRY(ranks, parse_numbers(inquiry.query.text("ranks")));
  }
  WW_TRY(const std::int64_t limit, inquiry.query.integer("limit", 0, most_listed, listed_otherwise));
  WW_TRY(const auto trace, inquiry.trace->trace());
  const MarksWindow marks = marks_in_window(
      *trace, ranks, from_ns.value_or(std::numeric_limits<std::int64_t>::min()),
      to_ns.value_or(std::numeric_limits<std::int64_t>::max()), static_cast<std::size_t>(limit));
  nlohmann::json markers = nlohmann::json::array(), regions = nlohmann::json::array();
  for (const MarkerInTime& one : marks.markers)
    markers.push_back({{"rank", one.rank}, {"at_ns", one.at_ns}, {"text", trace->user.texts[one.text]}});
  for (const RegionInTime& one : marks.regions)
    regions.push_back({{"rank", one.rank},
                       {"from_ns", one.from_ns},
                       {"to_ns", one.to_ns},
                       {"name", trace->user.regions[one.region]},
                       {"depth", one.depth}});
  return json_response(
      {{"markers", std::move(markers)}, {"regions", std::move(regions)}, {"left_out", marks.left_out}});
}

}  // namespace

const Resource marks_resource = {
    .name = "marks", .parameters = "from_ns to_ns ranks limit", .answer = answer_marks};

}  // namespace ww::view
