// Saturated stations on the simulated CSMA/CD bus, beside what theory says of them: one JSON array. The
// published model and the table are ethernet.py's.
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "ether/csma_saturated.hpp"
#include "ether/csma_theory.hpp"

namespace {

using namespace ww::ether;

constexpr std::int64_t ns = 1000;  // picoseconds
// As many seeds as the standard errors of collisions a packet and of the mean delay need to be below these,
// relatively; ethernet.py has its models do the same.
constexpr int fewest_seeds = 16, most_seeds = 256;
constexpr double collisions_error = 0.005, delay_error = 0.01;

class Mean {
 public:
  void add(double value) {
    ++count_;
    const double off = value - mean_;
    mean_ += off / count_;
    squares_ += off * (value - mean_);
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
  }
  double mean() const { return mean_; }
  double relative_error() const {
    return mean_ > 0 ? std::sqrt(squares_ / (count_ - 1) / count_) / mean_ : 0;
  }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  int count_ = 0;
  double mean_ = 0, squares_ = 0, lowest_ = HUGE_VAL, highest_ = 0;
};

struct Setting {
  std::string name;
  std::vector<BusStation> places;
  std::function<std::uint32_t(std::mt19937_64&)> bytes_of_next;
  nlohmann::json said;  // of the setting, in its row
  double pause_s = 0;
  std::uint64_t first_seed = 0;  // so that settings do not err together
};

nlohmann::json measure(const Setting& setting, double seconds) {
  Mean utilisation, with_gaps, collisions, episodes, delay_s, drops, packets_per_s;
  int seeds = 0;
  do {
    const std::uint64_t seed = setting.first_seed + static_cast<std::uint64_t>(++seeds);
    std::mt19937_64 random(seed);
    SaturatedStations stations(
        {}, setting.places, seed, [&] { return setting.bytes_of_next(random); }, setting.pause_s);
    stations.run(2, seconds);
    const auto sent = static_cast<double>(stations.counts().sent);
    utilisation.add(stations.utilisation());
    with_gaps.add(stations.utilisation_with_gaps());
    collisions.add(stations.collisions_per_packet());
    episodes.add(static_cast<double>(stations.counts().collisions) / sent);
    delay_s.add(stations.mean_delay_s());
    drops.add(static_cast<double>(stations.counts().dropped) / sent);
    packets_per_s.add(sent / seconds);
  } while (seeds < fewest_seeds || (seeds < most_seeds && (collisions.relative_error() > collisions_error ||
                                                           delay_s.relative_error() > delay_error)));
  nlohmann::json row = {
      {"setting", setting.name},
      {"stations", setting.places.size()},
      {"seeds", seeds},
      {"utilisation", utilisation.mean()},
      {"utilisation_low", utilisation.lowest()},
      {"utilisation_high", utilisation.highest()},
      {"utilisation_with_gaps", with_gaps.mean()},
      {"collisions_per_packet", collisions.mean()},
      {"collisions_per_packet_error", collisions.relative_error()},
      {"collisions_on_the_wire_per_packet", episodes.mean()},
      {"delay_s", delay_s.mean()},
      {"delay_s_error", delay_s.relative_error()},
      {"seconds_a_packet_and_station", static_cast<double>(setting.places.size()) / packets_per_s.mean()},
      {"drops_per_packet", drops.mean()}};
  row.update(setting.said);
  return row;
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
  const double seconds = argc > 1 ? std::atof(argv[1]) : 10;
  std::vector<Setting> settings;
  for (const std::uint32_t bytes : {64u, 256u, 512u, 1024u, 1518u})
    for (const int stations : {1, 2, 5, 10, 24, 32, 64}) {
      nlohmann::json said = {
          {"bytes", bytes},
          {"metcalfe_boggs", metcalfe_boggs_utilisation((8 + bytes) * 0.8e-6, 51.2e-6, stations)}};
      if (stations == 2) {
        const SaturatedBus exact = two_saturated_stations({}, bytes);
        said["exact"] = {{"utilisation", exact.utilisation},
                         {"collisions_per_packet", exact.collisions_per_packet},
                         {"drops_per_packet", exact.drops_per_packet},
                         {"seconds_a_packet_and_station", 2 * (8 + bytes) * 0.8e-6 / exact.utilisation}};
      }
      settings.push_back({"saturated", star(stations), [bytes](auto&) { return bytes; }, said});
    }
  for (const int long_of_eight : {0, 1, 4, 8})
    for (const double pause_s : {0.0, 50e-6, 200e-6}) {
      const auto mixed = [long_of_eight](std::mt19937_64& random) {
        return static_cast<int>(random() % 8) < long_of_eight ? 1536u : 64u;
      };
      const nlohmann::json said = {{"long_of_eight", long_of_eight}, {"pause_s", pause_s}};
      settings.push_back({"boggs", long_net(24), mixed, said, pause_s});
    }
  for (std::size_t i = 0; i < settings.size(); ++i) settings[i].first_seed = 1000 * i;
  std::vector<nlohmann::json> rows(settings.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned worker = 0; worker < std::max(1u, std::thread::hardware_concurrency()); ++worker)
    workers.emplace_back([&] {
      for (std::size_t i = next++; i < settings.size(); i = next++) rows[i] = measure(settings[i], seconds);
    });
  workers.clear();
  fmt::print("{}\n", nlohmann::json(rows).dump(1));
}
