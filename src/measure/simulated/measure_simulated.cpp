#include "measure/simulated/measure_simulated.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "measure/fit.hpp"
#include "measure/fit_six.hpp"
#include "measure/simulated/interference.hpp"
#include "measure/simulated/six_experiments.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;
using simulated::Means;

// `name` with the unit last: the median; with "_ci": its interval.
void put(json& entry, const std::string& name, const std::string& unit, const Means& samples) {
  const auto found = stats::median_interval(samples);
  entry[name + unit] = found.median;
  entry[name + "_ci" + unit] = {found.range.low, found.range.high};
}

// S1, 5.2: of every message's time R + S is taken from the computation, for each neighbour.
json interference_observed(const json& record, const Costs& costs) {
  json out = {{"neighbours", record["neighbours"]}, {"bytes", record["bytes"]}};
  const auto with_s = record["with_s"].get<Means>(), alone_s = record["alone_s"].get<Means>();
  Means slowdown;
  for (std::size_t i = 0; i < with_s.size(); ++i) slowdown.push_back(with_s[i] / alone_s[i]);
  put(out, "message", "_s", record["message_s"].get<Means>());
  put(out, "slowdown", "", slowdown);
  const double bytes = record["bytes"].get<double>(),
               taken_s = record["neighbours"].get<double>() * (costs.R.at(bytes) + costs.S.at(bytes));
  out["predicted_slowdown"] = 1 / (1 - taken_s / out["message_s"].get<double>());
  return out;
}

json busy_observed(const Samples& samples, const SixFit& busy) {
  json out = json::array();
  const SixFit idle = fit_six(samples, "inter", "none");
  for (const auto* record : samples.of_kind("busy", "inter")) {
    json entry = {{"between", "inter"}, {"bytes", (*record)["bytes"]}};
    put(entry, "idle", "_s", (*record)["idle_s"].get<Means>());
    put(entry, "busy", "_s", (*record)["busy_s"].get<Means>());
    for (const auto& [key, fit] : {std::pair{"wire_idle_s", &idle}, std::pair{"wire_busy_s", &busy}})
      for (const SixPoint& point : fit->E.points)
        if (point.bytes == (*record)["bytes"].get<double>()) entry[key] = point.typical_s;
    out.push_back(std::move(entry));
  }
  return out;
}

json observe(const Samples& samples, const SixFit& fit, const Costs& costs) {
  json out = {{"busy", busy_observed(samples, fit)}, {"timer", json::array()}};
  for (const auto* record : samples.of_kind("interference"))
    out["interference"].push_back(interference_observed(*record, costs));
  for (const auto* record : samples.of_kind("host")) {
    json timer = (*record)["timer"];
    timer["host"] = (*record)["host"];
    out["timer"].push_back(std::move(timer));
  }
  return out;
}

std::optional<Link> link_of(const Samples& samples, const Costs& costs, std::vector<std::string>& flags) {
  Link link;
  const auto points = ping_pong_points(samples, "inter", false);
  if (points.size() < 2 || costs.E.empty()) return {};
  Wire wire;  // a channel moves a message in one piece, at a pace that its sender sets
  wire.seconds_per_byte = std::max(0.0, costs.E.segments.back().seconds_per_byte);
  wire.seconds_per_byte_ci = costs.E.segments.back().seconds_per_byte_ci;
  wire.frame_payload_bytes = 1 << 30;
  wire.frame_overhead_bytes = 0;
  link.wire = wire;
  fit_one_way(link, points, flags);
  return link;
}

