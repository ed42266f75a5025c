#include "patterns/algorithms.hpp"
#include "patterns/portions.hpp"

namespace ww::patterns {

// As the linear one, in portions of 32 partners, each complete before the next (MPICH's).
const Algorithm alltoall_scattered{"scattered exchange", [](const Group& group, const Asked& asked) {
                                     exchange_in_portions(group, asked, 32);
                                   }};

}  // namespace ww::patterns
