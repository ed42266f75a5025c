// Saturated stations on the simulated CSMA/CD bus, beside what theory says of them: one JSON array. The
// published model and the table are ethernet.py's.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "ether/csma_saturated.hpp"
#include "ether/csma_theory.hpp"

namespace {

using namespace ww::ether;

constexpr int seeds = 5;
constexpr std::int64_t ns = 1000;  // picoseconds

struct Setting {
  std::string name;
  std::vector<BusStation> places;
  std::function<std::uint32_t(std::mt19937_64&)> bytes_of_next;
  double pause_s = 0;
};

nlohmann::json measure(const Setting& setting, double seconds) {
  double utilisation = 0, with_gaps = 0, collisions = 0, episodes = 0, delay_s = 0, drops = 0,
         packets_per_s = 0;
  double lowest = 1, highest = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    SaturatedStations stations(
        {}, setting.places, static_cast<std::uint64_t>(seed), [&] { return setting.bytes_of_next(random); },
        setting.pause_s);
    stations.run(2, seconds);
    const auto sent = static_cast<double>(stations.counts().sent);
    utilisation += stations.utilisation() / seeds;
    lowest = std::min(lowest, stations.utilisation());
    highest = std::max(highest, stations.utilisation());
    with_gaps += stations.utilisation_with_gaps() / seeds;
    collisions += stations.collisions_per_packet() / seeds;
    episodes += static_cast<double>(stations.counts().collisions) / sent / seeds;
    delay_s += stations.mean_delay_s() / seeds;
    drops += static_cast<double>(stations.counts().dropped) / sent / seeds;
    packets_per_s += sent / seconds / seeds;
  }
  return {{"setting", setting.name},
          {"stations", setting.places.size()},
          {"utilisation", utilisation},
          {"utilisation_low", lowest},
          {"utilisation_high", highest},
          {"utilisation_with_gaps", with_gaps},
          {"collisions_per_packet", collisions},
          {"collisions_on_the_wire_per_packet", episodes},
          {"delay_s", delay_s},
          {"seconds_a_packet_and_station", static_cast<double>(setting.places.size()) / packets_per_s},
          {"drops_per_packet", drops}};
}

std::vector<BusStation> star(int stations) {
  return std::vector<BusStation>(static_cast<std::size_t>(stations), BusStation{0, 500 * ns});
}

// Four clusters at 0, 1000, 2000 and 3000 feet of cable (0.77 c), 1.3 us from it for transceiver and
// repeater.
std::vector<BusStation> long_net(int stations) {
  std::vector<BusStation> places;
  for (int i = 0; i < stations; ++i) places.push_back({(i % 4) * 1320 * ns, 1300 * ns});
  return places;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 20;
  nlohmann::json rows = nlohmann::json::array();
  for (const std::uint32_t bytes : {64u, 256u, 512u, 1024u, 1518u})
    for (const int stations : {1, 2, 5, 10, 24, 32, 64}) {
      nlohmann::json row = measure({"saturated", star(stations), [&](auto&) { return bytes; }}, seconds);
      row["bytes"] = bytes;
      row["metcalfe_boggs"] = metcalfe_boggs_utilisation((8 + bytes) * 0.8e-6, 51.2e-6, stations);
      if (stations == 2) {
        const SaturatedBus exact = two_saturated_stations({}, bytes);
        row["exact"] = {{"utilisation", exact.utilisation},
                        {"collisions_per_packet", exact.collisions_per_packet},
                        {"drops_per_packet", exact.drops_per_packet},
                        {"seconds_a_packet_and_station", 2 * (8 + bytes) * 0.8e-6 / exact.utilisation}};
      }
      rows.push_back(row);
    }
  for (const int long_of_eight : {0, 1, 4, 8})
    for (const double pause_s : {0.0, 50e-6, 200e-6}) {
      const auto mixed = [&](std::mt19937_64& random) {
        return static_cast<int>(random() % 8) < long_of_eight ? 1536u : 64u;
      };
      nlohmann::json row = measure({"boggs", long_net(24), mixed, pause_s}, seconds);
      row["long_of_eight"] = long_of_eight;
      row["pause_s"] = pause_s;
      rows.push_back(row);
    }
  fmt::print("{}\n", rows.dump(1));
}
