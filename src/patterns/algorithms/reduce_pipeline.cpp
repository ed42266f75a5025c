#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Up a chain in pieces of 8 KiB, each of which a member passes on when it has added its own to it
// (ompi/mca/coll/libnbc/nbc_ireduce.c).
const Algorithm reduce_pipeline{"a pipeline", [](const Group& group, const Asked& asked) {
                                  const Group from_root = group.counted_from(asked.root);
                                  constexpr uint64_t piece = 8192;
                                  for (uint64_t at = 0; at < asked.bytes; at += piece)
                                    for (int v = group.size() - 1; v > 0; --v)
                                      from_root.transfer({v, v - 1, least(piece, asked.bytes - at), true});
                                }};

}  // namespace ww::patterns
