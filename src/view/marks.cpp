#include "view/marks.hpp"

#include <algorithm>
#include <tuple>

namespace ww::view {
namespace {

bool is_wanted(const std::vector<NumberRange>& ranges, std::size_t rank) {
  return ranges.empty() || std::any_of(ranges.begin(), ranges.end(), [&](const NumberRange& range) {
           return rank >= range.first && rank <= range.last;
         });
}

void add_rank(MarksWindow& marks, const UserEvents& events, std::size_t rank, std::int64_t begin_ns,
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

void keep_at_most(MarksWindow& marks, std::size_t limit) {
  if (marks.markers.size() > limit) {
    const std::size_t every =
        limit == 0 ? marks.markers.size() + 1 : (marks.markers.size() + limit - 1) / limit;
    std::vector<MarkerInTime> kept;
    for (std::size_t i = every - 1; i < marks.markers.size(); i += every) kept.push_back(marks.markers[i]);
    marks.left_out += marks.markers.size() - kept.size();
    marks.markers = std::move(kept);
  }
  if (marks.regions.size() > limit) {
    marks.left_out += marks.regions.size() - limit;
    std::stable_sort(marks.regions.begin(), marks.regions.end(),
                     [](const RegionInTime& a, const RegionInTime& b) {
                       return a.to_ns - a.from_ns > b.to_ns - b.from_ns;
                     });
    marks.regions.resize(limit);
    std::sort(marks.regions.begin(), marks.regions.end(), [](const RegionInTime& a, const RegionInTime& b) {
      return std::tie(a.rank, a.from_ns, a.depth) < std::tie(b.rank, b.from_ns, b.depth);
    });
  }
}

}  // namespace

MarksWindow marks_in_window(const Trace& trace, const std::vector<NumberRange>& ranks, std::int64_t from_ns,
                            std::int64_t to_ns, std::size_t limit) {
  MarksWindow marks;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    if (is_wanted(ranks, rank))
      add_rank(marks, trace.ranks[rank].user, rank, trace.begin_ns(), from_ns, to_ns);
  keep_at_most(marks, limit);
  return marks;
}

}  // namespace ww::view
