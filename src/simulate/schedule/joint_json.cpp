#include <cmath>
#include <nlohmann/json.hpp>

#include "simulate/schedule/joint.hpp"

namespace ww::schedule {

double finish_s(const JointMap& map, const JointScale& scale, double latency_times, double byte_times) {
  const auto added = [&](double value, double base) {
    return static_cast<Ticks>(std::llround((value - base) * scale.ticks_per_s));
  };
  const Place2 place{added(latency_times * scale.now_latency_s, scale.latency_s),
                     added(byte_times * scale.now_seconds_per_byte, scale.seconds_per_byte)};
  return static_cast<double>(map.at(place)) / scale.ticks_per_s;
}

nlohmann::json to_json(const JointMap& map, const JointScale& scale) {
  const auto latency_s = [&](double ticks) { return scale.latency_s + ticks / scale.ticks_per_s; };
  const auto per_byte_s = [&](double ticks) { return scale.seconds_per_byte + ticks / scale.ticks_per_s; };
  nlohmann::json planes = nlohmann::json::array(), table = nlohmann::json::array();
  for (const JointMap::Region& region : map.regions) {
    nlohmann::json corners = nlohmann::json::array();
    for (const auto& [x, y] : region.corners) corners.push_back({latency_s(x), per_byte_s(y)});
    const Plane& plane = region.plane;
    planes.push_back({{"rest_s", static_cast<double>(plane.rest) / scale.ticks_per_s -
                                     static_cast<double>(plane.by_x) * scale.latency_s -
                                     static_cast<double>(plane.by_y) * scale.seconds_per_byte},
                      {"latency_s_per_s", plane.by_x},
                      {"seconds_per_byte_s_per_s", plane.by_y},
                      {"corners", std::move(corners)}});
  }
  for (const double latency : scale.times)
    for (const double byte : scale.times)
      table.push_back({{"latency_times", latency},
                       {"seconds_per_byte_times", byte},
                       {"predicted_s", finish_s(map, scale, latency, byte)}});
  const auto whole = [](Ticks ticks) { return static_cast<double>(ticks); };
  return {{"latency_s", {latency_s(whole(map.box.from.x)), latency_s(whole(map.box.to.x))}},
          {"seconds_per_byte", {per_byte_s(whole(map.box.from.y)), per_byte_s(whole(map.box.to.y))}},
          {"planes", std::move(planes)},
          {"table", std::move(table)},
          {"off_s", whole(map.off) / scale.ticks_per_s},
          {"cut", map.cut},
          {"evaluations", map.evaluations}};
}

}  // namespace ww::schedule
