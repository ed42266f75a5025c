#include "simulate/lab_wire.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"

namespace ww::simulate {

std::vector<std::string> assumptions_of_lab(const MachineModel& model, const WhatIf& what_if) {
  std::vector<std::string> said;
  const LabWire& lab = model.lab;
  if (lab.late_median_us >= 0 && lab.late_p99_us >= 0)
    said.push_back(fmt::format(
        "the lab's wire delivered frames {} late in the median and {} at the 99th percentile while "
        "the model was measured; that is part of the measured latency, which keeps it on another wire",
        show_time(lab.late_median_us * 1e-6), show_time(lab.late_p99_us * 1e-6)));
  if (lab.cores_awake)
    said.push_back(
        "the lab kept its hosts' cores awake: what a library that sleeps while it waits (PVM) does after "
        "that takes as "
        "long as at other times; on hosts whose cores sleep it takes longer");
  if (!lab.shared_bus) return said;
  const double bits_per_s = 8 * lab.rate_bytes_per_s;
  const std::string bus =
      bits_per_s > 0 ? fmt::format("network=bus:rate={:g}Mbit", bits_per_s * 1e-6) : "network=bus";
  const auto& topology = what_if.topology;
  if (!topology)
    said.push_back(fmt::format(
        "the model was measured on a shared bus, and every host is given a wire of its own at that "
        "rate; {} keeps them on one",
        bus));
  else if (topology->name == "bus" && std::none_of(topology->keys.begin(), topology->keys.end(),
                                                   [](const auto& key) { return key.first == "rate"; }))
    said.push_back(
        fmt::format("the model was measured on a shared bus, so that its time of a byte contains collisions, "
                    "to which the simulated bus adds its own; with {} there are only these",
                    bus));
  return said;
}

}  // namespace ww::simulate
