#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root receives from one member after the other.
const Algorithm gather_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                                for (int member = 0; member < group.size(); ++member)
                                  if (member != asked.root)
                                    group.transfer({member, asked.root, asked.blocks.of(member)});
                              }};

}  // namespace ww::patterns
