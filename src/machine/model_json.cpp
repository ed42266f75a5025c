#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_object.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "machine/latency.hpp"
#include "machine/model.hpp"
#include "machine/model_check.hpp"

namespace ww {
namespace {

using nlohmann::json;

constexpr int most_dimensions = 16;  // 65536 nodes

Interval read_interval(JsonObject& object, const char* key, Interval otherwise, JsonProblem& problem) {
  const json* pair = object.array(key);
  if (pair == nullptr) return otherwise;
  if (pair->size() != 2 || !(*pair)[0].is_number() || !(*pair)[1].is_number()) {
    object.report(key, "an interval that is not two numbers", "write it as [low, high]");
    return otherwise;
  }
  const Interval interval{(*pair)[0].get<double>(), (*pair)[1].get<double>()};
  if (!std::isfinite(interval.low) || !std::isfinite(interval.high) || interval.low > interval.high)
    problem.report(object.path_of(key), "an interval whose low end is above its high end",
                   "write it as [low, high]");
  return interval;
}

Segment read_segment(const json& from, const std::string& path, JsonProblem& problem) {
  JsonObject object(
      from, path, problem,
      {"from_bytes", "to_bytes", "base_s", "seconds_per_byte", "base_ci_s", "seconds_per_byte_ci"});
  Segment segment;
  segment.from_bytes = object.number("from_bytes", 0);
  segment.to_bytes = object.number("to_bytes", segment.from_bytes);
  segment.base_s = object.number("base_s");
  segment.seconds_per_byte = object.number("seconds_per_byte");
  segment.base_ci_s = read_interval(object, "base_ci_s", {segment.base_s, segment.base_s}, problem);
  segment.seconds_per_byte_ci = read_interval(object, "seconds_per_byte_ci",
                                              {segment.seconds_per_byte, segment.seconds_per_byte}, problem);
  for (const double n : {segment.from_bytes, segment.to_bytes})
    // a line through zero may miss it by rounding
    if (segment.base_s + segment.seconds_per_byte * n < -1e-12)
      problem.report(path, fmt::format("a negative time at {:g} bytes", n),
                     "correct base_s or seconds_per_byte");
  return segment;
}

Curve read_curve(const json* from, const std::string& path, JsonProblem& problem) {
  Curve curve;
  if (from == nullptr) return curve;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    const Segment segment = read_segment((*from)[i], at, problem);
    if (!curve.segments.empty() && segment.from_bytes < curve.segments.back().to_bytes)
      problem.report(at + ".from_bytes", "a segment that begins before the one above it ends",
                     "order the segments by size");
    curve.segments.push_back(segment);
  }
  return curve;
}

Wire read_wire(const json& from, const std::string& path, JsonProblem& problem) {
  JsonObject object(
      from, path, problem,
      {"seconds_per_byte", "seconds_per_byte_ci", "stages", "frame_payload_bytes", "frame_overhead_bytes",
       "message_overhead_bytes", "handshake_frames", "handshake_frame_bytes", "acknowledgement_frame_bytes",
       "two_way_efficiency", "two_way_efficiency_ci", "two_way_efficiency_eager",
       "two_way_efficiency_eager_ci", "two_way"});
  Wire wire;
  wire.seconds_per_byte = object.number("seconds_per_byte", 0);
  wire.seconds_per_byte_ci =
      read_interval(object, "seconds_per_byte_ci", {wire.seconds_per_byte, wire.seconds_per_byte}, problem);
  wire.stages = object.number("stages", 1, wire.stages);
  wire.frame_payload_bytes = object.number("frame_payload_bytes", 1, wire.frame_payload_bytes);
  wire.frame_overhead_bytes = object.number("frame_overhead_bytes", 0, wire.frame_overhead_bytes);
  wire.message_overhead_bytes = object.number("message_overhead_bytes", 0, wire.message_overhead_bytes);
  wire.handshake_frames = object.number("handshake_frames", 0, wire.handshake_frames);
  wire.handshake_frame_bytes = object.number("handshake_frame_bytes", 0, wire.handshake_frame_bytes);
  wire.acknowledgement_frame_bytes =
      object.number("acknowledgement_frame_bytes", 0, wire.acknowledgement_frame_bytes);
  wire.two_way_efficiency = object.number("two_way_efficiency", 0.01, wire.two_way_efficiency);
  wire.two_way_efficiency_ci = read_interval(object, "two_way_efficiency_ci",
                                             {wire.two_way_efficiency, wire.two_way_efficiency}, problem);
  if (object.has("two_way_efficiency_eager")) {
    const double eager = object.number("two_way_efficiency_eager", 0.01);
    wire.two_way_efficiency_eager = eager;
    wire.two_way_efficiency_eager_ci =
        read_interval(object, "two_way_efficiency_eager_ci", {eager, eager}, problem);
  }
  if (const json* points = object.array("two_way"))
    for (std::size_t i = 0; i < points->size(); ++i) {
      JsonObject point((*points)[i], fmt::format("{}.two_way[{}]", path, i), problem,
                       {"bytes", "efficiency", "ci"});
      TwoWay read{.bytes = point.number("bytes", 1), .efficiency = point.number("efficiency", 0.01)};
      read.ci = read_interval(point, "ci", {read.efficiency, read.efficiency}, problem);
      wire.two_way.push_back(read);
    }
  std::sort(wire.two_way.begin(), wire.two_way.end(),
            [](const TwoWay& a, const TwoWay& b) { return a.bytes < b.bytes; });
  return wire;
}

Switch read_switch(const json& from, const std::string& path, JsonProblem& problem) {
  JsonObject object(from, path, problem,
                    {"bytes", "low_bytes", "high_bytes", "jump_s", "relative", "avoid_up_to_bytes", "cause"});
  Switch out;
  out.bytes = object.number("bytes", 0);
  out.low_bytes = object.number("low_bytes", 0, out.bytes);
  out.high_bytes = object.number("high_bytes", 0, out.bytes);
  out.jump_s = object.number("jump_s");
  out.relative = object.number("relative", JsonObject::no_limit, 0);
  out.avoid_up_to_bytes = object.number("avoid_up_to_bytes", 0, 0);
  out.cause = object.text("cause", "");
  return out;
}

Link read_link(const json& from, const std::string& path, JsonProblem& problem) {
  JsonObject object(from, path, problem,
                    {"between", "latency_s", "latency_ci_s", "smallest_s", "smallest_ci_s", "segments",
                     "eager_threshold_bytes", "rendezvous_needs_sender", "handshake_crossings",
                     "sent_ahead_bytes", "pingpong_fit_error", "wire", "points", "switches"});
  Link link;
  const std::string between = object.text("between");
  if (between != "inter" && between != "intra")
    object.report("between", "a link between unknown places",
                  "write \"inter\" (hosts) or \"intra\" (a host)");
  link.between = between == "intra" ? Place::intra : Place::inter;
  const json* segments = object.array("segments", true);
  link.one_way = read_curve(segments, object.path_of("segments"), problem);
  if (segments != nullptr && segments->empty()) object.report("segments", "a link without a segment");
  // The latency follows from the rest (latency.hpp). Files without the smallest message's time have that in
  // its place.
  const double latency_s = object.number("latency_s", 0);
  link.latency_s = object.number("smallest_s", 0, latency_s);
  const Interval none{link.latency_s, link.latency_s};
  link.latency_ci_s = object.has("smallest_s") ? read_interval(object, "smallest_ci_s", none, problem)
                                               : read_interval(object, "latency_ci_s", none, problem);
  if (object.has("eager_threshold_bytes"))
    link.eager_threshold_bytes = object.number("eager_threshold_bytes", 0);
  link.rendezvous_needs_sender = object.flag("rendezvous_needs_sender", link.rendezvous_needs_sender);
  link.handshake_crossings = object.number("handshake_crossings", 0, link.handshake_crossings);
  if (object.has("sent_ahead_bytes")) link.sent_ahead_bytes = object.number("sent_ahead_bytes", 0);
  if (const json* error = object.object("pingpong_fit_error")) {
    JsonObject fit(*error, object.path_of("pingpong_fit_error"), problem, {"mean", "max"});
    link.pingpong_fit_error = {fit.number("mean", 0), fit.number("max", 0)};
  }
  if (const json* wire = object.object("wire")) link.wire = read_wire(*wire, object.path_of("wire"), problem);
  if (const json* points = object.array("points")) {
    for (std::size_t i = 0; i < points->size(); ++i) {
      JsonObject point((*points)[i], fmt::format("{}[{}]", object.path_of("points"), i), problem,
                       {"bytes", "median_s", "low_s", "high_s", "samples"});
      constexpr double most_samples = 9007199254740992;  // 2^53
      const auto number = [&](const char* key) { return point.number(key, 0); };
      link.points.push_back({number("bytes"), number("median_s"), number("low_s"), number("high_s"),
                             static_cast<std::uint64_t>(std::min(number("samples"), most_samples))});
    }
  }
  if (const json* switches = object.array("switches"))
    for (std::size_t i = 0; i < switches->size(); ++i)
      link.switches.push_back(
          read_switch((*switches)[i], fmt::format("{}[{}]", object.path_of("switches"), i), problem));
  return link;
}

Hypercube read_hypercube(const json& from, JsonProblem& problem) {
  JsonObject object(from, "hypercube", problem,
                    {"dimensions", "clock_tick_s", "clock_call_s", "memory_channels"});
  Hypercube cube;
  const double dimensions = object.number("dimensions", 1);
  if (dimensions > most_dimensions || dimensions != std::floor(dimensions))
    object.report("dimensions", "a cube that cannot be",
                  fmt::format("give a whole number up to {}", most_dimensions));
  else
    cube.dimensions = static_cast<int>(dimensions);
  cube.clock_tick_s = object.number("clock_tick_s", 0, 0.0);
  cube.clock_call_s = object.number("clock_call_s", 0, 0.0);
  cube.memory_channels = object.number("memory_channels", 0, 0.0);
  return cube;
}

LogGops read_loggops(const json& from, JsonProblem& problem) {
  JsonObject object(from, "loggops", problem,
                    {"L_s", "o_s", "g_s", "G_s_per_byte", "O_s_per_byte", "S_bytes"});
  LogGops out;
  out.L_s = object.number("L_s", 0);
  out.o_s = object.number("o_s", 0);
  out.g_s = object.number("g_s", 0);
  out.G_s_per_byte = object.number("G_s_per_byte", 0);
  out.O_s_per_byte = object.number("O_s_per_byte", 0, 0.0);
  out.S_bytes = object.number("S_bytes", 0);
  return out;
}

// Who changed latency_s in a file is told that it follows from the rest.
void flag_latencies(MachineModel& model, const json& links) {
  constexpr double rounding = 0.01, shortest_s = 1e-9;
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const double follows_s = latency_of(model.costs, model.links[i]).s, said_s = links[i]["latency_s"];
    if (!links[i].contains("smallest_s") ||
        std::fabs(said_s - follows_s) <= rounding * follows_s + shortest_s)
      continue;
    model.flags.push_back(
        fmt::format("links[{}].latency_s is {} in the file, but segments, wire and costs leave {}, which "
                    "counts: change those, "
                    "or predict with latency={}",
                    i, show_time(said_s), show_time(follows_s), show_time(said_s)));
  }
}

