// whatwire simulate: how long a recorded run would take on another network.
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/simulate_scenarios.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, machine, sweep;
  std::string faster_wire = "bandwidth=x10";
  std::vector<std::string> what_ifs;
  bool scenarios = false;
  bool json = false, csv = false;
};

std::string interval(const Prediction& p) {
  return fmt::format("{} to {}", show_time(p.predicted_low_s), show_time(p.predicted_high_s));
}

void show_prediction(const Prediction& p) {
  const double worst_s = [&] {
    double blocked_s = 0;
    for (const SimulatedRank& rank : p.simulated.ranks) blocked_s = std::max(blocked_s, rank.blocked_s);
    return blocked_s;
  }();
  fmt::print("{}\n", p.what_if.empty() ? "on the machine as it is" : p.what_if);
  fmt::print("  predicted    {:>9}   95%: {}\n", show_time(p.predicted_s), interval(p));
  if (p.predicted_s > 0)
    fmt::print("  speed-up     {:>8.2f}x   over the {} that were recorded\n", p.recorded_s / p.predicted_s,
               show_time(p.recorded_s));
  fmt::print("  blocked      {:>9}   of the rank that is blocked longest\n", show_time(worst_s));
  fmt::print("  one more microsecond a message: latency {:+.3g} ms, software {:+.3g} ms in all\n",
             p.latency_s_per_s * 1e-3, p.overhead_s_per_s * 1e-3);
}

void show_self_check(const Prediction& first) {
  fmt::print("recorded       {:>9}\nself-check     {:>9}   replayed on the recording machine: {:+.1f}%\n",
             show_time(first.recorded_s), show_time(first.replayed_s),
             first.recorded_s > 0 ? 100 * (first.replayed_s / first.recorded_s - 1) : 0.0);
}

void show_assumptions(const Prediction& first) {
  fmt::print("assuming:\n");
  for (const std::string& assumption : first.assumptions) fmt::print("  {}\n", assumption);
  for (const Diagnostic& d : first.diagnostics.all())
    fmt::print("{}: {} ({}): {}\n", to_string(d.severity), d.name, d.count, d.remedy);
}

void show(const std::vector<Prediction>& predictions) {
  show_self_check(predictions.front());
  for (const Prediction& p : predictions) show_prediction(p);
  show_assumptions(predictions.front());
}

void show_csv(const std::vector<Prediction>& predictions) {
  fmt::print("what_if,predicted_s,predicted_low_s,predicted_high_s\n");
  for (const Prediction& p : predictions)
    fmt::print("\"{}\",{:.9g},{:.9g},{:.9g}\n", p.what_if, p.predicted_s, p.predicted_low_s,
               p.predicted_high_s);
}

// "bandwidth=x1:x100:10" -> ten what-ifs, the factors in a geometric row.
Result<std::vector<WhatIf>> parse_sweep(const std::string& spec) {
  const auto bad = [&](const std::string& what) {
    return wrong_usage(what, "--sweep " + spec, "write it like bandwidth=x1:x100:10, PART=FIRST:LAST:STEPS");
  };
  const auto equals = spec.find('='), first_colon = spec.find(':'), last_colon = spec.rfind(':');
  if (equals == std::string::npos || first_colon == std::string::npos || last_colon == first_colon ||
      equals > first_colon)
    return bad("not a sweep");
  const auto first = parse_factor(spec.substr(equals + 1, first_colon - equals - 1));
  const auto last = parse_factor(spec.substr(first_colon + 1, last_colon - first_colon - 1));
  const auto steps = parse_bytes(spec.substr(last_colon + 1));
  if (!first || !last) return bad("an end of the sweep is not a factor");
  if (!steps || *steps < 2 || *steps > 1000 || *steps != std::floor(*steps))
    return bad("the number of steps is not a whole number from 2 to 1000");
  std::vector<WhatIf> out;
  for (int i = 0; i < static_cast<int>(*steps); ++i) {
    const double factor = *first * std::pow(*last / *first, i / (*steps - 1));
    WW_TRY(WhatIf what_if, parse_what_if(fmt::format("{}=x{:.6g}", spec.substr(0, equals), factor)));
    out.push_back(std::move(what_if));
  }
  return out;
}

