#include "base/mpi.hpp"

#include <filesystem>
#include <map>

#include "base/subprocess.hpp"

namespace ww {
namespace fs = std::filesystem;

const char* name_of(Mpi mpi) {
  return mpi == Mpi::openmpi ? "openmpi" : mpi == Mpi::mpich ? "mpich" : "unknown";
}

const char* title_of(Mpi mpi) {
  return mpi == Mpi::openmpi ? "Open MPI" : mpi == Mpi::mpich ? "MPICH" : "an MPI that is not known here";
}

Mpi mpi_of_launcher(const std::string& launcher) {
  static const std::map<std::string, Mpi> names{
      {"orterun", Mpi::openmpi},        {"prterun", Mpi::openmpi},         {"prun", Mpi::openmpi},
      {"mpirun.openmpi", Mpi::openmpi}, {"mpiexec.openmpi", Mpi::openmpi}, {"mpiexec.hydra", Mpi::mpich},
      {"mpirun.mpich", Mpi::mpich},     {"mpiexec.mpich", Mpi::mpich}};
  const auto path = find_program(launcher);
  std::error_code ignored;
  for (const fs::path& called : {fs::path(launcher), path ? fs::canonical(*path, ignored) : fs::path()})
    if (const auto found = names.find(called.filename()); found != names.end()) return found->second;
  return Mpi::unknown;
}

}  // namespace ww
