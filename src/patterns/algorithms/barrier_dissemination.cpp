#include "patterns/algorithms.hpp"

namespace ww::patterns {

// MPICH's name for it.
const Algorithm barrier_dissemination{
    "dissemination", [](const Group& group, const Asked& asked) { barrier_bruck.write(group, asked); }};

}  // namespace ww::patterns