Result<int> simulate_trace(const Options& options) {
  std::vector<WhatIf> what_ifs;
  std::vector<Scenario> compared;
  if (options.scenarios) {
    WW_TRY(compared, scenarios(options.faster_wire));
    for (const Scenario& scenario : compared) what_ifs.push_back(scenario.what_if);
  }
  for (const std::string& spec : options.what_ifs) {
    WW_TRY(WhatIf what_if, parse_what_if(spec));
    if (options.scenarios) compared.push_back({what_if.spec, what_if});
    what_ifs.push_back(std::move(what_if));
  }
  if (options.scenarios && !options.sweep.empty())
    return wrong_usage("--scenarios and --sweep together", "", "ask for one after the other");
  if (!options.sweep.empty()) {
    WW_TRY(std::vector<WhatIf> sweep, parse_sweep(options.sweep));
    what_ifs.insert(what_ifs.end(), sweep.begin(), sweep.end());
  }
  if (what_ifs.empty()) what_ifs.emplace_back();
  WW_TRY(const MachineModel machine, load_model(options.machine));
  const auto start = std::chrono::steady_clock::now();
  WW_TRY(const Trace trace, load_trace(options.trace));
  const double load_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  WW_TRY(std::vector<Prediction> predictions, predict_all(trace, machine, what_ifs));
  for (Prediction& p : predictions) {
    p.load_s += load_s;
    Diagnostics all = trace.diagnostics;
    all.merge(p.diagnostics);
    p.diagnostics = all;
  }
  if (options.json) {
    nlohmann::json out = to_json(predictions.front());
    if (predictions.size() > 1)
      for (const Prediction& p : predictions) out["what_ifs"].push_back(to_json(p));
    if (options.scenarios) out["scenarios"] = scenarios_json(trace, compared, predictions);
    fmt::print("{}\n", out.dump(2));
  } else if (options.csv) {
    if (options.scenarios)
      fmt::print("{}", scenario_csv(trace, compared, predictions));
    else
      show_csv(predictions);
  } else if (options.scenarios) {
    show_self_check(predictions.front());
    fmt::print("\n{}\n", scenario_tables(trace, break_down(trace, &machine), compared, predictions));
    show_assumptions(predictions.front());
  } else {
    show(predictions);
  }
  return 0;
}

}  // namespace

void add_simulate(CLI::App& root, Chosen& chosen) {
  auto* command = root.add_subcommand("simulate", "How long a recorded run would take on another network");
  command->footer(
      "SPEC: bandwidth=x10, latency=x0.5 or latency=5us, software=x0.1, per-byte=x0.5 (the software's time a "
      "byte),\n"
      "compute=x2, compute@rank:0-3+7=x2, compute@region:NAME=x2 (a region that the program marked), "
      "machine=PRESET\n"
      "or machine=FILE (another machine's messages), joined by commas.\n"
      "--scenarios compares the recording machine, a faster wire, software cut by 90% and both, station by "
      "station.\n"
      "With several what-ifs --json gives the first one's keys and all of them in \"what_ifs\".\n\n"
      "Example:  whatwire simulate app.ww --machine machine.json --what-if bandwidth=x10");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  add_model(*command, options->machine, "Model of the machine that recorded (whatwire measure), or a preset")
      ->required();
  command->add_option("--what-if", options->what_ifs, "Another machine; may be given again")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command->add_option("--sweep", options->sweep, "One part of it from FIRST to LAST, as bandwidth=x1:x100:10")
      ->type_name("PART=FIRST:LAST:STEPS");
  command->add_flag(
      "--scenarios", options->scenarios,
      "Today, a faster wire, software cut by 90%, and both, with where the stations' time goes");
  command->add_option("--faster-wire", options->faster_wire, "What --scenarios takes for the faster wire")
      ->type_name("SPEC")
      ->capture_default_str();
  auto* json = add_json(*command, options->json);
  command->add_flag("--csv", options->csv, "One line a what-if, comma separated")->excludes(json);
  act(*command, chosen, options, simulate_trace);
}

}  // namespace ww::cli
