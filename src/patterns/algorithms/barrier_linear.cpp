#include "patterns/algorithms.hpp"

namespace ww::patterns {

// All report to member 0, which then releases one after the other.
const Algorithm barrier_linear{"the linear algorithm", [](const Group& group, const Asked&) {
                                 const int size = group.size();
                                 group.round([&](const Take& take) {
                                   for (int member = 1; member < size; ++member) take({member, 0, 0});
                                 });
                                 for (int member = 1; member < size; ++member) group.transfer({0, member, 0});
                               }};

}  // namespace ww::patterns
