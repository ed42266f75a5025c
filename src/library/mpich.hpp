// MPICH 4.
#pragma once
#include "library/library.hpp"

namespace ww::library {

inline constexpr Library mpich{.name = "mpich",
                               .title = "MPICH",
                               .sonames = "libmpich.so.12",
                               .version_begins = "MPICH",
                               .build_with = "mpicc.mpich",
                               .packages = "mpich libmpich-dev",
                               .launchers = "mpirun.mpich mpiexec.hydra",
                               .hosts_option = "-hosts",
                               .rank_variables = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                               .settings = "MPIR_CVAR_ MPICH_",
                               .clock_after_end = false,
                               .collectives = CollectiveRules::mpich_4,
                               .own_messages_read_from_bytes = 8192,
                               .handshake_crossings = 4,
                               .communicator_crossings = 4};

}  // namespace ww::library
