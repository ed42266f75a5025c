#include "simulate/calibrate.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simulate/under_way.hpp"

namespace ww::simulate {
namespace {

constexpr std::size_t enough_of_a_direction = 5;

struct Sample {
  double excess_s = 0, one_way_s = 0;
};

// By sending and receiving host.
std::map<std::pair<int, int>, std::vector<Sample>> samples_of(const Program& program, const Link& link) {
  const UnderWay under_way(program, link);
  std::map<std::pair<int, int>, std::vector<Sample>> out;
  for (const Crossing& one : program.crossings.waited_for) {
    const auto size = static_cast<double>(one.bytes);
    if (link.rendezvous(size) || under_way.before(one.from_host, one.sent_ns)) continue;
    if (under_way.beside(one.from_host, one.to_host, one.sent_ns, one.received_ns)) continue;
    const double one_way_s = link.one_way.at(size);
    const double recorded_s = static_cast<double>(one.received_ns - one.sent_ns) * 1e-9;
    out[{one.from_host, one.to_host}].push_back({recorded_s - one_way_s, one_way_s});
  }
  return out;
}

}  // namespace

Calibration calibrate(const Program& program, const MachineModel& model) {
  Calibration out;
  const Link* link = model.link(Place::inter);
  if (!link || link->one_way.empty()) return out;
  const auto samples = samples_of(program, *link);
  double sum_s = 0, one_way_s = 0;
  int directions = 0;
  for (const auto& [hosts, there] : samples) {
    const auto back = samples.find({hosts.second, hosts.first});
    if (back == samples.end() || there.size() < enough_of_a_direction ||
        back->second.size() < enough_of_a_direction)
      continue;
    std::vector<double> excess_s;
    for (const Sample& sample : there) {
      excess_s.push_back(sample.excess_s);
      one_way_s += sample.one_way_s;
    }
    std::nth_element(excess_s.begin(), excess_s.begin() + static_cast<std::ptrdiff_t>(excess_s.size() / 2),
                     excess_s.end());
    sum_s += excess_s[excess_s.size() / 2];
    ++directions;
    out.messages += there.size();
  }
  if (directions == 0) return out;
  out.extra_software_s = sum_s / directions;
  out.one_way_s = one_way_s / static_cast<double>(out.messages);
  return out;
}

}  // namespace ww::simulate
