#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Each member receives from the one below and sends to the one above.
const Algorithm scan_linear{"the linear algorithm", [](const Group& group, const Asked& asked) {
                              for (int member = 0; member + 1 < group.size(); ++member)
                                group.transfer({member, member + 1, asked.bytes, true});
                            }};

}  // namespace ww::patterns
