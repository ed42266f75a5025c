// What is there: launchers, and whatwire's own parts.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/subprocess.hpp"
#include "doctor/checks.hpp"

namespace ww::doctor {
namespace {

std::string first_output_line(std::vector<std::string> command) {
  const auto finished = run({.arguments = std::move(command),
                             .output = Command::Output::capture,
                             .capture_errors = true,
                             .no_input = true,
                             .time_limit_s = 10});
  if (!finished || finished->exit_code != 0) return {};
  return finished->output.substr(0, finished->output.find('\n'));
}

Finding part(const char* subject, const std::filesystem::path& file) {
  if (std::filesystem::exists(file)) return {subject, State::good, file.string(), ""};
  return {subject, State::missing, file.string() + " is not there",
          "build or install whatwire completely: scripts/setup.sh"};
}

}  // namespace

Finding open_mpi(Installation& found) {
  for (const char* name : {"mpirun.openmpi", "mpirun", "orterun"}) {
    if (!find_program(name)) continue;
    const std::string version = first_output_line({name, "--version"});
    if (version.find("Open MPI") == std::string::npos && version.find("OpenRTE") == std::string::npos)
      continue;
    found.launcher = name;
    return {"Open MPI", State::good, fmt::format("{} ({})", version, name), ""};
  }
  return {"Open MPI", State::missing, "no mpirun of Open MPI in PATH",
          "apt-get install openmpi-bin libopenmpi-dev"};
}

// Nobody needs both: its absence is no fault, but its programs cannot be started.
Finding mpich(Installation& found) {
  for (const char* name : {"mpirun.mpich", "mpiexec.hydra"}) {
    if (!find_program(name)) continue;
    found.launcher = name;
    return {"MPICH", State::good, fmt::format("programs are started by {}", name), ""};
  }
  return {"MPICH", State::limited, "no mpirun.mpich in PATH", "apt-get install mpich libmpich-dev"};
}

std::vector<Finding> parts() {
  return {part("recorder", preload_library("libwhatwire-openmpi.so")),
          part("recorder", preload_library("libwhatwire-mpich.so")),
          part("experiments", helper_program("ww-measure-openmpi")),
          part("experiments", helper_program("ww-measure-mpich")),
          part("lab switch", helper_program("ww-lab-switch")),
          part("lab's MPICH", preload_library("libwhatwire-lab-mpich.so"))};
}

}  // namespace ww::doctor
