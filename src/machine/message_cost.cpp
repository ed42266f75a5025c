#include "machine/message_cost.hpp"

#include <algorithm>

#include "machine/latency.hpp"

namespace ww {

// A request or a reply says more than the smallest message, whose time Link::latency_s is.
static double longer_frames_s(const Link& link) {
  if (!link.wire) return 0;
  const double more_bytes = link.wire->handshake_frame_bytes - link.wire->wire_bytes(1);
  return std::max(0.0, more_bytes) * link.wire->stages * link.wire->seconds_per_byte;
}

MessageCost cost_of_message(const MachineModel& model, const Link& link, double bytes,
                            double extra_software_s) {
  MessageCost cost;
  const bool inter = link.between == Place::inter;
  const double total_s = std::max(0.0, link.one_way.at(bytes));
  cost.protocol = link.rendezvous(bytes) ? Protocol::rendezvous : Protocol::eager;
  cost.needs_sender = link.rendezvous_needs_sender;
  cost.acknowledged = inter && link.handshake_crossings > 2;
  cost.ports = inter;
  if (inter) {
    const double busy_s =
        link.wire ? link.wire->port_busy_s(bytes) : link.one_way.segment_at(bytes).seconds_per_byte * bytes;
    cost.port_s = std::clamp(busy_s, 0.0, total_s);
  }
  double rest_s = total_s - cost.port_s;
  if (cost.protocol == Protocol::rendezvous) {
    cost.control_s = std::min(std::max(0.0, link.latency_s + longer_frames_s(link)), rest_s / 2);
    rest_s -= 2 * cost.control_s;
  } else {
    cost.control_s = std::min(std::max(0.0, link.latency_s), total_s);
  }
  // Software that was measured longer than what the wire leaves of the one-way time ran while the wire was
  // busy.
  const double send_s = std::max(0.0, model.costs.F.at(bytes));
  const double unformat_s = std::max(0.0, model.costs.U.at(bytes));
  const double fits = send_s + unformat_s > rest_s ? rest_s / (send_s + unformat_s) : 1;
  cost.send_s = send_s * fits;
  cost.written_s = send_s;
  cost.unformat_s = unformat_s * fits;
  cost.accept_s = std::max(0.0, model.costs.A.at(bytes));
  cost.head_s = std::max(0.0, rest_s - cost.send_s - cost.unformat_s);
  if (inter && extra_software_s > 0) {
    cost.send_s += extra_software_s / 2;
    cost.written_s += extra_software_s / 2;
    cost.unformat_s += extra_software_s / 2;
  } else if (const double software_s = cost.send_s + cost.unformat_s + cost.head_s; inter && software_s > 0) {
    const double left = std::max(0.0, 1 + extra_software_s / software_s);
    for (double* part : {&cost.send_s, &cost.written_s, &cost.unformat_s, &cost.head_s}) *part *= left;
  }
  if (cost.protocol == Protocol::rendezvous)
    cost.ask_s = std::min(cost.send_s,
                          bytes > 1 ? cost_of_message(model, link, 1, extra_software_s).send_s : cost.send_s);
  return cost;
}

bool frames_known(const Link& link) {
  return link.wire && link.wire->seconds_per_byte > 0 && link.wire->frame_overhead_bytes > 0;
}

double first_window_frames(const MachineModel& model, const Link& link) {
  if (!model.lab.linux_tcp || !frames_known(link)) return 0;
  // A window has doubled when it is found to be behind such a queue.
  constexpr double least_frames = 18, queue_s = 4e-3;
  const double frame_s =
      (link.wire->frame_payload_bytes + link.wire->frame_overhead_bytes) * link.wire->seconds_per_byte;
  return std::max(least_frames, 2 * queue_s / frame_s);
}

double read_together_s(const MachineModel& model, const Link& link, double softwares) {
  const double near_s = softwares * latency_of(model.costs, link).software_s;
  const double frame_s = link.wire ? link.wire->seconds_per_byte * link.wire->handshake_frame_bytes : 0;
  return frame_s < near_s ? near_s : 0;
}

double read_together_s(const MachineModel& model, const Link& link) {
  const bool reads_little_on = link.handshake_crossings > 2;
  return read_together_s(model, link, reads_little_on ? acknowledging_softwares : replayed_softwares);
}

double rate_when_meeting(const Link& link, double bytes) {
  double rate = link.two_way_efficiency(std::max(1.0, bytes));
  if (link.rendezvous(bytes) && link.wire && link.wire->two_way_efficiency_eager)
    rate = std::max(rate, *link.wire->two_way_efficiency_eager);
  return std::clamp(rate, 0.05, 1.0);
}

}  // namespace ww
