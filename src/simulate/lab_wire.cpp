#include "simulate/lab_wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/units.hpp"

namespace ww::simulate {
namespace {

// The environment is whatever the model's file has.
double number_at(const nlohmann::json& object, const char* key, double otherwise) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_number()) return otherwise;
  return object[key].get<double>();
}

nlohmann::json part(const nlohmann::json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object[key] : nlohmann::json();
}

}  // namespace

std::vector<std::string> assumptions_of_lab(const MachineModel& model, const WhatIf& what_if) {
  std::vector<std::string> said;
  const nlohmann::json lab = part(model.environment, "lab"), late = part(lab, "late_us");
  const double median_us = number_at(late, "median", -1), p99_us = number_at(late, "p99", -1);
  if (median_us >= 0 && p99_us >= 0)
    said.push_back(fmt::format(
        "the lab's wire delivered frames {} late in the median and {} at the 99th percentile while "
        "the model was measured; that is part of the measured latency, which keeps it on another wire",
        show_time(median_us * 1e-6), show_time(p99_us * 1e-6)));
  if (part(lab, "kind") != "bus") return said;
  const double bits_per_s = 8 * number_at(lab, "rate_bytes_per_s", 0);
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
