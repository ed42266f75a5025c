#include "simulate/variants.hpp"

#include <algorithm>
#include <cmath>

namespace ww::simulate {
namespace {

template <class Change>
MachineModel with_link(const MachineModel& model, Place network, Change change) {
  MachineModel out = model;
  for (Link& link : out.links)
    if (link.between == network) change(link);
  return out;
}

double at(const Interval& interval, double value, Bound bound) {
  // an interval that was not measured is [0, 0]
  if (interval.low == 0 && interval.high == 0) return value;
  return bound == Bound::low ? std::min(interval.low, value) : std::max(interval.high, value);
}

// what(number, interval) of every number that may have one.
template <class What>
void each_interval(MachineModel& model, What what) {
  const auto curve = [&](Curve& of) {
    for (Segment& segment : of.segments) {
      what(segment.base_s, segment.base_ci_s);
      what(segment.seconds_per_byte, segment.seconds_per_byte_ci);
    }
  };
  for (Link& link : model.links) {
    curve(link.one_way);
    if (link.wire) what(link.wire->seconds_per_byte, link.wire->seconds_per_byte_ci);
  }
  for (Curve* of : {&model.costs.F, &model.costs.U, &model.reduction}) curve(*of);
}

}  // namespace

Steps steps_of(const MachineModel& model, Place network) {
  const Link* link = model.link(network);
  if (!link || link->one_way.empty()) return {};
  const Segment& last = link->one_way.segments.back();
  return {std::max(1e-9, link->one_way.at(0) * 1e-3),
          std::max(1e-15, (link->wire ? link->wire->seconds_per_byte : last.seconds_per_byte) * 1e-3)};
}

MachineModel with_more_latency(const MachineModel& model, Place network, double seconds) {
  return with_link(model, network, [&](Link& link) {
    link.latency_s += seconds;
    for (Segment& segment : link.one_way.segments)
      segment.base_s +=
          seconds *
          (link.rendezvous((segment.from_bytes + segment.to_bytes) / 2) ? 1 + link.handshake_crossings : 1);
  });
}

MachineModel with_more_per_byte(const MachineModel& model, Place network, double seconds_per_byte) {
  return with_link(model, network, [&](Link& link) {
    for (Segment& segment : link.one_way.segments) segment.seconds_per_byte += seconds_per_byte;
    if (link.wire) link.wire->seconds_per_byte += seconds_per_byte;
  });
}

MachineModel with_more_overhead(const MachineModel& model, Place network, double seconds) {
  MachineModel out = with_link(model, network, [&](Link& link) {
    for (Segment& segment : link.one_way.segments) segment.base_s += seconds;
  });
  if (out.costs.F.empty()) out.costs.F.segments.push_back({});
  for (Segment& segment : out.costs.F.segments) segment.base_s += seconds;
  return out;
}

MachineModel with_curves_at(const MachineModel& model, Bound bound) {
  MachineModel out = model;
  const auto move = [&](Curve& curve) {
    for (Segment& segment : curve.segments) {
      segment.base_s = at(segment.base_ci_s, segment.base_s, bound);
      segment.seconds_per_byte = at(segment.seconds_per_byte_ci, segment.seconds_per_byte, bound);
    }
  };
  for (Link& link : out.links) move(link.one_way);
  move(out.reduction);
  return out;
}

MachineModel with_wire_at(const MachineModel& model, Bound bound) {
  return with_link(model, Place::inter, [&](Link& link) {
    if (link.wire)
      link.wire->seconds_per_byte = at(link.wire->seconds_per_byte_ci, link.wire->seconds_per_byte, bound);
  });
}

MachineModel with_two_way_at(const MachineModel& model, Bound bound) {
  return with_link(model, Place::inter, [&](Link& link) {
    if (!link.wire) return;
    double& efficiency = link.wire->two_way_efficiency;
    efficiency = std::min(1.0, at(link.wire->two_way_efficiency_ci, efficiency, bound));
    if (auto& eager = link.wire->two_way_efficiency_eager)
      eager = std::min(1.0, at(link.wire->two_way_efficiency_eager_ci, *eager, bound));
    for (TwoWay& point : link.wire->two_way)
      point.efficiency = std::min(1.0, at(point.ci, point.efficiency, bound));
  });
}

MachineModel drawn(const MachineModel& model, std::mt19937_64& random) {
  constexpr double deviations = 1.959964;  // of a normal distribution, from the middle to 97.5%
  MachineModel out = model;
  std::normal_distribution<double> normal;
  each_interval(out, [&](double& value, const Interval& interval) {
    const double z = normal(random) / deviations;
    const double end = at(interval, value, z < 0 ? Bound::low : Bound::high);
    value += std::fabs(z) * (end - value);
  });
  for (Link& link : out.links)
    if (link.wire) link.wire->seconds_per_byte = std::max(0.0, link.wire->seconds_per_byte);
  return out;
}

bool has_intervals(const MachineModel& model) {
  bool any = false;
  MachineModel copy = model;
  each_interval(copy, [&](double& value, const Interval& interval) {
    any = any || at(interval, value, Bound::low) < value || at(interval, value, Bound::high) > value;
  });
  return any;
}

MachineModel apply_to(MachineModel measured, const WhatIf& what_if) {
  if (!what_if.machine) return apply(measured, what_if);
  WhatIf other = what_if;
  other.machine = std::make_shared<const MachineModel>(std::move(measured));
  return apply(*other.machine, other);
}

double software_ratio(const MachineModel& recorded_on, const WhatIf& what_if) {
  if (!what_if.machine) return what_if.software;
  const auto software_s = [](const MachineModel& model) { return model.costs.F.at(0) + model.costs.U.at(0); };
  const auto message_s = [&](const MachineModel& model) {
    const Link* link = model.link(*what_if.network);
    return link && !link->one_way.empty() ? link->one_way.at(0) : 0.0;
  };
  for (const double ratio : {software_s(*what_if.machine) / software_s(recorded_on),
                             message_s(*what_if.machine) / message_s(recorded_on)})
    if (std::isfinite(ratio) && ratio > 0) return ratio * what_if.software;
  return what_if.software;
}

double carried_software(const MachineModel& recorded_on, const WhatIf& what_if) {
  return software_ratio(recorded_on, what_if) * what_if.found_software_share();
}

}  // namespace ww::simulate