json interval_json(const Interval& interval) {
  return json::array({interval.low, interval.high});
}

json curve_json(const Curve& curve) {
  json out = json::array();
  for (const Segment& segment : curve.segments)
    out.push_back({{"from_bytes", segment.from_bytes},
                   {"to_bytes", segment.to_bytes},
                   {"base_s", segment.base_s},
                   {"seconds_per_byte", segment.seconds_per_byte},
                   {"base_ci_s", interval_json(segment.base_ci_s)},
                   {"seconds_per_byte_ci", interval_json(segment.seconds_per_byte_ci)}});
  return out;
}

json wire_json(const Wire& wire) {
  json out = {{"seconds_per_byte", wire.seconds_per_byte},
              {"seconds_per_byte_ci", interval_json(wire.seconds_per_byte_ci)},
              {"stages", wire.stages},
              {"frame_payload_bytes", wire.frame_payload_bytes},
              {"frame_overhead_bytes", wire.frame_overhead_bytes},
              {"message_overhead_bytes", wire.message_overhead_bytes},
              {"handshake_frames", wire.handshake_frames},
              {"handshake_frame_bytes", wire.handshake_frame_bytes},
              {"acknowledgement_frame_bytes", wire.acknowledgement_frame_bytes},
              {"two_way_efficiency", wire.two_way_efficiency},
              {"two_way_efficiency_ci", interval_json(wire.two_way_efficiency_ci)}};
  if (wire.two_way_efficiency_eager) {
    out["two_way_efficiency_eager"] = *wire.two_way_efficiency_eager;
    out["two_way_efficiency_eager_ci"] = interval_json(wire.two_way_efficiency_eager_ci);
  }
  for (const TwoWay& point : wire.two_way)
    out["two_way"].push_back(
        {{"bytes", point.bytes}, {"efficiency", point.efficiency}, {"ci", interval_json(point.ci)}});
  return out;
}

