#include "simulate/stalls.hpp"

#include <algorithm>

#include "simulate/under_way.hpp"

namespace ww::simulate {

std::vector<Stall> find_stalls(const Program& program, const MachineModel& recorded_on) {
  constexpr double times_as_long = 3;
  const Link* link = recorded_on.link(Place::inter);
  if (!link || link->one_way.empty() || program.crossings.waited_for.empty()) return {};
  const UnderWay under_way(program, *link);
  std::vector<Stall> out;
  for (const Crossing& one : program.crossings.waited_for) {
    if (one.message == Crossing::none) continue;
    const auto size = static_cast<double>(one.bytes);
    const double took_s = static_cast<double>(one.received_ns - one.sent_ns) * 1e-9,
                 usual_s = link->one_way.at(size);
    if (took_s < usual_s + least_stall_s || took_s < times_as_long * usual_s) continue;
    const double after_send_s = static_cast<double>(one.received_ns - one.send_left_ns) * 1e-9;
    if (link->rendezvous(size) && link->rendezvous_needs_sender && after_send_s > usual_s) continue;
    if (under_way.before(one.from_host, one.sent_ns)) continue;
    out.push_back({one.message, took_s - usual_s});
  }
  std::sort(out.begin(), out.end(), [](const Stall& a, const Stall& b) { return a.message < b.message; });
  return out;
}

}  // namespace ww::simulate
