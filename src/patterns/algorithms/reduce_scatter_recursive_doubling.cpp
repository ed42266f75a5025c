#include "patterns/algorithms.hpp"

namespace ww::patterns {

// All members get the whole vector, and keep their block.
const Algorithm reduce_scatter_recursive_doubling{
    "recursive doubling",
    [](const Group& group, const Asked& asked) { allreduce_recursive_doubling.write(group, asked); }};

}  // namespace ww::patterns
