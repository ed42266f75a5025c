#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"

namespace ww::patterns {

// To member 0 and from it, by Open MPI's choice of either.
const Algorithm allreduce_reduce_then_bcast{
    "reduce and broadcast", [](const Group& group, const Asked& asked) {
      Asked to_first = asked;
      to_first.root = 0;
      open_mpi_choice(Operation::reduce, group.size(), asked.bytes, asked.bytes)->write(group, to_first);
      open_mpi_choice(Operation::bcast, group.size(), asked.bytes, asked.bytes)->write(group, to_first);
    }};

}  // namespace ww::patterns
