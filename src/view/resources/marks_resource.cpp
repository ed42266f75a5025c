// What the program itself said (include/whatwire/marker.h) in a window of time: its markers and regions.
#include <algorithm>
#include <limits>
#include <tuple>

#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t most_listed = 100'000, listed_otherwise = 2'000;

struct Mark {
  std::size_t rank;
  std::int64_t at_ns;
  std::uint32_t text;
};
struct MarkedRegion {
  std::size_t rank;
  std::int64_t from_ns, to_ns;
  std::uint32_t region, depth;  // 0: outermost of its thread
};
struct Marks {
  std::vector<Mark> markers;
  std::vector<MarkedRegion> regions;
};

bool is_wanted(const std::vector<NumberRange>& ranges, std::size_t rank) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const NumberRange& range) {
           return rank >= range.first && rank <= range.last;
         });
}

// Times since the begin of the program. A region that has no time of its own counts where it is entered.
void add_rank(Marks& marks, const UserEvents& events, std::size_t rank, std::int64_t begin_ns,
              std::int64_t from_ns, std::int64_t to_ns) {
  for (const UserMarker& one : events.markers)
    if (one.at_ns - begin_ns >= from_ns && one.at_ns - begin_ns < to_ns)
      marks.markers.push_back({rank, one.at_ns - begin_ns, one.text});
  std::vector<std::vector<std::int64_t>> open;  // by thread: where the regions end that are entered
  for (const UserRegion& one : events.regions) {
    if (one.thread >= open.size()) open.resize(one.thread + 1);
    std::vector<std::int64_t>& around = open[one.thread];
    while (!around.empty() && around.back() <= one.enter_ns) around.pop_back();
    const auto depth = static_cast<std::uint32_t>(around.size());
    around.push_back(one.leave_ns);
    const std::int64_t enter_ns = one.enter_ns - begin_ns, leave_ns = one.leave_ns - begin_ns;
    if (enter_ns < to_ns && (leave_ns > from_ns || enter_ns >= from_ns))
      marks.regions.push_back({rank, enter_ns, leave_ns, one.region, depth});
  }
}

// Of too many markers every n-th, of too many regions the longest; by rank and time again. Gives how many are left out.
std::size_t keep_at_most(Marks& marks, std::size_t limit) {
  std::size_t left_out = 0;
  if (marks.markers.size() > limit) {
    const std::size_t every =
        limit == 0 ? marks.markers.size() + 1 : (marks.markers.size() + limit - 1) / limit;
    std::vector<Mark> kept;
    for (std::size_t i = every - 1; i < marks.markers.size(); i += every) kept.push_back(marks.markers[i]);
    left_out += marks.markers.size() - kept.size();
    marks.markers = std::move(kept);
  }
  if (marks.regions.size() > limit) {
    left_out += marks.regions.size() - limit;
    std::stable_sort(marks.regions.begin(), marks.regions.end(),
                     [](const MarkedRegion& a, const MarkedRegion& b) {
                       return a.to_ns - a.from_ns > b.to_ns - b.from_ns;
                     });
    marks.regions.resize(limit);
    std::sort(marks.regions.begin(), marks.regions.end(), [](const MarkedRegion& a, const MarkedRegion& b) {
      return std::tie(a.rank, a.from_ns, a.depth) < std::tie(b.rank, b.from_ns, b.depth);
    });
  }
  return left_out;
}

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
  const std::int64_t begin_ns = trace->begin_ns();
  Marks marks;
  for (std::size_t rank = 0; rank < trace->ranks.size(); ++rank)
    if (is_wanted(ranks, rank))
      add_rank(marks, trace->ranks[rank].user, rank, begin_ns,
               from_ns.value_or(std::numeric_limits<std::int64_t>::min()),
               to_ns.value_or(std::numeric_limits<std::int64_t>::max()));
  const std::size_t left_out = keep_at_most(marks, static_cast<std::size_t>(limit));
  nlohmann::json markers = nlohmann::json::array(), regions = nlohmann::json::array();
  for (const Mark& one : marks.markers)
    markers.push_back({{"rank", one.rank}, {"at_ns", one.at_ns}, {"text", trace->user.texts[one.text]}});
  for (const MarkedRegion& one : marks.regions)
    regions.push_back({{"rank", one.rank},
                       {"from_ns", one.from_ns},
                       {"to_ns", one.to_ns},
                       {"name", trace->user.regions[one.region]},
                       {"depth", one.depth}});
  return json_response(
      {{"markers", std::move(markers)}, {"regions", std::move(regions)}, {"left_out", left_out}});
}

}  // namespace

const Resource marks_resource = {
    .name = "marks", .parameters = "from_ns to_ns ranks limit", .answer = answer_marks};

}  // namespace ww::view
