#include "patterns/algorithms.hpp"

namespace ww::patterns {

// What it does, and whose it is: paper and section, or the file of the library (ompi/mca/coll/base/...).
//
// As it stands, a broadcast: each member passes the vector on to the next.
const Algorithm NEW_NAME{"the NEW-NAME algorithm", [](const Group& group, const Asked& asked) {
                           const Group from_root = group.counted_from(asked.root);
                           for (int member = 1; member < group.size(); ++member)
                             from_root.transfer({member - 1, member, asked.bytes});
                         }};

}  // namespace ww::patterns
