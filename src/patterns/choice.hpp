// Which algorithm a message library has for a collective, and the collective written by it.
#pragma once
#include "library/library.hpp"
#include "patterns/pattern.hpp"

namespace ww::patterns {

// Open MPI 4.1 (coll/tuned, fixed rules, commutative operations). `rule_bytes`: the whole vector of a broadcast
// or reduction, the block of one pair or member of the others (reduce_scatter: all blocks together; allgatherv:
// the mean block); `bytes`: the vector, whose elements some algorithms share out.
const Algorithm* open_mpi_choice(Operation operation, int members, uint64_t rule_bytes, uint64_t bytes);
// What its table says alone, before an algorithm that cannot do it is replaced.
const Algorithm* open_mpi_rule(Operation operation, int members, uint64_t rule_bytes);

// Open MPI 4.1's non-blocking collectives (coll/libnbc, commutative operations). `bytes`: the vector; the other
// operations go by nothing.
const Algorithm* open_mpi_nonblocking_choice(Operation operation, int members, uint64_t bytes);

// MPICH 4.0 among members of which no two share a host (maint/tuning/coll/mpir/generic.json of MPICH 4.0.2,
// commutative operations that MPI defines). `bytes`: the vector of a broadcast or reduction, the block of one
// pair, of allgathers and reduce_scatters all blocks together; `elements` of the vector.
const Algorithm* mpich_choice(Operation operation, int members, uint64_t bytes, uint64_t elements);

// How MPICH's levels work together, among the members of each host and among the first of each host
// (maint/tuning/coll/ch4/generic.json); `hosts` is how many there are. `flat`: no levels.
enum class Levels : uint8_t { flat, alpha, beta, shared_memory };
Levels mpich_levels(Operation operation, int members, int hosts, uint64_t bytes);

// Whoever shows bytes has them, the library's rules ask for elements: those of the largest common type that
// fits. Of 12 bytes one, a double and an int: programs look for who has the least (MPI_MINLOC) far more often than they add three ints.
constexpr uint64_t elements(uint64_t bytes) {
  if (bytes == 12) return 1;
  return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

// What a collective was written by: of levels, what the first members of the hosts have among each other;
// nullptr: one host's shared memory alone, or a library whose rules are not known, which writes nothing.
struct Written {
  const Algorithm* by = nullptr;
  bool by_levels = false, known = true;
};
// `host` names each member's by any number; `room`: room_for(members) ints. At least two members.
constexpr int room_for(int members) {
  return 5 * members + 1;
}
Written write(CollectiveRules rules, const Group& group, const Asked& asked, const int* host, int* room);
Written write_mpich(const Group& group, const Asked& asked, const int* host, int* room);  // the same

}  // namespace ww::patterns
