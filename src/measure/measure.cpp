#include "measure/measure.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>

#include "base/files.hpp"
#include "base/kept_file.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "lab/lab.hpp"
#include "launch/launch.hpp"
#include "launch/which.hpp"
#include "measure/fit.hpp"
#include "measure/samples.hpp"

namespace ww::measure {
namespace {

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n -");
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

std::string how_it_ended(const Finished& finished) {
  if (finished.interrupted) return "interrupted";
  if (finished.timed_out) return "it took far longer than its time budget and was stopped";
  if (finished.signal != 0) return fmt::format("signal {}", finished.signal);
  return fmt::format("exit code {}", finished.exit_code);
}

// The first launch runs every experiment; later ones repeat the ping-pong, since what a launch happens to get
// (memory, ports, the mood of the host) moves all its times alike and no number of samples of one launch
// shows it.
constexpr int later_launches = 4;
constexpr double later_share = 0.06;   // of the budget, each
constexpr double most_starting = 0.4;  // of the budget, all starts of later launches together

struct Launch {
  std::filesystem::path program;
  double budget_s = 0;
  int number = 0;
  std::uint64_t seed = 0;
  std::map<std::string, std::string> known;  // options that say what the first launch found
};

struct Launched {
  Finished finished;
  Samples samples;
  double elapsed_s = 0;
};

Result<Launched> run_launch(const MeasureOptions& options, const Launch& launch) {
  Command command;
  command.arguments = {launch.program.string()};
  const auto add = [&](const std::string& name, const std::string& value) {
    command.arguments.push_back(name);
    command.arguments.push_back(value);
  };
  add("--budget", fmt::format("{}", launch.budget_s));
  add("--largest", fmt::format("{}", options.largest_bytes));
  add("--launch", fmt::format("{}", launch.number));
  add("--seed", fmt::format("{}", launch.seed));
  for (const auto& [option, value] : launch.known) add(option, value);
  if (options.quick) command.arguments.push_back("--quick");
  if (options.stop == StopAt::mean) command.arguments.push_back("--stop-at-mean");
  if (options.direct_route) command.arguments.push_back("--direct-route");
  if (options.show_progress) command.arguments.push_back("--progress");
  if (options.line)
    command.arguments = options.line(command.arguments);
  else
    command.arguments.insert(command.arguments.begin(), options.prefix.begin(), options.prefix.end());
  if (options.place) {
    WW_TRY(command.arguments, options.place(command.arguments));
  }
  command.output = Command::Output::capture;
  command.capture_errors = !options.show_progress;
  command.no_input = true;
  command.time_limit_s = 2 * launch.budget_s + 60;
  command.end_when_interrupted = false;  // what was measured until then counts
  const auto begin = std::chrono::steady_clock::now();
  Launched launched;
  WW_TRY(launched.finished, run(command));
  launched.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  launched.samples = parse_output(launched.finished.output);
  return launched;
}

std::map<std::string, std::string> what_is_known(const Samples& first) {
  std::map<std::string, std::string> known;
  for (const auto* record : first.of_kind("eager-threshold"))
    if ((*record)["threshold_bytes"].is_number())
      known[fmt::format("--eager-{}", (*record)["between"].get<std::string>())] =
          fmt::format("{}", (*record)["threshold_bytes"].get<std::int64_t>());
  for (const auto* record : first.of_kind("pingpong")) {
    std::string& list = known[fmt::format("--{}-{}", record->value("check", false) ? "checks" : "sizes",
                                          (*record)["between"].get<std::string>())];
    list += fmt::format("{}{}", list.empty() ? "" : ",", (*record)["bytes"].get<std::int64_t>());
  }
  return known;
}

std::string how_to_start(const Library& library) {
  if (library.starts_itself())
    return fmt::format("{} must run on this host, or name a lab (--lab), which has its own", library.daemon);
  return fmt::format("give what comes before a program of {}, as in: whatwire measure -- {} -n 2",
                     library.title, split_words(library.launchers).front());
}

Result<void> keep(const std::filesystem::path& file, const Say& say,
                  const std::function<bool(const std::filesystem::path&)>& ours) {
  WW_TRY(const auto said, keep_previous_file(file, ours));
  if (say)
    for (const std::string& line : said) say(line);
  return {};
}

}  // namespace

Result<void> keep_previous_samples(const std::filesystem::path& file, const Say& say) {
  return keep(file, say,
              [](const std::filesystem::path& old) { return load_samples(old.string()).has_value(); });
}

Result<void> keep_previous_model(const std::filesystem::path& file, const Say& say) {
  return keep(file, say,
              [](const std::filesystem::path& old) { return load_model(old.string()).has_value(); });
}

Result<MachineModel> measure(const MeasureOptions& options) {
  // Open MPI's behind a launcher that starts programs of either (srun).
  const Library* library = options.library;
  if (library == nullptr && !options.prefix.empty())
    library = library_of_launcher(options.prefix[launcher_in(options.prefix)]);
  if (library == nullptr) library = &default_library();
  const auto program = helper_program(fmt::format("ww-measure-{}", library->name));
  if (!std::filesystem::exists(program))
    return fail("the experiments are not installed", program.string(),
                "build or install whatwire completely");
  const std::string launch = shell_quoted(options.prefix);
  const auto samples_file = samples_beside(options.output);
  if (is_stream(options.output))
    return fail("a model needs a file", options.output.string(),
                "its samples go beside it; use --json to see it");
  WW_CHECK(check_output_file(options.output));
  WW_CHECK(check_output_file(samples_file));
  const std::time_t now = std::time(nullptr);
  Samples samples;
  samples.environment = options.environment;
  samples.environment["launch"] = launch;
  samples.environment["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  samples.environment["budget_s"] = options.budget_s;
  samples.environment["stop"] = options.stop == StopAt::mean ? "mean" : "median";

  Launch one;
  one.program = program;
  one.budget_s = options.budget_s * (1 - later_launches * later_share);
  int launches = 1 + later_launches;
  for (int k = 0; k < launches; ++k) {
    one.number = k;
    one.seed = static_cast<std::uint64_t>(now) * 16 + static_cast<std::uint64_t>(k);
    WW_TRY(const Launched launched, run_launch(options, one));
    const Samples& got = launched.samples;
    if (got.environment.contains("damaged_records"))
      samples.environment["damaged_records"] =
          samples.environment.value("damaged_records", 0) + got.environment["damaged_records"].get<int>();
    samples.records.insert(samples.records.end(), got.records.begin(), got.records.end());
    if (const auto problems = got.of_kind("problem"); !problems.empty())
      return fail((*problems.front())["what"].get<std::string>(), launch,
                  (*problems.front())["remedy"].get<std::string>());
    const std::string ended = how_it_ended(launched.finished);
    if (samples.records.empty() && launched.finished.interrupted)
      return fail("interrupted", "", "nothing was measured until then");
    if (samples.records.empty()) {
      const std::string said = last_line(launched.finished.errors);
      return fail(
          fmt::format("the experiments did not start ({}{}{})", ended, said.empty() ? "" : ", ", said),
          launch, how_to_start(*library));
    }
    if (!got.complete) {
      samples.environment["broke_off"] = ended;
      WW_CHECK(keep_previous_samples(samples_file, options.say));
      WW_CHECK(save_samples(samples, samples_file));
      return fail(
          fmt::format("the experiments broke off ({})", ended), launch,
          fmt::format("what was measured until then is in {}; `whatwire machine fit` makes of it what it can",
                      samples_file.string()));
    }
    if (k > 0) continue;
    // Where starting takes long (a batch system), fewer launches.
    const double starting_s = std::max(1e-3, launched.elapsed_s - got.elapsed_s);
    launches =
        1 + std::clamp(static_cast<int>(most_starting * options.budget_s / starting_s), 0, later_launches);
    one.budget_s = options.budget_s * later_share - (options.quick ? 0.5 * starting_s : 0);
    one.budget_s = std::max(one.budget_s, options.budget_s * later_share / 2);
    one.known = what_is_known(got);
  }
  samples.complete = true;
  samples.environment["launches"] = launches;
  if (options.finish) options.finish(samples.environment);
  WW_CHECK(keep_previous_samples(samples_file, options.say));
  WW_CHECK(save_samples(samples, samples_file));
  WW_TRY(MachineModel model, fit_model(samples, samples_file.filename().string()));
  WW_CHECK(keep_previous_model(options.output, options.say));
  WW_CHECK(save_model(model, options.output));
  return model;
}

Result<void> place_on_lab(MeasureOptions& options, const lab::LabName& lab) {
  WW_TRY(const lab::SwitchWire wire, lab::wire_of(lab));
  options.environment["lab"] = wire;
  options.environment["lab"]["name"] = lab.text();
  options.finish = [lab](nlohmann::json& environment) {
    const auto state = lab::status(lab);
    if (state && (*state)["switch"].contains("late_us"))
      environment["lab"]["late_us"] = (*state)["switch"]["late_us"];
  };
  options.place = [lab](const std::vector<std::string>& line) {
    return change_launcher(
        line, [&](std::vector<std::string> launch) { return lab::launch_on(lab, std::move(launch)); });
  };
  return {};
}

}  // namespace ww::measure
