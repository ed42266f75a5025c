#include "record/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/disturbance.hpp"
#include "base/files.hpp"
#include "base/tcp_stalls.hpp"
#include "interpose/core/environment.hpp"
#include "lab/lab.hpp"
#include "record/not_recorded.hpp"
#include "record/own_daemons.hpp"
#include "record/remaining_tasks.hpp"
#include "record/unseen_programs.hpp"
#include "trace/archive_entries.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"
#include "trace/trace.hpp"
#include "trace/unify.hpp"

namespace ww {
namespace fs = std::filesystem;
namespace {

// In the spool, and for a program that is spawned: "/world-123456/rank-1048575.thread-4095.spool".
constexpr std::size_t longest_file_name = 64;

// The library composes paths in buffers of this size.
Result<void> check_length(const fs::path& dir) {
  constexpr std::size_t most = PATH_MAX - longest_file_name - std::string_view("/spool").size() - 1;
  if (dir.string().size() <= most) return {};
  return fail("the path of the trace is too long", dir.string(),
              fmt::format("name a place with at most {} characters with -o", most));
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

// All of them but what is long (interpose/pvm/passed_costs.hpp), and what the user has exported already.
std::string names_to_export(const Library& library, const Variables& variables) {
  std::string names;
  if (const char* already = getenv(library.exported_by)) names = already;
  for (const auto& [name, value] : variables)
    if (std::find(std::begin(environment::costs), std::end(environment::costs), name) ==
        std::end(environment::costs))
      names += (names.empty() ? "" : ":") + name;
  return names;
}

Result<lab::OfDaemons> of_daemons(const Library& library, const RecordOptions& options,
                                  const fs::path& spool) {
  if (!options.daemons || *library.daemon == '\0') return lab::OfDaemons{};
  const fs::path recorder = preload_library(fmt::format("libwhatwire-{}.so", library.daemon));
  if (!fs::exists(recorder))
    return fail("the recorder is not installed", recorder.string(), "build and install whatwire completely");
  return lab::OfDaemons{recorder, {{environment::daemon_spool_dir, spool.string()}}};
}

// What a lab's switch has used so far, which is no other program's load.
std::optional<double> switch_cpu_s(const std::optional<lab::LabName>& name) {
  if (!name) return {};
  const auto status = lab::status(*name);
  if (!status || !status->contains("switch")) return {};
  return status->at("switch").value("cpu_s", 0.0);
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
  return fmt::format("it printed{}:\n  {}", more ? " at last" : "", fmt::join(last, "\n  "));
}

std::string what_may_help(int exit_code, bool shown) {
  constexpr int not_found = 127, not_executable = 126, by_signal = 128;
  if (exit_code == not_found || exit_code == not_executable)
    return "a program that the line starts was not found where it is to run; check paths, PATH and "
           "LD_LIBRARY_PATH";
  if (exit_code > by_signal)
    return fmt::format(
        "signal {} ({}): run it without whatwire; if it ends so there too, it is the program's own",
        exit_code - by_signal, strsignal(exit_code - by_signal));
  return shown ? "see what it printed, above" : "it printed nothing; see whether it does so without whatwire";
}

fs::path default_trace_directory(const Launch& launch) {
  return launch.name() + ".ww";
}

Result<Recorded> record(const Launch& launch, const RecordOptions& options) {
  // Open MPI's when only the running program will tell. A program of another MPI is left alone then and notes
  // it.
  const Library& of = launch.library != nullptr ? *launch.library : default_library();
  const fs::path library = preload_library(fmt::format("libwhatwire-{}.so", of.name));
  if (!fs::exists(library))
    return fail("the recorder is not installed", library.string(), "build and install whatwire completely");
  WW_TRY(const Variables selection, variables_of(options.selection, library));
  if (!options.daemons_dir.empty()) WW_CHECK(check_daemons(options.daemons_dir));
  WW_CHECK(check_length(fs::absolute(options.directory).lexically_normal()));
  WW_TRY(auto result, owned::NewResult::begin(options.directory, trace_kind, options.previous));
  Recorded recorded;
  recorded.directory = result.name();
  const fs::path spool = result.directory() / "spool";

  std::string preload = library.string();
  if (const char* already = getenv("LD_PRELOAD"); already != nullptr && *already != '\0')
    preload += std::string(":") + already;
  Variables variables = options.environment;
  variables.insert(variables.end(), selection.begin(), selection.end());
  variables.emplace_back("LD_PRELOAD", preload);
  variables.emplace_back(environment::spool_dir, spool.string());
  if (of.exported_by != nullptr) variables.emplace_back(of.exported_by, names_to_export(of, variables));
  std::vector<std::string> line = launch.with_environment(variables);
  if (options.lab) {
    WW_TRY(const lab::OfDaemons daemons, of_daemons(of, options, spool));
    WW_TRY(line, change_launcher(line, [&](std::vector<std::string> launched) {
             return lab::launch_on(*options.lab, std::move(launched), daemons);
           }));
  }
  nlohmann::json facts = {{"launch", launch.line},
                          {"started", fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)))},
                          {"machine", host_facts()},
                          {"environment", nlohmann::json::object()}};
  for (const auto* given : {&options.environment, &selection})
    for (const auto& [name, value] : *given) facts["environment"][name] = value;
  if (options.lab) {
    facts["lab"] = options.lab->text();
    if (const auto wire = lab::wire_of(*options.lab)) facts["wire"] = *wire;
  }

