// Waits followed to their causes. That a partner had not begun (a wait's algorithmic part) does not say why:
// it may itself have waited for a message. So the recorded run is played once more on a network without cost:
// computation and the software of calls last as recorded, a call that waits goes on as soon as all that it
// needs of others has begun, and their beginnings move forward likewise. What waiting then goes away is the
// network's, its own messages' and those that made a partner late; what remains is the algorithm's, and no
// network shortens it. No rank's waiting grows by this: all times are maxima of sums, of which terms were
// taken away.
//
// What remains is followed too (the idea is that of Scalasca's delay analysis: Boehme et al., ICPP 2010, and
// of its direct and propagated costs): at each instant of a wait the rank that is waited for does something
// of its own, and then it is the cause, or it waits itself, and then the rank is that it waits for.
#pragma once
#include <cstdint>
#include <vector>

#include "analyze/selection.hpp"
#include "analyze/waits.hpp"

namespace ww {

// What of a rank's calls was waiting, by call; as Breakdown::CallSplit has it.
struct WaitingOfCalls {
  const Column<std::int64_t>* algorithmic_ns;
  const Column<std::int64_t>* service_ns;
};

struct Delays {
  struct Pause {
    std::int64_t from_ns, to_ns;
    std::int32_t for_rank;
    std::uint32_t call = none;  // of the rank that waits
  };
  struct Rank {
    std::int64_t elapsed_ns = 0;    // on the network without cost
    std::int64_t network_ns = 0;    // of its blocked time: what went away
    std::int64_t algorithm_ns = 0;  // ... and what remains
    Column<std::int64_t> enter_ns;  // of its calls, on that network
    Column<Pause> pauses;           // what remains, in time
  };
  std::vector<Rank> ranks;
  std::int64_t elapsed_ns = 0;     // from the earliest begin to the latest end
  std::uint64_t not_followed = 0;  // calls that went on without what they needed, as clocks contradict it
};

// `waits` and `needs`: find_waits of the trace; `waiting`: by rank.
Delays follow_delays(const Trace& trace, const Waits& waits, const std::vector<Needs>& needs,
                     const std::vector<WaitingOfCalls>& waiting);

// What a rank made others wait, of what remains.
struct DelayCost {
  std::int64_t direct_ns = 0;      // for itself
  std::int64_t propagated_ns = 0;  // by way of ranks that waited for it
};
struct DelayCosts {
  std::vector<DelayCost> ranks;
  std::int64_t not_followed_ns = 0;  // of chains too long to be followed to their ends
};
DelayCosts costs_of(const Delays& delays);
// Of the waits of a part; of calls that it cuts the share of their waiting.
DelayCosts costs_of(const Delays& delays, const Part& part, const std::vector<WaitingOfCalls>& waiting);

// Of a rank's pauses those of calls in the part, as a range, and what of one lies in it.
Part::Range pauses_in(const Delays& delays, const Part& part, std::size_t rank);
Delays::Pause cut_to(const Part& part, const RankTrace& rank, const WaitingOfCalls& waiting,
                     const Delays::Pause& pause);

}  // namespace ww
