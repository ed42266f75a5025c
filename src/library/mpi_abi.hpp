// The standard binary interface of MPI 5.0 (section 20.2: libmpi_abi), which several libraries offer.
#pragma once
#include "library/library.hpp"

namespace ww::library {

// Recognised, so that its programs are told from those of the libraries beneath. Neither recorded, as its
// handles and statuses have a layout of their own, nor started by launchers of its own.
inline constexpr Library mpi_abi{.name = "mpi_abi",
                                 .title = "the standard ABI of MPI 5",
                                 .sonames = "libmpi_abi.so",
                                 .version_begins = "",
                                 .recorded = false,
                                 .build_with = "",
                                 .packages = "",
                                 .launchers = "",
                                 .settings = ""};

}  // namespace ww::library
