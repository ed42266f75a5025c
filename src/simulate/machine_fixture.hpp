// Machine models by hand, for the tests of this stage.
#pragma once
#include "machine/model.hpp"
#include "simulate/trace_builder.hpp"

namespace ww::simulate {

// one_way = latency + bytes * per_byte; the port is busy for bytes * per_byte; F and U as given.
struct LinearMachine {
  double latency_s = 100e-6, per_byte_s = 1e-6;
  double send_s = 0, unformat_s = 0;
  double two_way_efficiency = 1;
  std::optional<double> eager_threshold_bytes;

  double one_way_s(double bytes) const { return latency_s + bytes * per_byte_s; }

  MachineModel model() const {
    MachineModel out;
    out.name = "linear";
    Link link;
    link.between = Place::inter;
    link.latency_s = latency_s;
    link.one_way.segments.push_back({0, 1e9, latency_s, per_byte_s, {}, {}});
    link.eager_threshold_bytes = eager_threshold_bytes;
    Wire wire;
    wire.seconds_per_byte = per_byte_s;
    wire.frame_overhead_bytes = 0;
    wire.two_way_efficiency = two_way_efficiency;
    wire.two_way_efficiency_ci = {two_way_efficiency, two_way_efficiency};
    link.wire = wire;
    out.links.push_back(link);
    if (send_s > 0) out.costs.F.segments.push_back({0, 1e9, send_s, 0, {}, {}});
    if (unformat_s > 0) out.costs.U.segments.push_back({0, 1e9, unformat_s, 0, {}, {}});
    return out;
  }
};

// Frames of 1000 bytes and 100 beside, 1 us a byte, stored nowhere; 5 ms and 1 us a byte one way, so the last byte of a message is
// there lag_s after it left.
inline double lag_s(int frames) {
  return 5e-3 - frames * 100e-6;
}
inline MachineModel framed() {
  MachineModel model = LinearMachine{}.model();
  model.links[0].one_way.segments = {{0, 1e9, 5e-3, 1e-6, {}, {}}};
  model.links[0].wire->frame_payload_bytes = 1000;
  model.links[0].wire->frame_overhead_bytes = 100;
  return model;
}

}  // namespace ww::simulate
