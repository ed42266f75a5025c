#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Down a chain in pieces, each of which a member passes on when it has it (ompi/mca/coll/libnbc/nbc_ibcast.c:
// pieces of 8 KiB, from 512 KiB on of 32).
const Algorithm bcast_pipeline{"a pipeline", [](const Group& group, const Asked& asked) {
                                 const Group from_root = group.counted_from(asked.root);
                                 const uint64_t piece = asked.bytes < 524288 ? 8192 : 32768;
                                 for (uint64_t at = 0; at < asked.bytes; at += piece)
                                   for (int v = 1; v < group.size(); ++v)
                                     from_root.transfer({v - 1, v, least(piece, asked.bytes - at)});
                               }};

}  // namespace ww::patterns
