#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root receives from the last member down to the first, one after the other.
void reduce_linear(Schedule& s, int root, std::uint64_t bytes) {
  for (int member = s.size() - 1; member >= 0; --member)
    if (member != root) s.transfer({member, root, bytes, true});
}

}  // namespace ww::simulate
