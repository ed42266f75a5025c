#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"

namespace ww::patterns {

// To member 0 by Open MPI's choice, which hands each its block.
const Algorithm reduce_scatter_reduce_then_scatter{
    "reduce and scatter", [](const Group& group, const Asked& asked) {
      Asked to_first = asked;
      to_first.root = 0;
      open_mpi_choice(Operation::reduce, group.size(), asked.bytes, asked.bytes)->write(group, to_first);
      scatter_linear.write(group, to_first);
    }};

}  // namespace ww::patterns
