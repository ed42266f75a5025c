#include "lab/placing.hpp"

#include <algorithm>
#include <array>

#include "launch/which.hpp"

namespace ww::lab {
namespace {

constexpr std::array all = {
    Placing{&launch::openmpi, placed_by_open_mpi},
    Placing{&launch::hydra, placed_by_mpich},
};

}  // namespace

const Placing* placing_by(const std::string& launcher) {
  const auto starters = launch::launchers_behind(launcher);
  // Of an mpirun that nothing tells apart it is not guessed whose it is.
  if (launch::library_of(starters) == nullptr) return nullptr;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Placing& one) {
    return std::find(starters.begin(), starters.end(), one.launcher) != starters.end();
  });
  return found == all.end() ? nullptr : found;
}

}  // namespace ww::lab
