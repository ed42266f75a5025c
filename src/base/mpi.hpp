// The MPI libraries that are known here, and whose a launcher is.
#pragma once
#include <string>

namespace ww {

enum class Mpi { unknown, openmpi, mpich };

// "openmpi", "mpich": as in the names of our libraries and programs, and in "mpi" of run.json.
const char* name_of(Mpi mpi);
const char* title_of(Mpi mpi);  // "Open MPI", "MPICH"

// Of "mpirun", "/usr/bin/mpiexec.hydra": by the program that it is in the end, behind symbolic links
// (Debian's alternatives). unknown: srun and whatever is no launcher.
Mpi mpi_of_launcher(const std::string& launcher);

}  // namespace ww
