#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Members beyond the largest power of two report to one below it first and are released by it at the end (by
// a synchronous send); those below exchange with the member at distance 1, 2, 4 ...
const Algorithm barrier_recursive_doubling{"recursive doubling", [](const Group& group, const Asked&) {
                                             const int power = largest_power_in(group.size()),
                                                       extra = group.size() - power;
                                             for (int i = 0; i < extra; ++i)
                                               group.transfer({power + i, i, 0});
                                             for (int distance = 1; distance < power; distance *= 2)
                                               group.round([&](const Take& take) {
                                                 for (int member = 0; member < power; ++member)
                                                   take({member, member ^ distance, 0});
                                               });
                                             for (int i = 0; i < extra; ++i)
                                               group.transfer({i, power + i, 0}, true);
                                           }};

}  // namespace ww::patterns
