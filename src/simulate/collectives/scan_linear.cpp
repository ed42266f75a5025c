#include "simulate/collectives/algorithms.hpp"

namespace ww::simulate {

// Each member receives from the one below and sends to the one above.
void scan_linear(Schedule& s, std::uint64_t bytes) {
  for (int member = 0; member + 1 < s.size(); ++member) s.transfer({member, member + 1, bytes, true});
}

}  // namespace ww::simulate
