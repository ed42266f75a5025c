#include "patterns/algorithms.hpp"

namespace ww::patterns {

// Chen, Zhang, Zhang, Chen 2005: neighbours to the right and to the left in turn; the first round exchanges
// own blocks, every later one the two blocks got before. Members an even number.
const Algorithm allgather_neighbor_exchange{"neighbour exchange", [](const Group& group, const Asked& asked) {
                                              const int size = group.size();
                                              group.round([&](const Take& take) {
                                                for (int member = 0; member < size; ++member)
                                                  take({member, member ^ 1, asked.blocks.of(member)});
                                              });
                                              // The pair that a member got in round `step`, by its even member: alternately from the one side and the other,
                                              // each time one pair farther away.
                                              const auto newest = [&](int member, int step) {
                                                const int own = member & ~1, far = (step + 1) / 2 * 2;
                                                const bool below = (member % 2 == 0) == (step % 2 != 0);
                                                return ((below ? own - far : own + far) % size + size) % size;
                                              };
                                              for (int step = 1; step < size / 2; ++step)
                                                group.round([&](const Take& take) {
                                                  for (int member = 0; member < size; ++member) {
                                                    const bool up = (member % 2 == 0) == (step % 2 == 0);
                                                    take({member, (member + (up ? 1 : size - 1)) % size,
                                                          asked.blocks.of(newest(member, step - 1), 2)});
                                                  }
                                                });
                                            }};

}  // namespace ww::patterns
