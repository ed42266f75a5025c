// What the program said of itself as comma-separated values, by rank and time; as csv.cpp otherwise.
#include <algorithm>

#include "trace/export/formats.hpp"

namespace ww::exporting {

namespace {

bool has_user_events(const Trace& trace) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), [](const RankTrace& rank) {
    return !rank.user.regions.empty() || !rank.user.values.empty() || !rank.user.markers.empty();
  });
}

void write_csv_user(const Trace& trace, Output& out) {
  out.print("rank,thread,kind,name,begin_s,end_s,value\n");
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    const UserEvents& user = trace.ranks[r].user;
    // merged, each list in its order
    std::size_t region = 0, value = 0, marker = 0;
    while (region < user.regions.size() || value < user.values.size() || marker < user.markers.size()) {
      constexpr auto never = std::numeric_limits<std::int64_t>::max();
      const std::int64_t of_region = region < user.regions.size() ? user.regions[region].enter_ns : never,
                         of_value = value < user.values.size() ? user.values[value].at_ns : never,
                         of_marker = marker < user.markers.size() ? user.markers[marker].at_ns : never;
      if (of_region <= of_value && of_region <= of_marker) {
        const UserRegion& one = user.regions[region++];
        out.print("{},{},region,{},{},{},\n", r, one.thread, csv_field(trace.user.regions[one.region]),
                  decimal(one.enter_ns, 9), decimal(one.leave_ns, 9));
      } else if (of_value <= of_marker) {
        const UserValue& one = user.values[value++];
        const ValueName& name = trace.user.values[one.name];
        out.print("{},{},value,{},{},,{}\n", r, one.thread, csv_field(name.name), decimal(one.at_ns, 9),
                  name.whole ? fmt::format("{}", std::bit_cast<std::int64_t>(one.bits))
                             : fmt::format("{}", one.number(name)));
      } else {
        const UserMarker& one = user.markers[marker++];
        out.print("{},{},marker,{},{},,\n", r, one.thread, csv_field(trace.user.texts[one.text]),
                  decimal(one.at_ns, 9));
      }
    }
  }
}

}  // namespace

const ExportFormat csv_user_format{"csv-user", "a line a region, value or marker of the program",
                                   write_csv_user, "regions, values or markers (whatwire/marker.h)",
                                   has_user_events};

}  // namespace ww::exporting