json switches_json(const std::vector<Switch>& switches) {
  json out = json::array();
  for (const Switch& one : switches)
    out.push_back({{"bytes", one.bytes},
                   {"low_bytes", one.low_bytes},
                   {"high_bytes", one.high_bytes},
                   {"jump_s", one.jump_s},
                   {"relative", one.relative},
                   {"avoid_up_to_bytes", one.avoid_up_to_bytes},
                   {"cause", one.cause}});
  return out;
}

json points_json(const std::vector<MeasuredSize>& points) {
  json out = json::array();
  for (const MeasuredSize& point : points)
    out.push_back({{"bytes", point.bytes},
                   {"median_s", point.median_s},
                   {"low_s", point.low_s},
                   {"high_s", point.high_s},
                   {"samples", point.samples}});
  return out;
}

json link_json(const Costs& costs, const Link& link) {
  const Latency latency = latency_of(costs, link);
  json out = {
      {"between", to_string(link.between)},
      {"latency_s", latency.s},
      {"latency_ci_s", interval_json(latency.ci_s)},
      {"smallest_s", link.latency_s},
      {"smallest_ci_s", interval_json(link.latency_ci_s)},
      {"segments", curve_json(link.one_way)},
      {"eager_threshold_bytes", nullptr},
      {"rendezvous_needs_sender", link.rendezvous_needs_sender},
      {"handshake_crossings", link.handshake_crossings},
      {"pingpong_fit_error", {{"mean", link.pingpong_fit_error.mean}, {"max", link.pingpong_fit_error.max}}},
      {"points", points_json(link.points)},
      {"switches", switches_json(link.switches)}};
  if (link.eager_threshold_bytes) out["eager_threshold_bytes"] = *link.eager_threshold_bytes;
  if (link.sent_ahead_bytes) out["sent_ahead_bytes"] = *link.sent_ahead_bytes;
  if (link.wire) out["wire"] = wire_json(*link.wire);
  return out;
}

