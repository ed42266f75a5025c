// whatwire doctor: what is installed, what is missing, what this kernel allows, and the remedy.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "lab/lab.hpp"

namespace ww::cli {
namespace {

struct Options {
  bool json = false;
};

enum class State { good, limited, missing };

struct Finding {
  std::string subject;
  State state;
  std::string found;   // what is there, or what its absence means
  std::string remedy;  // empty when good
};

const char* to_string(State state) {
  return state == State::good ? "ok" : state == State::limited ? "limited" : "missing";
}

std::string first_output_line(std::vector<std::string> command) {
  const auto finished = run({.arguments = std::move(command),
                             .output = Command::Output::capture,
                             .capture_errors = true,
                             .no_input = true,
                             .time_limit_s = 10});
  if (!finished || finished->exit_code != 0) return {};
  return finished->output.substr(0, finished->output.find('\n'));
}

Finding open_mpi() {
  for (const char* name : {"mpirun.openmpi", "mpirun", "orterun"}) {
    if (!find_program(name)) continue;
    const std::string version = first_output_line({name, "--version"});
    if (version.find("Open MPI") != std::string::npos || version.find("OpenRTE") != std::string::npos)
      return {"Open MPI", State::good, fmt::format("{} ({})", version, name), ""};
  }
  return {"Open MPI", State::missing, "no mpirun of Open MPI in PATH",
          "apt-get install openmpi-bin libopenmpi-dev"};
}

// Nobody needs both: its absence is no fault, but its programs cannot be started.
Finding mpich() {
  for (const char* name : {"mpirun.mpich", "mpiexec.hydra"})
    if (find_program(name))
      return {"MPICH", State::good, fmt::format("programs are started by {}", name), ""};
  return {"MPICH", State::limited, "no mpirun.mpich in PATH", "apt-get install mpich libmpich-dev"};
}

Finding part(const char* subject, const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return {subject, State::good, file.string(), ""};
  return {subject, State::missing, file.string() + " is not there",
          "build or install whatwire completely: scripts/setup.sh"};
}

Finding virtual_cluster() {
  if (const auto possible = lab::possible(); !possible)
    return {"lab", State::limited, possible.error().what + ": " + possible.error().where,
            possible.error().remedy};
  return {"lab", State::good, "virtual clusters can be made here: whatwire lab up", ""};
}

Finding clock() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("flags")) {
      if (line.find(" constant_tsc") != std::string::npos && line.find(" nonstop_tsc") != std::string::npos)
        return {"clock", State::good, "invariant time stamp counter", ""};
      return {"clock", State::limited,
              "the time stamp counter is not invariant; clock_gettime is used, which costs more",
              "nothing to do; times stay right, recording a call costs more"};
    }
  return {"clock", State::limited, "no time stamp counter known; clock_gettime is used",
          "nothing to do; times stay right, recording a call costs more"};
}

Finding cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return {"cores", allowed > 1 ? State::good : State::limited,
          fmt::format("{} usable: times of more busy ranks than that are disturbed", allowed),
          allowed > 1 ? "" : "use a machine with a core for each rank"};
}

}  // namespace

void add_doctor(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("doctor", "What is installed, what is missing, what this kernel allows");
  command->footer("Example:  whatwire doctor");
  auto options = std::make_shared<Options>();
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->callback([&chosen, options] {
    chosen.action = [options]() -> Result<int> {
      const std::vector<Finding> findings{open_mpi(),
                                          mpich(),
                                          part("recorder", preload_library("libwhatwire-openmpi.so")),
                                          part("recorder", preload_library("libwhatwire-mpich.so")),
                                          part("experiments", helper_program("ww-measure-openmpi")),
                                          part("experiments", helper_program("ww-measure-mpich")),
                                          part("lab switch", helper_program("ww-lab-switch")),
                                          part("lab's MPICH", preload_library("libwhatwire-lab-mpich.so")),
                                          virtual_cluster(),
                                          clock(),
                                          cores()};
      bool complete = true;
      nlohmann::json out = {{"checks", nlohmann::json::array()}};
      for (const Finding& f : findings) {
        complete = complete && f.state != State::missing;
        if (options->json)
          out["checks"].push_back({{"subject", f.subject},
                                   {"state", to_string(f.state)},
                                   {"found", f.found},
                                   {"remedy", f.remedy}});
        else
          fmt::print("{:<12} {:<8} {}{}\n", f.subject, to_string(f.state), f.found,
                     f.remedy.empty() ? "" : "\n" + std::string(22, ' ') + "-> " + f.remedy);
      }
      out["complete"] = complete;
      if (options->json) fmt::print("{}\n", out.dump(2));
      return complete ? 0 : 1;
    };
  });
}

}  // namespace ww::cli
