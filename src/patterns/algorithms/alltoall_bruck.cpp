#include "patterns/algorithms.hpp"

namespace ww::patterns {

// In round k a member sends the blocks whose number has bit k set to the one 2^k above it.
const Algorithm alltoall_bruck{"Bruck's algorithm", [](const Group& group, const Asked& asked) {
                                 const int size = group.size();
                                 for (int distance = 1; distance < size; distance *= 2) {
                                   uint64_t blocks = 0;
                                   for (int block = 1; block < size; ++block)
                                     if ((block & distance) != 0) ++blocks;
                                   group.round([&](const Take& take) {
                                     for (int member = 0; member < size; ++member)
                                       take({member, (member + distance) % size, blocks * asked.bytes});
                                   });
                                 }
                               }};

}  // namespace ww::patterns
