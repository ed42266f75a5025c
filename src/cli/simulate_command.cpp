// whatwire simulate: how long a recorded run would take on another network.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "analyze/pop.hpp"
#include "base/files.hpp"
#include "base/interruption.hpp"
#include "base/kept_file.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "cli/simulate_also.hpp"
#include "cli/simulate_predicted.hpp"
#include "cli/simulate_schedule.hpp"
#include "cli/simulate_signature.hpp"
#include "cli/simulate_stations.hpp"
#include "machine/flags.hpp"
#include "render/channels_text.hpp"
#include "render/networks_text.hpp"
#include "render/prediction.hpp"
#include "render/scenarios_text.hpp"
#include "render/sweep_text.hpp"
#include "report/html.hpp"
#include "simulate/ideal_time.hpp"
#include "simulate/simulate.hpp"
#include "simulate/stored.hpp"
#include "simulate/sweep.hpp"
#include "trace/export/station_lines.hpp"
#include "trace/team.hpp"

namespace ww::cli {
namespace {

struct Options {
  std::string trace, machine, html, network, output;
  std::string faster_wire = "bandwidth=x10";
  std::string evaluator;  // empty: what fits
  std::vector<std::string> what_ifs, sweeps, also;
  int threads = 0, draws = 0;
  std::vector<double> factors;
  bool scenarios = false, explain = false, signature = false, every_rank = false, channels = false;
  bool no_interval = false, force = false;
  bool json = false, csv = false;
};

// What loading the trace said too.
Diagnostics all_diagnostics(const simulate::Program& program, const Prediction& p) {
  Diagnostics all = program.recorded.diagnostics;
  all.merge(p.diagnostics);
  return all;
}

Result<void> write_page(const std::string& file, const std::filesystem::path& source, const Prediction& first,
                        const nlohmann::json& sweep) {
  nlohmann::json one = sweep;
  one["name"] = source.has_parent_path() ? source.parent_path().filename().string() : source.string();
  const nlohmann::json data = {
      {"title", "What other networks would do"}, {"made_by", "whatwire " WHATWIRE_VERSION},
      {"studies", nlohmann::json::array()},      {"sweeps", nlohmann::json::array({one})},
      {"assumptions", first.assumptions},        {"diagnostics", first.diagnostics}};
  WW_TRY(const std::string page, html_report(data));
  WW_TRY(const auto said, write_output_file(file, page, is_html_report));
  say(said);
  return {};
}

unsigned threads_of(const Options& options, const Crew& crew) {
  if (options.threads > 0) return static_cast<unsigned>(options.threads);
  return std::max(1U, std::thread::hardware_concurrency() / static_cast<unsigned>(crew.on_this_host));
}

// Of the machines that a sweep goes over: a cell keeps no assumptions of its own.
Result<void> say_flags_of_machines(const Grid& grid, Prediction& first) {
  for (const SweepAxis& axis : grid.axes)
    for (std::size_t i = 0; axis.part == "machine" && i < axis.values.size(); ++i) {
      WW_TRY(const MachineModel model, load_model(axis.values[i]));
      say_flags({&model}, first.assumptions, first.diagnostics);
    }
  return {};
}

Result<int> sweep_trace(const Options& options, const Replayable& run, const MachineModel& machine,
                        const Grid& grid, PredictOptions as, std::vector<Prediction> others) {
  const Crew crew = crew_of_environment();
  as.threads = threads_of(options, crew);
  const std::filesystem::path source = run.program.recorded.source;
  WW_TRY(const std::vector<SweepCell> cells,
         sweep_together(std::filesystem::absolute(source).parent_path(), run, machine, grid, as));
  if (crew.number > 0) return 0;
  const bool asked = !others.empty();
  if (!asked) {
    WW_TRY(const WhatIf first, grid.what_if(0));
    WW_TRY(others, predict_all(run, machine, {first}, as));
    others.front().diagnostics = all_diagnostics(run.program, others.front());
  }
  WW_CHECK(say_flags_of_machines(grid, others.front()));
  const Prediction& first = others.front();
  nlohmann::json swept = sweep_json(first, grid, cells);
  if (!options.html.empty()) WW_CHECK(write_page(options.html, source, first, swept));
  if (options.json) {
    nlohmann::json out = to_json(first);
    if (asked)
      for (const Prediction& p : others) out["what_ifs"].push_back(to_json(p));
    for (const nlohmann::json& cell : swept["cells"]) out["what_ifs"].push_back(cell);
    out["sweep"] = std::move(swept);
    fmt::print("{}\n", json_text(out, 2));
  } else if (options.csv) {
    fmt::print("{}", sweep_csv(first, asked ? others : std::vector<Prediction>(), grid, cells));
  } else {
    if (asked)
      for (const Prediction& p : others) fmt::print("{}", show(p, run.program));
    fmt::print("{}", show_sweep(first, grid, cells));
    if (!options.html.empty()) fmt::print("picture: {}\n", options.html);
  }
  return 0;
}

// --network NAME means network=NAME in every what-if.
Result<void> join_by(const std::string& network, std::vector<WhatIf>& what_ifs) {
  for (WhatIf& what_if : what_ifs) {
    if (!network.empty()) {
      if (what_if.topology)
        return wrong_usage("two networks at once", fmt::format("--network {} and {}", network, what_if.spec),
                           "keep one of them");
      WW_TRY(what_if.topology, parse_network_spec(network));
      what_if.spec += (what_if.spec.empty() ? "network=" : ",network=") + network;
    }
    if (what_if.topology) WW_CHECK(check_network(*what_if.topology));
  }
  return {};
}

// Of the recorded run, by a replay on a network without cost.
Result<Pop> pop_of(const Trace& trace, const MachineModel& machine) {
  WW_TRY(const IdealRun ideal, replay_on_ideal(trace, &machine));
  return find_pop(break_down(trace, &machine), ideal.elapsed_s);
}

// What was asked for; else what is usual, unless a network is to carry messages: then events.
Evaluator evaluator_of(const Options& options, Evaluator usual, const Grid& grid,
                       const std::vector<WhatIf>& what_ifs) {
  if (options.evaluator == "free") return Evaluator::free;
  if (options.evaluator == "windows") return Evaluator::windows;
  const bool on_network =
      !grid.network.empty() ||
      std::any_of(grid.axes.begin(), grid.axes.end(),
                  [](const SweepAxis& axis) { return axis.part == "network" || axis.part == "per-byte"; }) ||
      std::any_of(what_ifs.begin(), what_ifs.end(),
                  [](const WhatIf& what_if) { return what_if.topology || what_if.per_byte != 1; });
  return options.evaluator.empty() && !on_network ? usual : Evaluator::events;
}

// Of a schedule windows, of a predicted run what it was predicted by.
Evaluator usual_evaluator(const Options& options, bool schedule,
                          const std::optional<Conditions>& conditions) {
  if (schedule) return Evaluator::windows;
  return options.machine.empty() && !options.signature ? conditions->evaluator : Evaluator::events;
}

int interrupted() {
  tell("whatwire: interrupted; no prediction was made\n");
  return interruption::exit_code;
}

Result<simulate::Opened> open(const Options& options, const std::optional<std::filesystem::path>& schedule,
                              bool whole) {
  if (!schedule) return simulate::open_program(options.trace, whole);
  WW_TRY(simulate::Lowered loaded, load_schedule(*schedule));
  simulate::Opened out;
  out.program = simulate::program_of(std::move(loaded.schedule), schedule->string());
  out.program.assumptions.insert(out.program.assumptions.end(), loaded.assumptions.begin(),
                                 loaded.assumptions.end());
  return out;
}

Result<int> simulate_under_loggops(const Options& options,
                                   const std::optional<std::filesystem::path>& schedule,
                                   const MachineModel& machine, const std::vector<WhatIf>& what_ifs,
                                   Evaluator evaluator) {
  const auto start = std::chrono::steady_clock::now();
  LogGopsRun run;
  if (schedule) {
    WW_TRY(run.program, load_schedule(*schedule));
  } else {
    WW_TRY(const simulate::Opened opened, simulate::open_program(options.trace, false));
    WW_TRY(run.program, simulate::schedule_of(opened.program));
    run.recorded_s = opened.program.recorded.elapsed_s;
  }
  run.load_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const interruption::Heed heed;
  const Cancellation cancellation(&interruption::requested);
  const unsigned threads = options.draws > 0 ? threads_of(options, crew_of_environment())
                                             : static_cast<unsigned>(std::max(1, options.threads));
  auto done = simulate_by_loggops(run, machine, what_ifs,
                                  {.of = {.explain = options.explain,
                                          .free_only = evaluator == Evaluator::free,
                                          .threads = threads,
                                          .interval = !options.no_interval,
                                          .listening = {.cancellation = &cancellation}},
                                   .json = options.json,
                                   .draws = static_cast<std::uint64_t>(options.draws)});
  if (!done && cancellation.requested()) return interrupted();
  return done;
}

// --scenarios, then each --what-if.
Result<std::vector<Scenario>> asked_for(const Options& options) {
  std::vector<Scenario> asked;
  if (options.scenarios) {
    WW_TRY(asked, scenarios(options.faster_wire));
  }
  for (const std::string& spec : options.what_ifs) {
    WW_TRY(WhatIf what_if, parse_what_if(spec));
    asked.push_back({what_if.spec, std::move(what_if)});
  }
  return asked;
}

std::vector<WhatIf> what_ifs_of(const std::vector<Scenario>& asked) {
  std::vector<WhatIf> what_ifs;
  for (const Scenario& one : asked) what_ifs.push_back(one.what_if);
  return what_ifs;
}

// S4's replay input, which has its own hosts.
Result<int> simulate_stations_of(const Options& options) {
  const bool more = !options.html.empty() || !options.network.empty() || !options.output.empty() ||
                    !options.evaluator.empty() || !options.sweeps.empty() || !options.also.empty() ||
                    options.draws > 0 || options.explain || options.signature;
  if (more)
    return wrong_usage(
        "stations of S4 are simulated by its own rules", options.trace,
        "give --machine, --what-if, --scenarios, --faster-wire, --json and --csv only; for all else "
        "make a schedule of them: whatwire import DIR -o stations.ww");
  WW_TRY(const std::vector<Scenario> asked, asked_for(options));
  std::vector<WhatIf> what_ifs = what_ifs_of(asked);
  if (what_ifs.empty()) what_ifs.emplace_back();
  return simulate_stations(options.trace, what_ifs, {options.machine, options.json, options.csv});
}

Result<int> simulate_trace(const Options& options) {
  if (stations::has_stations(options.trace)) return simulate_stations_of(options);
  const auto schedule = schedule_of(options.trace);
  if (schedule && options.signature)
    return wrong_usage("a schedule has no recorded times to compare signatures with", options.trace,
                       "ask by --what-if or --sweep");
  if (schedule && !options.output.empty())
    return wrong_usage("a schedule has no calls for -o", options.trace, "leave -o out");
  const bool stations = options.scenarios && !schedule;  // of a schedule they are what-ifs like others
  if (options.explain && !options.sweeps.empty())
    return wrong_usage("--explain of a sweep", "", "ask by --what-if");
  WW_TRY(const std::vector<Scenario> compared, asked_for(options));
  std::vector<WhatIf> what_ifs = what_ifs_of(compared);
  const bool sweeping = !options.sweeps.empty();
  if (options.scenarios && sweeping)
    return wrong_usage("--scenarios and --sweep together", "", "ask for one after the other");
  if (!options.html.empty() && !sweeping)
    return wrong_usage("--html without a --sweep", options.html, "a picture is of a sweep");
  if (options.signature && (sweeping || options.scenarios || options.csv || what_ifs.size() > 1))
    return wrong_usage("--signature is of one machine at several D", "",
                       "give one --what-if at most, and scenarios, sweeps and --csv by themselves");
  if (!options.signature && (!options.factors.empty() || options.every_rank))
    return wrong_usage("-D and --ranks belong to --signature", "", "add --signature");
  const bool one = !sweeping && !options.scenarios && !options.signature;
  if (!options.output.empty() && (!one || what_ifs.size() > 1))
    return wrong_usage("-o writes one predicted run", options.output,
                       "give one --what-if at most, and no --sweep, --scenarios or --signature");
  if (options.no_interval && !one)
    return wrong_usage("--no-interval with --sweep, --scenarios or --signature", "", "ask by --what-if");
  WW_TRY(const Grid grid, make_grid(options.sweeps, options.network));
  if (what_ifs.empty() && !sweeping) what_ifs.emplace_back();
  WW_CHECK(join_by(options.network, what_ifs));
  std::optional<Conditions> conditions;
  if (!schedule) {
    WW_TRY(conditions, simulate::conditions_of(options.trace));
  }
  if (options.machine.empty() && !conditions)
    return wrong_usage("--machine is required", options.trace,
                       "give the model of the machine that recorded (whatwire measure); only a predicted run "
                       "brings its own");
  MachineModel machine;
  if (options.machine.empty()) {
    machine = conditions->model;
  } else {
    WW_TRY(machine, load_model(options.machine));
  }
  const Evaluator evaluator =
      evaluator_of(options, usual_evaluator(options, schedule.has_value(), conditions), grid, what_ifs);
  const bool whole = stations || !options.also.empty() || !options.output.empty() || grid.needs_trace() ||
                     std::any_of(what_ifs.begin(), what_ifs.end(), needs_trace);
  if (evaluator != Evaluator::events && options.signature)
    return wrong_usage("a signature by " + options.evaluator, "",
                       "it is of the recorded calls: leave --evaluator out");
  if (!options.also.empty() && (schedule || evaluator != Evaluator::events || options.signature))
    return wrong_usage("--also is of the recorded computation, played by the events engine",
                       options.also.front(),
                       "leave it out with schedules, --signature and --evaluator windows or free");
  if (options.draws > 0 && (evaluator != Evaluator::free || sweeping || options.scenarios || options.csv))
    return wrong_usage("--monte-carlo is of --evaluator free and single what-ifs", options.trace,
                       "give --evaluator free, and no --sweep, --scenarios or --csv");
  if (evaluator != Evaluator::events && !sweeping && !stations && !options.csv && options.output.empty())
    return simulate_under_loggops(options, schedule, machine, what_ifs, evaluator);
  WW_TRY(const simulate::Opened opened, open(options, schedule, whole));
  const Replayable run{opened.program, opened.trace ? &*opened.trace : nullptr,
                       conditions ? &*conditions : nullptr};
  std::shared_ptr<const simulate::Cooling> cooling;
  if (opened.trace) {
    WW_TRY(cooling, compare_recordings(*opened.trace, options.also));
  }
  const Crew crew = crew_of_environment();
  if (options.signature)
    return simulate_signature(run, machine, what_ifs.front(),
                              {options.factors, options.every_rank, options.json}, threads_of(options, crew));
  // Of a crew the launcher ends all: a member that only noted its signal would go on waiting for the others.
  std::optional<interruption::Heed> heed;
  if (crew.size == 1) heed.emplace();
  const Cancellation cancellation(&interruption::requested);
  std::unique_ptr<PredictedRun> writing;
  if (!options.output.empty()) {
    WW_TRY(writing, PredictedRun::begin(options.output, options.force, *opened.trace));
  }
  std::vector<Prediction> predictions;
  if (!what_ifs.empty() && crew.number * sweeping == 0) {
    auto predicted = predict_all(run, machine, what_ifs,
                                 {.cooling = cooling,
                                  .explain = options.explain,
                                  .evaluator = evaluator,
                                  .threads = threads_of(options, crew),
                                  .interval = !options.no_interval,
                                  .observer = writing ? &writing->notes() : nullptr,
                                  .cancellation = &cancellation});
    if (!predicted && cancellation.requested()) return interrupted();
    WW_TRY(predictions, std::move(predicted));
  }
  if (writing) WW_CHECK(writing->publish(predictions.front()));
  for (Prediction& p : predictions) p.diagnostics = all_diagnostics(opened.program, p);
  if (sweeping) {
    auto swept = sweep_trace(options, run, machine, grid,
                             {.cooling = cooling, .evaluator = evaluator, .cancellation = &cancellation},
                             std::move(predictions));
    if (!swept && cancellation.requested()) return interrupted();
    return swept;
  }
  if (options.json) {
    nlohmann::json out = to_json(predictions.front());
    if (predictions.size() > 1)
      for (const Prediction& p : predictions) out["what_ifs"].push_back(to_json(p));
    if (stations) {
      WW_TRY(const Pop pop, pop_of(*opened.trace, machine));
      out["scenarios"] = scenarios_json(*opened.trace, compared, predictions);
      out["pop"] = {{"communication_efficiency", pop.communication_efficiency},
                    {"ideal_s", *pop.ideal_s},
                    {"serialisation", *pop.serialisation},
                    {"transfer", *pop.transfer}};
    }
    fmt::print("{}\n", json_text(out, 2));
  } else if (options.csv) {
    if (stations)
      fmt::print("{}", scenario_csv(*opened.trace, compared, predictions));
    else
      fmt::print("{}", prediction_csv(predictions));
  } else if (stations) {
    fmt::print("{}", show_self_check(predictions.front()));
    WW_TRY(const Pop pop, pop_of(*opened.trace, machine));
    fmt::print("\n{}\n",
               scenario_tables(*opened.trace, break_down(*opened.trace, &machine), compared, predictions));
    fmt::print("POP: on a network without cost the run takes {}: serialisation {:.3f}, transfer {:.3f}\n",
               show_time(*pop.ideal_s), *pop.serialisation, *pop.transfer);
    fmt::print("{}", show_assumptions(predictions));
  } else {
    std::string text = show_self_check(predictions.front());
    for (const Prediction& p : predictions) {
      text += show(p, opened.program);
      if (options.channels) text += show_channels(p);
    }
    fmt::print("{}", text + show_assumptions(predictions));
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
      "or machine=FILE (another machine's messages), network=NAME:KEY=VALUE (another way of joining the "
      "hosts),\n"
      "ranks-per-host=1 (of a run whose ranks were placed otherwise), joined by commas.\n"
      "Networks and their keys; link and rate as 10Gbit, hop and delay as 100ns:\n" +
      show_networks() +
      "--scenarios compares the recording machine, a faster wire, software cut by 90% and both, station by "
      "station.\n"
      "A sweep's cells are evaluated on all cores, and under a launcher (mpirun -n 8 --map-by node whatwire "
      "simulate ...)\n"
      "by all its processes, which must see TRACE; the results are the same in any number of them.\n"
      "With --evaluator free a sweep plays eight machines at a time: a thousand of a million events in "
      "seconds.\n"
      "-o writes the predicted run as a trace, which report, compare, export and simulate read like a "
      "recorded "
      "one;\n"
      "simulate PREDICTED.ww without --machine replays it on the machine that it was predicted for.\n"
      "With several what-ifs --json gives the first one's keys and all of them in \"what_ifs\".\n\n"
      "Example:  whatwire simulate app.ww --machine machine.json --what-if bandwidth=x10");
  auto options = std::make_shared<Options>();
  add_trace(*command, options->trace);
  add_model(
      *command, options->machine,
      "Model of the machine that recorded (whatwire measure), or a preset; a predicted run has its own");
  command->add_option("--what-if", options->what_ifs, "Another machine; may be given again")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--also", options->also,
          "Another recording of the same program, on a quicker or slower network (in shared memory, in "
          "a lab at another rate, dilated): shows how its computation depends on waiting; again for more")
      ->type_name("OTHER.ww")
      ->allow_extra_args(false);
  command->add_option("--network", options->network, "The same as network=NAME in every what-if")
      ->type_name("NAME");
  command
      ->add_option("--sweep", options->sweeps,
                   "One part of it from FIRST to LAST, as bandwidth=x1:x100:10 or latency=1us:100us:10, or a "
                   "list, as bandwidth=x1,x2,x10; again for a grid")
      ->type_name("PART=VALUES")
      ->allow_extra_args(false);
  command
      ->add_option("--threads", options->threads,
                   "That evaluate (default: all cores); of a schedule's replay (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  command
      ->add_option("-o,--output", options->output,
                   "Write the predicted run as a trace directory; an earlier one becomes NAME.old")
      ->type_name("PREDICTED.ww");
  add_force(*command, options->force);
  command->add_flag("--no-interval", options->no_interval,
                    "The prediction only, by one replay beside the self-check and not some twenty");
  command
      ->add_option("--evaluator", options->evaluator,
                   "What plays it: events on any network; windows, LogGOPS with every processor and card "
                   "serving one thing at a time; or free, LogGOPS with nothing in anything's way (default: "
                   "events, of a schedule on no network by name windows)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"events", "windows", "free"}).description(""));
  command
      ->add_option(
          "--monte-carlo", options->draws,
          "With --evaluator free: median and 95% of the time over N machines drawn within the model's "
          "intervals")
      ->type_name("N")
      ->check(CLI::Range(10, 1000000).description(""));
  command->add_option("--html", options->html, "The sweep as a page with its picture")->type_name("FILE");
  command->add_flag(
      "--scenarios", options->scenarios,
      "Today, a faster wire, software cut by 90%, and both, with where the stations' time goes");
  command->add_option("--faster-wire", options->faster_wire, "What --scenarios takes for the faster wire")
      ->type_name("SPEC")
      ->capture_default_str();
  command->add_flag(
      "--signature", options->signature,
      "What dilate would show: user time, communication, receive wait and send at each D, speed-up "
      "curve, verdict; the network (of the what-if) D times as fast, software as it is");
  add_factors(*command, "-D", options->factors, "Of --signature (default: 1,2,4,6,8,16)");
  command->add_flag("--ranks", options->every_rank, "Of --signature: every rank too");
  command->add_flag(
      "--explain", options->explain,
      "Without contention: what latency, the time a byte and software may grow to, how the time grows with "
      "each, piece by piece, and with the first two together, and what is on the longest chain");
  command->add_flag(
      "--channels", options->channels,
      "What went over each link of the network, and for how much of the time (--json has it always)");
  auto* json = add_json(*command, options->json);
  command->add_flag("--csv", options->csv, "One line a what-if, comma separated")->excludes(json);
  act(*command, chosen, options, simulate_trace);
}

}  // namespace ww::cli
