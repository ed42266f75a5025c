#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "machine/latency.hpp"
#include "machine/what_if.hpp"

namespace ww {
namespace {

// Sizes after which the serialisation jumps or bends, up to `largest`.
std::vector<double> wire_cuts(const Wire& wire, const std::optional<double>& eager_threshold_bytes,
                              double largest) {
  std::vector<double> cuts;
  for (double frame = 1; frame <= exact_frames; ++frame)
    cuts.push_back(std::floor(frame * wire.frame_payload_bytes - wire.message_overhead_bytes));
  if (eager_threshold_bytes) cuts.push_back(*eager_threshold_bytes);
  std::erase_if(cuts, [&](double cut) { return cut < 1 || cut >= largest; });
  return cuts;
}

std::vector<double> curve_cuts(const Curve& curve) {
  std::vector<double> cuts;
  for (const Segment& segment : curve.segments) cuts.push_back(segment.to_bytes);
  return cuts;
}

// The curve that has the values of `time_s` at both ends of every piece between the cuts, each piece with the
// widths of intervals of the segment of `model` it comes from. A message one byte larger than a cut belongs
// to the next piece.
Curve through(const Curve& model, std::vector<double> cuts, const std::function<double(double)>& time_s) {
  const double first = model.segments.front().from_bytes, last = model.segments.back().to_bytes;
  for (const double end : curve_cuts(model)) cuts.push_back(end);
  std::erase_if(cuts, [&](double cut) { return cut <= first || cut > last; });
  cuts.push_back(last);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  Curve out;
  double from = first;
  for (const double to : cuts) {
    const Segment& origin = model.segment_at(to);
    const double inside = out.segments.empty() || to - from <= 1 ? from : from + 1;
    Segment piece = origin;
    piece.from_bytes = from;
    piece.to_bytes = to;
    piece.seconds_per_byte =
        to > inside ? (time_s(to) - time_s(inside)) / (to - inside) : origin.seconds_per_byte;
    piece.base_s = time_s(to) - piece.seconds_per_byte * to;
    const double base_shift = piece.base_s - origin.base_s;
    const double slope_shift = piece.seconds_per_byte - origin.seconds_per_byte;
    piece.base_ci_s = {origin.base_ci_s.low + base_shift, origin.base_ci_s.high + base_shift};
    piece.seconds_per_byte_ci = {origin.seconds_per_byte_ci.low + slope_shift,
                                 origin.seconds_per_byte_ci.high + slope_shift};
    out.segments.push_back(piece);
    from = to;
  }
  return out;
}

// Slopes divided by `bandwidth`; the jumps between segments stay.
Curve scale_slopes(const Curve& curve, double bandwidth) {
  Curve out;
  double end_before = 0, end_after = 0;
  for (Segment segment : curve.segments) {
    const double begin = segment.base_s + segment.seconds_per_byte * segment.from_bytes;
    const double end = segment.base_s + segment.seconds_per_byte * segment.to_bytes;
    double at_begin;
    if (out.segments.empty())
      at_begin = std::max(0.0, segment.base_s) + (begin - std::max(0.0, segment.base_s)) / bandwidth;
    else
      at_begin = std::max(0.0, end_after + begin - end_before);
    const double slope =
        segment.seconds_per_byte > 0 ? segment.seconds_per_byte / bandwidth : segment.seconds_per_byte;
    const double factor = segment.seconds_per_byte > 0 ? 1 / bandwidth : 1;
    const double base = at_begin - slope * segment.from_bytes;
    segment.base_ci_s = {segment.base_ci_s.low + base - segment.base_s,
                         segment.base_ci_s.high + base - segment.base_s};
    segment.seconds_per_byte_ci = {segment.seconds_per_byte_ci.low * factor,
                                   segment.seconds_per_byte_ci.high * factor};
    segment.base_s = base;
    segment.seconds_per_byte = slope;
    end_before = end;
    end_after = base + slope * segment.to_bytes;
    out.segments.push_back(segment);
  }
  return out;
}

void scale(Curve& curve, double factor) {
  for (Segment& segment : curve.segments) {
    segment.base_s *= factor;
    segment.seconds_per_byte *= factor;
    segment.base_ci_s = {segment.base_ci_s.low * factor, segment.base_ci_s.high * factor};
    segment.seconds_per_byte_ci = {segment.seconds_per_byte_ci.low * factor,
                                   segment.seconds_per_byte_ci.high * factor};
  }
}

// Slopes multiplied, the jumps between segments kept.
Curve with_per_byte(const Curve& curve, double factor) {
  return curve.empty() || factor == 1 ? curve : scale_slopes(curve, 1 / factor);
}

// What F and U become; A and R of S1 too, which a link's one-way time does not hold.
Costs costs_with(const Costs& costs, const WhatIf& what_if) {
  Costs out = costs;
  for (Curve* cost : {&out.F, &out.S, &out.R, &out.A, &out.U}) {
    *cost = with_per_byte(*cost, what_if.per_byte);
    if (what_if.software != 1) scale(*cost, what_if.software);
  }
  return out;
}

double more_than(double crossing_s, const WhatIf& what_if) {
  return what_if.latency_s ? *what_if.latency_s - crossing_s : crossing_s * (what_if.latency - 1);
}

// What an exchange of two messages lasts longer than one of them alone is the host's time up to the software of both, F and U,
// which one core does one after the other; only what is beyond that goes with the wire (docs/design/machine.md has figures).
double two_way_after(double efficiency, double serialisation_s, double software_s, double software_after_s,
                     double bandwidth) {
  const double more_s = serialisation_s * (1 / efficiency - 1);
  const double host_s = std::min(more_s, software_s);
  if (host_s <= 0) return efficiency;
  const double after_s = (more_s - host_s) / bandwidth + host_s * software_after_s / software_s;
  return 1 / (1 + after_s * bandwidth / serialisation_s);
}

void apply_to_two_way(Link& link, const Costs& costs, const Costs& costs_after, double bandwidth) {
  const auto software_of = [](const Costs& of, double bytes) {
    return std::max(0.0, of.F.at(bytes)) + std::max(0.0, of.U.at(bytes));
  };
  const auto change = [&](double bytes, double& efficiency, Interval& ci) {
    const auto after = [&](double before) {
      return two_way_after(before, link.wire->wire_bytes(bytes) * link.wire->seconds_per_byte,
                           software_of(costs, bytes), software_of(costs_after, bytes), bandwidth);
    };
    ci = {after(ci.low), after(ci.high)};
    efficiency = after(efficiency);
  };
  std::vector<double> eager, above;
  for (TwoWay& point : link.wire->two_way) {
    (link.rendezvous(point.bytes) ? above : eager).push_back(point.bytes);
    change(point.bytes, point.efficiency, point.ci);
  }
  // The two that sum up sizes are taken as of the middle one of theirs; without any, of which they are is not known.
  if (!above.empty())
    change(above[above.size() / 2], link.wire->two_way_efficiency, link.wire->two_way_efficiency_ci);
  if (!eager.empty() && link.wire->two_way_efficiency_eager)
    change(eager[eager.size() / 2], *link.wire->two_way_efficiency_eager,
           link.wire->two_way_efficiency_eager_ci);
}

void apply_to_link(Link& link, const Costs& costs, const Costs& costs_after, const WhatIf& what_if,
                   Place network) {
  const bool meant = link.between == network;
  const double bandwidth = meant ? what_if.bandwidth : 1;
  const std::optional<Wire> wire = link.wire;
  const double smallest = std::max(1.0, link.one_way.segments.front().from_bytes);
  const double smallest_before_s = link.one_way.at(smallest);
  if (bandwidth != 1 && !wire) link.one_way = scale_slopes(link.one_way, bandwidth);

  const Curve before = link.one_way;
  const auto serialisation_s = [&](double n) {
    return wire ? smooth_serialisation_s(*wire, n, link.rendezvous(n)) : 0.0;
  };
  const auto software_share_s = [&](double n) {
    return std::clamp(software_s(costs, wire, n), 0.0, std::max(0.0, before.at(n) - serialisation_s(n)));
  };
  const double more_s = meant ? more_than(latency_of(costs, link).s, what_if) : 0;

  const bool changed =
      (wire && bandwidth != 1) || more_s != 0 || what_if.software != 1 || what_if.per_byte != 1;
  if (changed) {
    std::vector<double> cuts;
    if (wire) cuts = wire_cuts(*wire, link.eager_threshold_bytes, before.segments.back().to_bytes);
    if (link.eager_threshold_bytes) cuts.push_back(*link.eager_threshold_bytes);
    for (const Curve* cost : {&costs.F, &costs.U})
      for (const double cut : curve_cuts(*cost)) cuts.push_back(cut);
    if (wire) cuts.push_back(wire->frame_payload_bytes);
    link.one_way = through(before, cuts, [&](double n) {
      const double wire_after = serialisation_s(n) / bandwidth;
      const double software = software_share_s(n), whole = software_s(costs, wire, n);
      const double software_after =
          whole > 0 ? software * software_s(costs_after, wire, n) / whole : software;
      const double rest = before.at(n) - serialisation_s(n) - software;
      const double rest_after = rest + more_s * (link.rendezvous(n) ? 1 + link.handshake_crossings : 1);
      // A rest below zero says that the serialisation is somewhat less: it changes with the bandwidth, and no latency is taken
      // from it.
      return wire_after + software_after + std::max(rest_after, std::min(rest, 0.0) / bandwidth);
    });
  }
  if (wire) {
    apply_to_two_way(link, costs, costs_after, bandwidth);
    link.wire->seconds_per_byte /= bandwidth;
    link.wire->seconds_per_byte_ci = {wire->seconds_per_byte_ci.low / bandwidth,
                                      wire->seconds_per_byte_ci.high / bandwidth};
  }
  const double shift = link.one_way.at(smallest) - smallest_before_s;
  link.latency_ci_s = {std::max(0.0, link.latency_ci_s.low + shift),
                       std::max(0.0, link.latency_ci_s.high + shift)};
  link.latency_s = std::max(0.0, link.latency_s + shift);
  link.points.clear();
  link.switches.clear();
}

}  // namespace

Curve add_serialisation(const Curve& curve, const Wire& wire, std::optional<double> eager_threshold_bytes,
                        double factor) {
  if (curve.empty()) return curve;
  const auto rendezvous = [&](double n) { return eager_threshold_bytes && n > *eager_threshold_bytes; };
  return through(
      curve, wire_cuts(wire, eager_threshold_bytes, curve.segments.back().to_bytes),
      [&](double n) { return curve.at(n) + factor * smooth_serialisation_s(wire, n, rendezvous(n)); });
}

std::optional<double> more_latency_s(const MachineModel& model, const WhatIf& what_if) {
  const Link* link = model.link(what_if.network_of(model));
  if (link == nullptr || link->one_way.empty()) return std::nullopt;
  return more_than(latency_of(model.costs, *link).s, what_if);
}

MachineModel apply(const MachineModel& recorded_on, const WhatIf& what_if) {
  const MachineModel& model = what_if.machine ? *what_if.machine : recorded_on;
  MachineModel out = model;
  scale(out.reduction, 1 / what_if.compute);
  if (what_if.bandwidth == 1 && what_if.latency == 1 && !what_if.latency_s && what_if.software == 1 &&
      what_if.per_byte == 1)
    return out;
  out.costs = costs_with(model.costs, what_if);
  for (Link& link : out.links)
    apply_to_link(link, model.costs, out.costs, what_if, what_if.network_of(model));
  if (!out.links.empty()) {
    const Link& before = model.links.front();
    const Link& after = out.links.front();
    const auto ratio = [](double a, double b) { return b > 0 ? a / b : 1.0; };
    out.alpha_cycles *= ratio(after.latency_s, before.latency_s);
    out.beta_cycles_per_byte *= ratio(after.one_way.segments.back().seconds_per_byte,
                                      before.one_way.segments.back().seconds_per_byte);
  }
  out.name = fmt::format("{} with {}", model.name, what_if.spec);
  return out;
}

}  // namespace ww