template <class Costs_>
auto cost_members(Costs_& costs) {
  return std::array{std::pair{"F", &costs.F}, std::pair{"S", &costs.S}, std::pair{"R", &costs.R},
                    std::pair{"A", &costs.A}, std::pair{"U", &costs.U}, std::pair{"E", &costs.E}};
}

}  // namespace

Result<MachineModel> model_from_json(const json& given) {
  json from = given;
  make_printable(from);
  JsonProblem problem("the machine model");
  JsonObject object(from, "", problem,
                    {"name",
                     "links",
                     "costs",
                     "reduction",
                     "six_lines",
                     "six_lines_floating",
                     "six_lines_idle",
                     "collectives",
                     "observations",
                     "closed_loop",
                     "hypercube",
                     "loggops",
                     "clock_hz",
                     "alpha_cycles",
                     "beta_cycles_per_byte",
                     "ipc",
                     "alpha_beta",
                     "samples",
                     "flags",
                     "environment"});
  MachineModel model;
  model.name = object.text("name", "");
  if (const json* links = object.array("links", true)) {
    if (links->empty())
      object.report("links", "a model without a link", "it needs one between hosts or within a host");
    for (std::size_t i = 0; i < links->size(); ++i) {
      Link link = read_link((*links)[i], fmt::format("links[{}]", i), problem);
      if (model.link(link.between) != nullptr)
        problem.report(fmt::format("links[{}].between", i),
                       fmt::format("a second {} link", to_string(link.between)), "keep one");
      model.links.push_back(std::move(link));
    }
  }
  if (const json* costs = object.object("costs")) {
    JsonObject terms(*costs, "costs", problem, {"F", "S", "R", "A", "U", "E"});
    for (auto [key, curve] : cost_members(model.costs))
      *curve = read_curve(terms.array(key), terms.path_of(key), problem);
  }
  model.reduction = read_curve(object.array("reduction"), "reduction", problem);
  json shown = json::object();
  for (const char* key :
       {"six_lines", "six_lines_floating", "six_lines_idle", "collectives", "observations", "environment"})
    if (const json* part = object.object(key)) shown[key] = *part;
  if (const json* closed_loop = object.array("closed_loop")) shown["closed_loop"] = *closed_loop;
  if (const json* cube = object.object("hypercube")) model.hypercube = read_hypercube(*cube, problem);
  if (const json* loggops = object.object("loggops")) model.loggops = read_loggops(*loggops, problem);
  model.clock_hz = object.number("clock_hz", 0, 0.0);
  model.alpha_cycles = object.number("alpha_cycles", 0, 0.0);
  model.beta_cycles_per_byte = object.number("beta_cycles_per_byte", JsonObject::no_limit, 0.0);
  model.ipc = object.number("ipc", 0, 0.0);
  model.samples = object.text("samples", "");
  if (const json* flags = object.array("flags"))
    for (const json& flag : *flags) {
      if (flag.is_string())
        model.flags.push_back(flag.get<std::string>());
      else
        object.report("flags", fmt::format("{} where a text is needed", flag.type_name()));
    }
  if (problem.any()) return tl::unexpected(problem.error());
  if (const json* links = object.array("links")) flag_latencies(model, *links);
  if (const auto good = check::machine_check()(from, ""); !good)
    return fail(good.error().what + " in the machine model", "key " + good.error().where,
                "make it anew with `whatwire measure`");
  for (auto& [key, part] : shown.items())
    if (key != "environment") check::leave_out_nulls(part);
  keep_shown(model, shown);
  return model;
}