  WW_TRY(auto recording, Recording::begin(result.directory(), facts));
  const std::optional<double> lab_before_s = switch_cpu_s(options.lab);
  const MachineUse before = machine_use_now();
  WW_TRY(const Finished finished, start(line, options));
  constexpr double patience_s = 5;  // with tasks that others than the program's own processes started
  const bool all_ended = of.exported_by == nullptr || wait_for_tasks(spool, of, patience_s);
  facts["machine"]["use"] = use_between(before, machine_use_now());
  if (const std::optional<double> lab_after_s = switch_cpu_s(options.lab); lab_before_s && lab_after_s)
    facts["machine"]["use"]["lab_s"] = *lab_after_s - *lab_before_s;
  recorded.exit_code = finished.exit_code;
  recorded.wall_s = finished.elapsed_s;
  recorded.interrupted = finished.interrupted;
  facts["exit_code"] = recorded.exit_code;
  facts["wall_s"] = recorded.wall_s;
  auto other_mpi = read_file(spool / environment::other_mpi_file);
  if (other_mpi) {
    other_mpi->resize(std::min(other_mpi->find('\n'), other_mpi->size()));  // each process notes it
    if (const Library* other = library_of_version(*other_mpi)) other_mpi = other->title;
  }
  if (!has_spool(result.directory())) {
    result.leave();
    return fail("the trace directory was removed or replaced while the program ran",
                result.directory().string(), "record again, and leave it alone until then");
  }
  const std::optional<Error> unseen = unseen_programs(spool);
  if (!holds_records(spool) && unseen) return tl::unexpected(*unseen);
  if (!holds_records(spool))
    return tl::unexpected(why_not_recorded(
        {spool, shell_quoted(launch.line),
         what_it_printed(options.output_file, what_may_help(recorded.exit_code, options.output_file.empty())),
         &of, other_mpi ? std::optional(*other_mpi) : std::nullopt, recorded.exit_code,
         recorded.interrupted}));
  Diagnostics seen;  // in the trace too, so that every report says it
  if (!all_ended) seen.add("tasks-go-on");
  if (unseen)
    seen.add("static-not-recorded", fmt::format("{}: {}; {}", unseen->where, unseen->what, unseen->remedy));
  if (other_mpi)
    seen.add("other-mpi", fmt::format("some processes use {} and were not recorded", *other_mpi) +
                              "; record the programs of each MPI by themselves");
  if (recorded.interrupted)
    seen.add("interrupted",
             "the run was interrupted (SIGINT or SIGTERM); the trace holds what it did until then");
  else if (recorded.exit_code != 0)
    seen.add("program-failed");
  facts["diagnostics"] = seen;
  if (!options.daemons_dir.empty()) WW_CHECK(copy_daemons(options.daemons_dir, spool));
  recording.end(facts);
  auto unified = unify(result.directory(), std::move(facts));
  if (!unified) {
    result.leave();
    Error& error = unified.error();
    error.remedy +=
        fmt::format("{}what was recorded is in {}: whatwire unify {}", error.remedy.empty() ? "" : "; ",
                    result.directory().string(), shell_quoted({result.directory().string()}));
    return tl::unexpected(std::move(error));
  }
  recorded.diagnostics = *std::move(unified);
  const RunRecord run = run_from_json(read_run(result.directory()));
  recorded.diagnostics.merge(disturbance_of(run));
  recorded.diagnostics.merge(lack_of_cores_in(run));
  recorded.diagnostics.merge(tcp_stalls_in(run));
  WW_TRY(recorded.said, result.publish());
  return recorded;
}

}  // namespace ww
