// From what a recorder sees of a collective, bytes that each member gives and gets, to what its algorithms ask for.
#pragma once
#include "patterns/pattern.hpp"

namespace ww::patterns {

struct CarriedSizes {
  uint64_t sent, received;  // its own part included, in all
};

// `before`: members + 1 numbers, the caller's, which the blocks look at as long as `blocks` (which becomes the
// callable for it) is kept.
class Sizes {
 public:
  Sizes(Operation operation, int members, int root, const Called<CarriedSizes(int)>& carried,
        uint64_t* before);
  Sizes(const Sizes&) = delete;
  Sizes& operator=(const Sizes&) = delete;

  const Asked& asked() const { return asked_; }
  void set_pairs(const uint64_t* pairs) { asked_.pairs = pairs; }
  void set_nonblocking(bool nonblocking) { asked_.nonblocking = nonblocking; }

 private:
  struct Before {
    const uint64_t* sums;
    uint64_t operator()(int i) const { return sums[i]; }
  } before_;
  Asked asked_;
};

}  // namespace ww::patterns
