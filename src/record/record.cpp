#include "record/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <ctime>
#include <deque>
#include <fstream>

#include "base/files.hpp"
#include "interpose/core/environment.hpp"
#include "lab/lab.hpp"
#include "trace/trace.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

bool is_trace_directory(const fs::path& dir) {
  return fs::exists(dir / "run.json") || fs::exists(dir / "traces.otf2") || fs::exists(dir / "spool");
}

// An older trace is replaced; anything else is left alone.
Result<void> prepare_directory(const fs::path& dir) {
  std::error_code error;
  if (fs::exists(dir) && !fs::is_directory(dir))
    return fail("cannot record into " + dir.string(), "it is a file", "choose another name with -o");
  if (fs::is_directory(dir) && !fs::is_empty(dir) && !is_trace_directory(dir))
    return fail("cannot record into " + dir.string(), "it holds other files", "choose another name with -o");
  for (const char* part : {"spool", "traces"}) fs::remove_all(dir / part, error);
  for (const char* part : {"run.json", "traces.otf2", "traces.def"}) fs::remove(dir / part, error);
  fs::create_directories(dir / "spool", error);
  if (error) return fail("cannot make " + (dir / "spool").string(), error.message());
  return {};
}

bool holds_spools(const fs::path& spool) {
  for (const auto& entry : fs::directory_iterator(spool))
    if (entry.path().extension() == ".spool") return true;
  return false;
}

nlohmann::json host_facts() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  nlohmann::json facts = {{"name", name}, {"processors", sysconf(_SC_NPROCESSORS_ONLN)}};
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) facts["usable_processors"] = CPU_COUNT(&set);
  double load = 0;
  if (getloadavg(&load, 1) == 1) facts["load_before"] = load;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) {
      facts["cpu"] = line.substr(line.find(':') + 2);
      break;
    }
  return facts;
}

Result<Finished> start(const std::vector<std::string>& line, const RecordOptions& options) {
  Command command{
      .arguments = line, .output = options.output, .end_when_interrupted = !options.keep_interrupted};
  if (!options.output_file.empty())
    command.arguments = {"/bin/sh", "-c",
                         "exec " + shell_quoted(line) + " >" + shell_quoted({options.output_file}) + " 2>&1"};
  return run(command);
}

}  // namespace

std::string what_it_printed(const fs::path& output_file, const std::string& otherwise) {
  constexpr std::size_t most_lines = 20;
  std::deque<std::string> last;
  bool more = false;
  std::ifstream file(output_file);
  for (std::string line; !output_file.empty() && std::getline(file, line);) {
    if (line.find_first_not_of(" -\t\r") == std::string::npos) continue;
    last.push_back(std::move(line));
    if (last.size() <= most_lines) continue;
    last.pop_front();
    more = true;
  }
  if (last.empty()) return otherwise;
  return fmt::format("it printed{} ({}):\n  {}", more ? " at last" : "", output_file.string(),
                     fmt::join(last, "\n  "));
}

fs::path default_trace_directory(const Launch& launch) {
  return launch.name() + ".ww";
}

Result<Recorded> record(const Launch& launch, const RecordOptions& options) {
  // Open MPI's when only the running program will tell. A program of another MPI is left alone then and notes
  // it.
  const Mpi mpi = launch.mpi == Mpi::unknown ? Mpi::openmpi : launch.mpi;
  const fs::path library = preload_library(fmt::format("libwhatwire-{}.so", name_of(mpi)));
  if (!fs::exists(library))
    return fail("the recorder is not installed", library.string(), "build and install whatwire completely");
  WW_TRY(const Variables selection, variables_of(options.selection, library));
  Recorded recorded;
  recorded.directory = fs::absolute(options.directory).lexically_normal();
  const bool existed = fs::exists(recorded.directory);
  WW_CHECK(prepare_directory(recorded.directory));
  const fs::path spool = recorded.directory / "spool";
  const auto nothing_left = [&] {
    std::error_code ignored;
    existed ? fs::remove_all(spool, ignored) : fs::remove_all(recorded.directory, ignored);
  };

  std::string preload = library.string();
  if (const char* already = getenv("LD_PRELOAD"); already != nullptr && *already != '\0')
    preload += std::string(":") + already;
  Variables variables = options.environment;
  variables.insert(variables.end(), selection.begin(), selection.end());
  variables.emplace_back("LD_PRELOAD", preload);
  variables.emplace_back(environment::spool_dir, spool.string());
  std::vector<std::string> line = launch.with_environment(variables);
  if (options.lab) {
    auto on_lab = lab::launch_on(*options.lab, std::move(line));
    if (!on_lab) {
      nothing_left();
      return tl::unexpected(on_lab.error());
    }
    line = *std::move(on_lab);
  }
  nlohmann::json facts = {{"launch", launch.line},
                          {"started", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
                          {"machine", host_facts()},
                          {"environment", nlohmann::json::object()}};
  for (const auto* given : {&options.environment, &selection})
    for (const auto& [name, value] : *given) facts["environment"][name] = value;
  if (options.lab) {
    facts["lab"] = *options.lab;
    if (const auto wire = lab::wire_of(*options.lab))
      facts["wire"] = {{"rate_bytes_per_s", wire->rate_bytes_per_s}, {"delay_s", wire->delay_s}};
  }

  const auto finished = start(line, options);
  if (!finished) {
    nothing_left();
    return tl::unexpected(finished.error());
  }
  recorded.exit_code = finished->exit_code;
  recorded.wall_s = finished->elapsed_s;
  recorded.interrupted = finished->interrupted;
  facts["exit_code"] = recorded.exit_code;
  facts["wall_s"] = recorded.wall_s;
  auto other_mpi = read_file(spool / environment::other_mpi_file);
  if (other_mpi && other_mpi->starts_with("MPICH")) other_mpi = "MPICH";  // "MPICH Version:      4.0.2"
  if (!holds_spools(spool)) {
    nothing_left();
    if (other_mpi)
      return fail(
          fmt::format("the program uses {}, but the recorder of {} was loaded", *other_mpi, title_of(mpi)),
          shell_quoted(launch.line),
          "start it with mpirun.openmpi or mpirun.mpich, whichever it was built with");
    if (recorded.interrupted)
      return fail("interrupted before the program entered MPI_Init", shell_quoted(launch.line),
                  "nothing was recorded");
    if (recorded.exit_code != 0)
      return fail(
          fmt::format("the program ended with exit code {} before it entered MPI_Init", recorded.exit_code),
          shell_quoted(launch.line), what_it_printed(options.output_file, "run it without whatwire first"));
    return fail("the program never called MPI_Init", shell_quoted(launch.line),
                "name a program of Open MPI or MPICH that is linked dynamically");
  }
  Diagnostics seen;  // in the trace too, so that every report says it
  if (other_mpi)
    seen.add("other-mpi", Severity::data_loss,
             fmt::format("some processes use {} and were not recorded", *other_mpi) +
                 "; record the programs of each MPI by themselves");
  if (recorded.interrupted)
    seen.add("interrupted", Severity::warning,
             "the run was interrupted (SIGINT or SIGTERM); the trace holds what it did until then");
  else if (recorded.exit_code != 0)
    seen.add("program-failed", Severity::warning,
             "the program itself ended with an error; the trace holds what it did until then");
  facts["diagnostics"] = seen;
  WW_TRY(recorded.diagnostics, unify(recorded.directory, std::move(facts)));
  return recorded;
}

}  // namespace ww
