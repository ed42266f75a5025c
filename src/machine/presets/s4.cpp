#include "machine/presets.hpp"
#include "machine/presets/published.hpp"

namespace ww {
namespace {

// Zabel 1996 (S4), chapter 4: what its simulated SPARCstations take for PVM over TCP. 375 us hand a block of
// 1460 bytes to TCP, 300 us of TCP a packet on each side, 40 bytes of header a packet. A message of k packets
// passes these stages one packet after the other, so the slowest of them sets the pace: the wire at 10 Mb/s,
// the handing over at 100.
constexpr double hand_over_s = 375e-6, tcp_s = 300e-6, payload_bytes = 1460, header_bytes = 40;
constexpr double plotted_bytes = 4194304;

Segment line(double from_bytes, double to_bytes, double base_s, double seconds_per_byte) {
  return {from_bytes,       to_bytes,         base_s,
          seconds_per_byte, {base_s, base_s}, {seconds_per_byte, seconds_per_byte}};
}

// So much for every packet. Beyond the first one n bytes are taken as n / payload + 1/2 packets, which is
// wrong by half of one at most.
Curve a_packet(double seconds) {
  return {{line(0, payload_bytes, seconds, 0),
           line(payload_bytes, plotted_bytes, seconds / 2, seconds / payload_bytes)}};
}

MachineModel workstations(const char* name, double wire_s_per_byte) {
  MachineModel model;
  model.name = name;
  model.clock_hz = 70e6;
  model.costs = {
      .F = a_packet(hand_over_s), .S = a_packet(tcp_s), .R = a_packet(tcp_s), .A = {}, .U = {}, .E = {}};
  Link link;
  link.between = Place::inter;
  const double packet_s = (payload_bytes + header_bytes) * wire_s_per_byte;
  const double first_s = hand_over_s + 2 * tcp_s + header_bytes * wire_s_per_byte;
  const double pace_s = packet_s > hand_over_s ? packet_s : hand_over_s;
  // The last packet is half full as often as not. What is not the pace's own stage is paid once.
  const double once_s = packet_s > hand_over_s ? hand_over_s + 2 * tcp_s + header_bytes * wire_s_per_byte / 2
                                               : 2 * tcp_s + hand_over_s / 2 +
                                                     (payload_bytes / 2 + header_bytes) * wire_s_per_byte;
  link.one_way.segments = {line(0, payload_bytes, first_s, wire_s_per_byte),
                           line(payload_bytes, plotted_bytes, once_s, pace_s / payload_bytes)};
  link.latency_s = first_s + wire_s_per_byte;
  link.latency_ci_s = {link.latency_s, link.latency_s};
  link.wire = published::wire(wire_s_per_byte, payload_bytes, header_bytes);
  model.links = {link};
  model.alpha_cycles = first_s * model.clock_hz;
  model.beta_cycles_per_byte = pace_s / payload_bytes * model.clock_hz;
  model.flags = {
      "what a simulation assumed, not what was measured: the document estimates these costs",
      "the acknowledgement of each message, and collisions on the shared wire, are not part of the link"};
  return model;
}

}  // namespace

MachineModel pvm_ethernet_10() {
  return workstations("pvm-ethernet-10", 0.8e-6);
}
const Preset pvm_ethernet_10_preset{"pvm-ethernet-10",
                                    "PVM over TCP on 10 Mb/s Ethernet, SPARCstation 5: assumed costs",
                                    "Zabel 1996 (S4)", pvm_ethernet_10};

MachineModel pvm_ethernet_100() {
  return workstations("pvm-ethernet-100", 0.08e-6);
}
const Preset pvm_ethernet_100_preset{"pvm-ethernet-100", "the same on 100 Mb/s Ethernet", "Zabel 1996 (S4)",
                                     pvm_ethernet_100};

}  // namespace ww
