// A large archive, written rank by rank.
#pragma once
#include <filesystem>

#include "base/result.hpp"

// A halo exchange in a ring: MPI_Irecv, MPI_Isend, computation, MPI_Waitall, and every ten rounds an
// MPI_Allreduce. How long each computation takes varies by rank and round (up to 50 us), and so does every call; who
// comes first waits. The ranks are on so many hosts in turn. Gives the number of events. Errors: those of the archive's writer.
ww::Result<std::uint64_t> generate(const std::filesystem::path& dir, int ranks, double events, int hosts = 1);
