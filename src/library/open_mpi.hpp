// Open MPI 4.
#pragma once
#include "library/library.hpp"

namespace ww::library {

inline constexpr Library open_mpi{
    .name = "openmpi",
    .title = "Open MPI",
    .sonames = "libmpi.so.40",
    .version_begins = "Open MPI",
    .build_with = "mpicc.openmpi",
    .packages = "openmpi-bin libopenmpi-dev",
    .launchers = "mpirun.openmpi mpirun orterun",
    .hosts_option = "--host",
    .crowding_option = "--oversubscribe",
    .rank_variables = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    .settings = "OMPI_MCA_btl OMPI_MCA_pml OMPI_MCA_mtl OMPI_MCA_coll OMPI_MCA_osc OMPI_MCA_mpi_",
    .spawn_environment = "env",
    .collectives = CollectiveRules::open_mpi_4,
    .communicator_crossings = 6};

}  // namespace ww::library
