#include "patterns/algorithms.hpp"

namespace ww::patterns {

// The root receives from the last member down to the first, one after the other.
const Algorithm reduce_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                                for (int member = group.size() - 1; member >= 0; --member)
                                  if (member != asked.root)
                                    group.transfer({member, asked.root, asked.bytes, true});
                              }};

}  // namespace ww::patterns
