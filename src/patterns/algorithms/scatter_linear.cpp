#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root sends to one member after the other.
const Algorithm scatter_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                                 for (int member = 0; member < group.size(); ++member)
                                   if (member != asked.root)
                                     group.transfer({asked.root, member, asked.blocks.of(member)});
                               }};

}  // namespace ww::patterns
