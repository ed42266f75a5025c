#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// All report to member 0, which then releases one after the other.
void barrier_linear(Schedule& s) {
  std::vector<std::uint32_t> releases;
  std::vector<End> reports;
  for (int member = 1; member < s.size(); ++member) {
    const std::uint32_t report = s.message({member, 0, 0});
    releases.push_back(s.message({0, member, 0}));
    s.send(report);
    s.receive(releases.back());
    s.wait(member, {send_end(report), receive_end(releases.back())});
    s.receive(report);
    reports.push_back(receive_end(report));
  }
  s.wait(0, reports);
  for (const std::uint32_t release : releases) {
    s.send(release);
    s.wait(0, {send_end(release)});
  }
}

}  // namespace ww::simulate
