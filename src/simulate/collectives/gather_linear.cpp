#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// The root receives from one member after the other.
void gather_linear(Schedule& s, int root, const Sizes& blocks) {
  for (int member = 0; member < s.size(); ++member)
    if (member != root) s.transfer({member, root, blocks[static_cast<std::size_t>(member)]});
}

}  // namespace ww::simulate
