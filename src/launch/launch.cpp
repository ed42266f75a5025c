#include "launch/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/subprocess.hpp"
#include "launch/elf.hpp"

namespace ww {
namespace {

using Words = std::vector<std::string>;

bool is_launcher(const std::string& word) {
  static const Words names{
      "mpirun",       "mpiexec",       "orterun",       "mpirun.openmpi", "mpiexec.openmpi",
      "mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "srun",           "prterun",
      "prun"};
  return std::find(names.begin(), names.end(), std::filesystem::path(word).filename().string()) !=
         names.end();
}

// How many words behind a launcher's option belong to it. Open MPI's mpirun(1), MPICH's Hydra and srun(1);
// what is not listed takes one if the word behind it is not an option and is no program.
int option_words(const std::string& option) {
  static const Words two{"--mca", "-mca", "--gmca", "-gmca", "--pmixmca", "--prtemca", "--omca"};
  static const Words one{"-n",
                         "-np",
                         "--np",
                         "-c",
                         "-H",
                         "-host",
                         "--host",
                         "-hostfile",
                         "--hostfile",
                         "-machinefile",
                         "--machinefile",
                         "-x",
                         "--map-by",
                         "-map-by",
                         "--bind-to",
                         "-bind-to",
                         "--rank-by",
                         "-rank-by",
                         "-wdir",
                         "--wdir",
                         "-wd",
                         "--wd",
                         "-path",
                         "--path",
                         "--prefix",
                         "-N",
                         "-npernode",
                         "--npernode",
                         "-npersocket",
                         "--npersocket",
                         "--output-filename",
                         "-output-filename",
                         "--app",
                         "--rankfile",
                         "-rf",
                         "--cpu-set",
                         "--slot-list",
                         "-p",
                         "-t",
                         "-w",
                         "-iface",
                         "-launcher",
                         "-launcher-exec",
                         "-f",
                         "-hosts",
                         "-envlist",
                         "-genvlist",
                         "-prepend-pattern",
                         "-outfile-pattern",
                         "-errfile-pattern",
                         "-rmk",
                         "-usize",
                         "-ppn",
                         "--mpi",
                         "--ntasks",
                         "--nodes",
                         "--partition",
                         "--time",
                         "--nodelist",
                         "--cpus-per-task"};
  if (std::find(two.begin(), two.end(), option) != two.end() || option == "-env" || option == "-genv")
    return 2;
  if (std::find(one.begin(), one.end(), option) != one.end()) return 1;
  return 0;
}

// The first word from `at` on that is no option of the launcher and no value of one.
std::size_t program_at(const Words& line, std::size_t at) {
  while (at < line.size()) {
    const std::string& word = line[at];
    if (word == ":") return line.size();
    if (word.empty() || word.front() != '-') return at;
    at += 1 + static_cast<std::size_t>(option_words(word));
  }
  return line.size();
}

// "/usr/bin/env A=1 ./app", "nice -n 5 ./app" and the like start the program behind them; env is the common
// one.
std::size_t behind_env(const Words& line, std::size_t at) {
  if (at >= line.size() || std::filesystem::path(line[at]).filename() != "env") return at;
  std::size_t next = at + 1;
  while (next < line.size() && (line[next].find('=') != std::string::npos || line[next].starts_with("-"))) {
    if (line[next] == "-u") ++next;
    ++next;
  }
  return next < line.size() ? next : at;
}

bool needs(const Executable& program, std::string_view library) {
  const auto matches = [&](const std::string& name) { return name.starts_with(library); };
  return std::any_of(program.libraries.begin(), program.libraries.end(), matches) ||
         std::any_of(program.missing_libraries.begin(), program.missing_libraries.end(), matches);
}

// Can the recorder be loaded into it, and which? unknown: that shows only at run time.
Result<Mpi> check_program(const std::string& word) {
  const auto path = find_program(word);
  if (!path) {
    const bool exists = std::filesystem::exists(word);
    return fail(
        exists ? "not an executable file" : "no such program", word,
        exists ? "make it executable: chmod +x " + word : "check the path behind the launcher's options");
  }
  WW_TRY(const Executable program, inspect_executable(*path));
  if (program.kind == Executable::Kind::static_program)
    return fail("a static program cannot be recorded", word,
                "link it dynamically (without -static), so that the recorder can be preloaded");
  const bool open_mpi = needs(program, "libmpi.so.40"), mpich = needs(program, "libmpich.so.12");
  if (open_mpi && mpich)
    return fail(
        "linked to both Open MPI and MPICH", word,
        "build it and the libraries that it needs with one of them (ldd shows which library brings which)");
  if (!open_mpi && !mpich && (needs(program, "libmpi.so") || needs(program, "libmpich.so")))
    return fail("linked to an MPI that is not known here", word,
                "build it with Open MPI 4 or MPICH 4: mpicc.openmpi, mpicc.mpich");
  if (!program.missing_libraries.empty())
    return fail(fmt::format("needs {}, which is not found", program.missing_libraries.front()), word,
                "set LD_LIBRARY_PATH or install it");
  return open_mpi ? Mpi::openmpi : mpich ? Mpi::mpich : Mpi::unknown;
}

}  // namespace

Words Launch::prefix() const {
  return Words(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(programs.front()));
}

Words Launch::with_environment(const std::vector<std::pair<std::string, std::string>>& variables) const {
  Words words;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (std::find(programs.begin(), programs.end(), i) != programs.end() && !variables.empty()) {
      words.push_back("/usr/bin/env");
      for (const auto& [name, value] : variables) words.push_back(fmt::format("{}={}", name, value));
    }
    words.push_back(line[i]);
  }
  return words;
}

Result<Launch> understand(const Words& line) {
  if (line.empty())
    return wrong_usage("nothing to run", "", "put the launch line behind --, as in: -- mpirun -n 4 ./app");
  Launch launch;
  launch.line = line;
  if (!is_launcher(line[0])) {
    launch.programs = {behind_env(line, 0)};
  } else {
    if (!find_program(line[0]))
      return fail("no such launcher", line[0], "install it: apt-get install openmpi-bin, or mpich");
    for (std::size_t at = 1;;) {
      const std::size_t program = behind_env(line, program_at(line, at));
      if (program >= line.size())
        return wrong_usage("no program in the launch line", shell_quoted(line),
                           "name the program behind the launcher's options: mpirun -n 4 ./app");
      launch.programs.push_back(program);
      const auto next = std::find(line.begin() + static_cast<std::ptrdiff_t>(program), line.end(), ":");
      if (next == line.end()) break;
      at = static_cast<std::size_t>(next - line.begin()) + 1;
    }
  }
  for (std::size_t at : launch.programs) {
    WW_TRY(const Mpi mpi, check_program(line[at]));
    if (mpi == Mpi::unknown) continue;
    if (launch.mpi != Mpi::unknown && launch.mpi != mpi)
      return fail(
          fmt::format("programs of {} and {} in one launch line", title_of(launch.mpi), title_of(mpi)),
          line[at], "build them with the same MPI");
    launch.mpi = mpi;
  }
  const Mpi of_launcher = is_launcher(line[0]) ? mpi_of_launcher(line[0]) : Mpi::unknown;
  if (launch.mpi == Mpi::unknown) launch.mpi = of_launcher;
  if (of_launcher != Mpi::unknown && of_launcher != launch.mpi)
    return fail(fmt::format("linked to {}, but {} starts programs of {}", title_of(launch.mpi), line[0],
                            title_of(of_launcher)),
                launch.program(), fmt::format("start it with mpirun.{}", name_of(launch.mpi)));
  return launch;
}

}  // namespace ww
