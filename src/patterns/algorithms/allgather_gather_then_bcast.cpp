#include "patterns/algorithms.hpp"
#include "patterns/choice.hpp"

namespace ww::patterns {

// To member 0, and from it by Open MPI's choice.
const Algorithm allgather_gather_then_bcast{
    "gather and broadcast", [](const Group& group, const Asked& asked) {
      const uint64_t all = asked.rule_bytes * static_cast<uint64_t>(group.size());
      Asked to_first = asked;
      to_first.root = 0;
      gather_linear.write(group, to_first);
      to_first.bytes = all;
      open_mpi_choice(Operation::bcast, group.size(), all, all)->write(group, to_first);
    }};

}  // namespace ww::patterns
