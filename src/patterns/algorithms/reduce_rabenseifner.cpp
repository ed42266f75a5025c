#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Open MPI asks for it for up to 7 bytes of at most 3 members: here all send to the root at once.
const Algorithm reduce_rabenseifner{"Rabenseifner's algorithm", [](const Group& group, const Asked& asked) {
                                      group.round([&](const Take& take) {
                                        for (int member = group.size() - 1; member >= 0; --member)
                                          if (member != asked.root)
                                            take({member, asked.root, asked.bytes, true});
                                      });
                                    }};

}  // namespace ww::patterns
