// What who asks for a replay of a schedule may want beside its times.
#pragma once
#include <vector>

#include "base/cancellation.hpp"
#include "simulate/schedule/loggops.hpp"

namespace ww::schedule {

// When a processor served an operation: a send from its first part (of a large message the request) to the end
// of its data, a receive from when it took the data; received before it was posted, until then.
struct Service {
  Ticks begun = 0, ended = 0;
};

struct Listening {
  std::vector<Service>* services =
      nullptr;  // is told by operation; in windows each thread writes of its own ranks
  const Cancellation* cancellation = nullptr;  // ends it early: cancelled()
};

}  // namespace ww::schedule
