#include "trace/user.hpp"

#include <algorithm>

namespace ww {

std::vector<UserSaying> in_order(const UserEvents& events) {
  using Kind = UserEvent::Kind;
  std::vector<UserSaying> all;
  std::vector<std::vector<const UserRegion*>> open;  // by thread
  const auto leave = [&](std::vector<const UserRegion*>& of) {
    all.push_back({of.back()->thread, {Kind::leave, of.back()->leave_ns, of.back()->region, 0}});
    of.pop_back();
  };
  for (const UserRegion& region : events.regions) {
    if (region.thread >= open.size()) open.resize(region.thread + std::size_t{1});
    auto& of = open[region.thread];
    while (!of.empty() && of.back()->leave_ns <= region.enter_ns) leave(of);
    all.push_back({region.thread, {Kind::enter, region.enter_ns, region.region, 0}});
    of.push_back(&region);
  }
  for (auto& of : open)
    while (!of.empty()) leave(of);
  for (const UserValue& value : events.values)
    all.push_back({value.thread, {Kind::value, value.at_ns, value.name, value.bits}});
  for (const UserMarker& marker : events.markers)
    all.push_back({marker.thread, {Kind::marker, marker.at_ns, marker.text, 0}});
  std::stable_sort(all.begin(), all.end(),
                   [](const UserSaying& a, const UserSaying& b) { return a.event.at_ns < b.event.at_ns; });
  return all;
}

}  // namespace ww
