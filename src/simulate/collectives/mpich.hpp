// Collectives as MPICH 4.0 has them: an algorithm of its own over all members, or by levels, among the
// members of each host and among the first of each host.
#pragma once
#include <string>
#include <vector>

#include "simulate/collectives/decision.hpp"
#include "simulate/collectives/sized.hpp"

namespace ww::simulate {

// The algorithm among members of which no two share a host (maint/tuning/coll/mpir/generic.json of MPICH
// 4.0.2, commutative operations that MPI defines). `bytes`: the vector of a broadcast or reduction, the block
// of one pair, of allgathers and reduce_scatters all blocks together; `elements` of the vector.
Algorithm mpich_algorithm(CollectiveOp op, int members, std::uint64_t bytes, std::uint64_t elements);

// How the levels work together (maint/tuning/coll/ch4/generic.json); `hosts` is how many there are. `flat`:
// no levels.
enum class Levels { flat, alpha, beta, shared_memory };
Levels mpich_levels(CollectiveOp op, int members, int hosts, std::uint64_t bytes);

// Writes the collective; hosts[i] is that of member i. Gives what it was written by, for people.
std::string write_mpich(Schedule& s, const std::vector<std::string>& hosts, CollectiveOp op,
                        const Sized& sized);

}  // namespace ww::simulate
