// The user's launch line, understood: where the programs stand in it and whether the recorder can reach them.
// "mpirun -n 4 ./app -x 3", "mpirun -n 1 ./a : -n 3 ./b", "srun ./app", "./app".
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/mpi.hpp"
#include "base/result.hpp"

namespace ww {

struct Launch {
  std::vector<std::string> line;      // as the user wrote it
  std::vector<std::size_t> programs;  // where in it the programs stand (several joined by ":")
  // By what the programs are linked to or, of scripts and interpreters, by the launcher. unknown: seen only
  // when they run.
  Mpi mpi = Mpi::unknown;

  const std::string& program() const { return line[programs.front()]; }
  std::string name() const { return std::filesystem::path(program()).filename(); }
  // "mpirun -n 4" of "mpirun -n 4 ./app": what a program of ours can be started with on the same machine.
  std::vector<std::string> prefix() const;
  // The line with every program started under these variables, wherever its launcher puts it.
  std::vector<std::string> with_environment(
      const std::vector<std::pair<std::string, std::string>>& variables) const;
};

// Errors: nothing to run, a missing program, a static program, a program of an MPI that is not known here,
// programs of two MPIs, a launcher of another MPI than the programs', each with the remedy.
Result<Launch> understand(const std::vector<std::string>& line);

}  // namespace ww
