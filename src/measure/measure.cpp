#include "measure/measure.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "lab/lab.hpp"
#include "measure/fit.hpp"
#include "measure/samples.hpp"

namespace ww::measure {
namespace {

std::filesystem::path samples_beside(std::filesystem::path model) {
  model.replace_extension();
  return model.string() + ".samples.json";
}

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n -");
  if (end == std::string::npos) return "";
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

std::string how_it_ended(const Finished& finished) {
  if (finished.timed_out) return "it took far longer than its time budget and was stopped";
  if (finished.signal != 0) return fmt::format("signal {}", finished.signal);
  return fmt::format("exit code {}", finished.exit_code);
}

}  // namespace

Result<MachineModel> measure(const Options& options) {
  // Open MPI's behind a launcher that starts programs of either (srun).
  Mpi mpi = options.mpi;
  if (mpi == Mpi::unknown && !options.prefix.empty()) mpi = mpi_of_launcher(options.prefix.front());
  if (mpi == Mpi::unknown) mpi = Mpi::openmpi;
  const auto program = helper_program(fmt::format("ww-measure-{}", name_of(mpi)));
  if (!std::filesystem::exists(program))
    return fail("the experiments are not installed", program.string(),
                "build or install whatwire completely");
  Command command;
  command.arguments = options.prefix;
  for (const std::string& part :
       {program.string(), std::string("--budget"), fmt::format("{}", options.budget_s),
        std::string("--largest"), fmt::format("{}", options.largest_bytes)})
    command.arguments.push_back(part);
  if (options.show_progress) command.arguments.push_back("--progress");
  if (options.place) {
    WW_TRY(command.arguments, options.place(command.arguments));
  }
  command.output = Command::Output::capture;
  command.capture_errors = !options.show_progress;
  command.no_input = true;
  command.time_limit_s = 2 * options.budget_s + 60;
  const std::string launch = shell_quoted(options.prefix);
  WW_TRY(const Finished finished, run(command));

  Samples samples = parse_output(finished.output);
  for (const auto& [key, value] : options.environment.items()) samples.environment[key] = value;
  samples.environment["launch"] = launch;
  samples.environment["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  samples.environment["budget_s"] = options.budget_s;
  if (const auto problems = samples.of_kind("problem"); !problems.empty())
    return fail((*problems.front())["what"].get<std::string>(), launch,
                (*problems.front())["remedy"].get<std::string>());
  if (samples.records.empty()) {
    const std::string said = last_line(finished.errors);
    return fail(
        fmt::format("the experiments did not start ({}{}{})", how_it_ended(finished),
                    said.empty() ? "" : ", ", said),
        launch,
        fmt::format("give what comes before a program of {}, as in: whatwire measure -- mpirun.{} -n 2",
                    title_of(mpi), name_of(mpi)));
  }
  const auto samples_file = samples_beside(options.output);
  if (!samples.complete) {
    samples.environment["broke_off"] = how_it_ended(finished);
    WW_CHECK(save_samples(samples, samples_file));
    return fail(
        fmt::format("the experiments broke off ({})", how_it_ended(finished)), launch,
        fmt::format("what was measured until then is in {}; `whatwire machine fit` makes of it what it can",
                    samples_file.string()));
  }
  WW_CHECK(save_samples(samples, samples_file));
  WW_TRY(MachineModel model, fit_model(samples, samples_file.filename().string()));
  WW_CHECK(save_model(model, options.output));
  return model;
}

Result<void> place_on_lab(Options& options, const std::string& lab) {
  WW_TRY(const lab::Wire wire, lab::wire_of(lab));
  options.environment["lab"] = {
      {"name", lab}, {"rate_bytes_per_s", wire.rate_bytes_per_s}, {"delay_s", wire.delay_s}};
  options.place = [lab](std::vector<std::string> line) { return lab::launch_on(lab, std::move(line)); };
  return {};
}

}  // namespace ww::measure