json to_json(const MachineModel& model) {
  json links = json::array(), costs = json::object(), rows = json::array();
  for (const Link& link : model.links) links.push_back(link_json(model.costs, link));
  for (auto [key, curve] : cost_members(model.costs)) costs[key] = curve_json(*curve);
  for (const LinkAlphaBeta& link : alpha_beta_of(model)) rows.push_back(to_json(link));
  json out = json::parse(model.shown);
  out.update({{"name", model.name},
              {"links", links},
              {"costs", costs},
              {"clock_hz", model.clock_hz},
              {"alpha_cycles", model.alpha_cycles},
              {"beta_cycles_per_byte", model.beta_cycles_per_byte},
              {"alpha_beta", rows},  // follows from the rest, and is not read
              {"samples", model.samples},
              {"flags", model.flags}});
  if (!model.reduction.empty()) out["reduction"] = curve_json(model.reduction);
  if (model.ipc > 0) out["ipc"] = model.ipc;
  if (model.hypercube)
    out["hypercube"] = {{"dimensions", model.hypercube->dimensions},
                        {"clock_tick_s", model.hypercube->clock_tick_s},
                        {"clock_call_s", model.hypercube->clock_call_s},
                        {"memory_channels", model.hypercube->memory_channels}};
  if (model.loggops)
    out["loggops"] = {{"L_s", model.loggops->L_s},
                      {"o_s", model.loggops->o_s},
                      {"g_s", model.loggops->g_s},
                      {"G_s_per_byte", model.loggops->G_s_per_byte},
                      {"O_s_per_byte", model.loggops->O_s_per_byte},
                      {"S_bytes", model.loggops->S_bytes}};
  return out;
}

}  // namespace ww
