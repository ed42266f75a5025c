#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Of two members, who exchange what they have.
const Algorithm allgather_pairwise{
    "pairwise exchange", [](const Group& group, const Asked& asked) { allgather_ring.write(group, asked); }};

}  // namespace ww::patterns
