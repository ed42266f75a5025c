#include "patterns/algorithms.hpp"
#include "patterns/portions.hpp"

namespace ww::patterns {

// Everything posted at once: receives from the next member on, sends from the previous one down.
const Algorithm alltoall_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                                  exchange_in_portions(group, asked, group.size());
                                }};

}  // namespace ww::patterns