// The experiments once more, on the model that they gave.
Result<json> close_loop(const Samples& samples, const MachineModel& model) {
  WW_TRY(const auto machine, simulate::hypercube::machine_of(model));
  WW_TRY(const auto apparatus, simulated::prepare(machine));
  WW_TRY(const auto again, simulated::six_experiments(apparatus));
  const auto measured = samples.of_kind("six");
  json out = json::array();
  std::size_t at = 0;
  for (const json& record : again) {
    if (record["kind"] != "six" || at == measured.size()) continue;
    const json& was = *measured[at++];
    WW_INVARIANT(was["experiment"] == record["experiment"] && was["hops"] == record["hops"]);
    const double measured_s = stats::median(was["seconds"].get<Means>()),
                 simulated_s = stats::median(record["seconds"].get<Means>());
    out.push_back({{"experiment", fmt::format("S1 {}, {} hop(s), {}", was["experiment"].get<int>(),
                                              was["hops"].get<int>(), was["computation"].get<std::string>())},
                   {"between", "inter"},
                   {"bytes", was["bytes"]},
                   {"measured_s", measured_s},
                   {"simulated_s", simulated_s},
                   {"relative", measured_s > 0 ? simulated_s / measured_s - 1 : 0}});
  }
  return out;
}

}  // namespace

Result<Samples> simulate_experiments(const MachineModel& machine) {
  WW_TRY(const auto simulated_machine, simulate::hypercube::machine_of(machine));
  WW_TRY(const auto apparatus, simulated::prepare(simulated_machine));
  Samples samples;
  samples.environment = {{"simulated", to_json(machine)},
                         {"repetitions", apparatus.repetitions},
                         {"trials", apparatus.trials},
                         {"short_computation_s", apparatus.known_short_s},
                         {"long_computation_s", apparatus.known_long_s}};
  samples.records.push_back({{"kind", "host"},
                             {"rank", 0},
                             {"host", fmt::format("simulated {}", machine.name)},
                             {"clock_hz", machine.clock_hz},
                             {"timer",
                              {{"call_s", apparatus.known_call_s},
                               {"resolution_s", apparatus.clock_resolution_s},
                               {"backward_steps", 0}}}});
  samples.records.push_back({{"kind", "pair"}, {"between", "inter"}});
  WW_TRY(const auto six, simulated::six_experiments(apparatus));
  WW_TRY(const auto streams, simulated::interference(apparatus));
  samples.records.insert(samples.records.end(), six.begin(), six.end());
  samples.records.insert(samples.records.end(), streams.begin(), streams.end());
  samples.complete = true;
  return samples;
}

bool is_simulated(const Samples& samples) {
  return samples.environment.contains("simulated");
}

Result<MachineModel> fit_simulated(const Samples& samples, const std::string& samples_file) {
  if (!is_simulated(samples))
    return fail("these samples are of no simulated machine", samples_file,
                "give a file of `whatwire measure --simulated`");
  WW_TRY(const MachineModel machine, model_from_json(samples.environment["simulated"]));
  MachineModel model;
  model.name = fmt::format("simulated {}", machine.name);
  model.samples = samples_file;
  model.environment = samples.environment;
  model.environment["simulated"] = machine.name;
  model.clock_hz = machine.clock_hz;
  model.hypercube = machine.hypercube;
  model.flags.push_back(fmt::format("measured on a simulated machine: {}", machine.name));
  const SixFit fit = fit_six(samples, "inter");
  model.costs = costs_of(fit);
  model.six_lines = six_lines(fit);
  model.flags.insert(model.flags.end(), fit.flags.begin(), fit.flags.end());
  const auto link = link_of(samples, model.costs, model.flags);
  if (!link)
    return fail("these samples give no line of E", samples_file,
                "give a file of `whatwire measure --simulated`");
  model.links = {*link};
  model.alpha_cycles = link->latency_s * model.clock_hz;
  model.beta_cycles_per_byte = link->one_way.segments.back().seconds_per_byte * model.clock_hz;
  model.observations = observe(samples, fit, model.costs);
  WW_TRY(model.closed_loop, close_loop(samples, model));
  return model;
}

Result<MachineModel> measure_simulated(const MachineModel& machine, const std::filesystem::path& output) {
  WW_TRY(Samples samples, simulate_experiments(machine));
  samples.environment["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const auto samples_file = samples_beside(output);
  WW_CHECK(save_samples(samples, samples_file));
  WW_TRY(MachineModel model, fit_simulated(samples, samples_file.filename().string()));
  WW_CHECK(save_model(model, output));
  return model;
}

}  // namespace ww::measure
