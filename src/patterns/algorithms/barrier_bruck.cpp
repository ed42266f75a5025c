#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Dissemination: in each round a member sends to the one `distance` above it and hears from the one below.
const Algorithm barrier_bruck{"Bruck's algorithm", [](const Group& group, const Asked&) {
                                const int size = group.size();
                                for (int distance = 1; distance < size; distance *= 2)
                                  group.round([&](const Take& take) {
                                    for (int member = 0; member < size; ++member)
                                      take({member, (member + distance) % size, 0});
                                  });
                              }};

}  // namespace ww::patterns
