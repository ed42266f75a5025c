#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root begins all sends at once.
const Algorithm scatter_linear_nonblocking{"the non-blocking linear algorithm",
                                           [](const Group& group, const Asked& asked) {
                                             group.round([&](const Take& take) {
                                               for (int member = 0; member < group.size(); ++member)
                                                 if (member != asked.root)
                                                   take({asked.root, member, asked.blocks.of(member)});
                                             });
                                           }};

}  // namespace ww::patterns
