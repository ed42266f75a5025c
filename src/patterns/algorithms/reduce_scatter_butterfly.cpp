#include "patterns/algorithms.hpp"

namespace ww::patterns {

const Algorithm reduce_scatter_butterfly{
    "recursive halving (in place of the butterfly)",
    [](const Group& group, const Asked& asked) { reduce_scatter_recursive_halving.write(group, asked); }};

}  // namespace ww::patterns
