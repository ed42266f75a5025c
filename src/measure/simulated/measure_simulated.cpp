#include "measure/simulated/measure_simulated.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/kept_file.hpp"
#include "measure/fit.hpp"
#include "measure/fit_six.hpp"
#include "measure/simulated/simulated_interference.hpp"
#include "measure/simulated/six_experiments.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;
using simulated::Means;

// What a real measurement has too, and the wire's time with idle and with busy processors (S1, 5.1).
json observe(const Samples& samples, const SixFit& busy, const MachineModel& model,
             std::vector<std::string>& flags) {
  json out = fit_observations(samples, model, flags);
  const SixFit idle = fit_six(samples, "inter", "none");
  if (!out.contains("busy")) return out;
  for (json& entry : out["busy"])
    for (const auto& [key, fit] : {std::pair{"wire_idle_s", &idle}, std::pair{"wire_busy_s", &busy}})
      for (const SixPoint& point : fit->E.points)
        if (point.bytes == entry["bytes"].get<double>()) entry[key] = point.typical_s;
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
Result<json> experiments_again(const Samples& samples, const MachineModel& model,
                               std::vector<std::string>& flags) {
  WW_TRY(const auto machine, simulate::hypercube::machine_of(model));
  WW_TRY(const auto apparatus, simulated::prepare(machine));
  WW_TRY(const auto again, simulated::six_experiments(apparatus));
  json out = json::array();
  int not_again = 0;
  for (const json* was : samples.of_kind("six")) {
    const auto same = std::find_if(again.begin(), again.end(), [&](const json& record) {
      return record["kind"] == "six" && record["experiment"] == (*was)["experiment"] &&
             record["hops"] == (*was)["hops"] && record["bytes"] == (*was)["bytes"] &&
             record["computation"] == (*was)["computation"];
    });
    if (same == again.end()) {
      ++not_again;
      continue;
    }
    const double measured_s = stats::median((*was)["seconds"].get<Means>()),
                 simulated_s = stats::median((*same)["seconds"].get<Means>());
    out.push_back(
        {{"experiment", fmt::format("S1 {}, {} hop(s), {}", (*was)["experiment"].get<int>(),
                                    (*was)["hops"].get<int>(), (*was)["computation"].get<std::string>())},
         {"between", "inter"},
         {"bytes", (*was)["bytes"]},
         {"measured_s", measured_s},
         {"simulated_s", simulated_s},
         {"relative", measured_s > 0 ? simulated_s / measured_s - 1 : 0}});
  }
  if (not_again > 0)
    flags.push_back(fmt::format(
        "closed loop: {} experiments of these samples are none of this version's and were not made again",
        not_again));
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

Result<MachineModel> fit_simulated(const Samples& samples, const std::string& samples_file) {
  if (!is_simulated(samples))
    return fail("these samples are of no simulated machine", samples_file,
                "give a file of `whatwire measure --simulated`");
  WW_TRY(const MachineModel machine, model_from_json(samples.environment["simulated"]));
  MachineModel model;
  model.name = fmt::format("simulated {}", machine.name);
  model.samples = samples_file;
  json shown = {{"environment", samples.environment}};
  shown["environment"]["simulated"] = machine.name;
  model.clock_hz = machine.clock_hz;
  model.hypercube = machine.hypercube;
  model.flags.push_back(fmt::format("measured on a simulated machine: {}", machine.name));
  const SixFit fit = fit_six(samples, "inter");
  model.costs = costs_of(fit);
  shown.update(all_six_lines(samples, "inter", fit));
  model.flags.insert(model.flags.end(), fit.flags.begin(), fit.flags.end());
  const auto link = link_of(samples, model.costs, model.flags);
  if (!link)
    return fail("these samples give no line of E", samples_file,
                "give a file of `whatwire measure --simulated`");
  model.links = {*link};
  model.alpha_cycles = link->latency_s * model.clock_hz;
  model.beta_cycles_per_byte = link->one_way.segments.back().seconds_per_byte * model.clock_hz;
  shown["observations"] = observe(samples, fit, model, model.flags);
  WW_TRY(shown["closed_loop"], experiments_again(samples, model, model.flags));
  keep_shown(model, shown);
  return model;
}

Result<MachineModel> measure_simulated(const MachineModel& machine, const std::filesystem::path& output,
                                       const Say& say) {
  WW_CHECK(check_output_file(output));
  WW_TRY(Samples samples, simulate_experiments(machine));
  samples.environment["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const auto samples_file = samples_beside(output);
  WW_CHECK(keep_previous_samples(samples_file, say));
  WW_CHECK(save_samples(samples, samples_file));
  WW_TRY(MachineModel model, fit_simulated(samples, samples_file.filename().string()));
  WW_CHECK(keep_previous_model(output, say));
  WW_CHECK(save_model(model, output));
  return model;
}

}  // namespace ww::measure
