// What the message library costs each process, function by function (S4's overhead of PVM and of TCP at each station): the time in its calls
// without what of it was waiting for others.
#pragma once
#include <vector>

#include "analyze/breakdown.hpp"

namespace ww {

struct LibraryTime {
  std::uint32_t region = 0;  // of Trace::regions: the call's name
  CallTotal total;           // of that rank; times are its own, without calls inside of it
  double library_s() const { return total.program_s - total.blocked_s; }
};

// By rank, each with its calls, those of most time in the library first; of ranks that are not in the part nothing.
std::vector<std::vector<LibraryTime>> find_library_times(const Part& part, const Breakdown& breakdown);

}  // namespace ww
