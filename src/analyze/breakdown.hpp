// Where the time of each rank went. For each rank elapsed = compute + library + blocked, blocked =
// algorithmic + service. algorithmic: from the start of the receive to the start of the matching send (S4);
// service: the rest of the blocking.
// One-sided: what a fence (and making or freeing a window) waits for its last member is algorithmic, the rest
// of it service; locks, flushes, MPI_Win_complete and MPI_Win_wait are library time, since the trace does not
// say whether they waited for another rank. File I/O is library time, but for what collective calls wait for
// the last member.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "analyze/causes.hpp"
#include "analyze/delays.hpp"
#include "analyze/selection.hpp"
#include "base/cancellation.hpp"
#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww {

struct RankBreakdown {
  std::int32_t rank = 0;
  std::string host;
  double elapsed_s = 0, compute_s = 0, library_s = 0;
  double blocked_s = 0, blocked_algorithmic_s = 0, blocked_service_s = 0;
  double elsewhere_s =
      0;  // in calls that are not selected: elapsed = compute + library + blocked + elsewhere
  // The same blocked time by its causes (delays.hpp): what a network without cost takes away, of which those
  // waits are a part whose partner began late because it waited for the network, too; and what it leaves.
  double blocked_by_network_s = 0, blocked_by_algorithm_s = 0;
  std::uint64_t messages_sent = 0, bytes_sent = 0, messages_received = 0, bytes_received = 0;
  std::uint64_t collective_bytes_sent = 0, collective_bytes_received = 0;  // to and from others (carried.hpp)
};

// Of all calls of a name. Times are their own: without those of recorded calls that were made inside of them, so
// that they add up to the time in calls.
struct CallTotal {
  std::uint64_t count = 0;
  double time_s = 0, blocked_s = 0;
  double program_s = 0;  // of time_s, between MPI_Init and MPI_Finalize
};

struct PeerTotal {
  std::int32_t source = 0, destination = 0;
  std::uint64_t messages = 0, bytes = 0;  // of messages
  std::uint64_t collective_bytes = 0;     // that collectives carry (carried.hpp)
};

// Messages of one type (S5): a tag on a communicator.
struct TypeTotal {
  std::uint32_t comm = 0;
  std::int32_t tag = 0;
  std::uint64_t messages = 0, bytes = 0, smallest_bytes = 0, largest_bytes = 0;
};

struct Breakdown {
  double elapsed_s = 0;
  std::vector<RankBreakdown> ranks;
  std::map<std::string, CallTotal>
      calls;                         // MPI_Init and MPI_Finalize too, though their time is outside elapsed
  std::vector<PeerTotal> peers;      // those with any of it
  std::uint64_t combined_bytes = 0;  // given to reductions, of no pair (carried.hpp)
  std::vector<TypeTotal> types;
  // of the whole trace, whatever is selected: split of every call: what of it was blocked, by rank and call, in ns, for pictures and for deeper
  // analyses
  struct CallSplit {
    Column<std::int64_t> algorithmic_ns, service_ns;
  };
  std::vector<CallSplit> splits;                // by rank
  std::vector<WaitingOfCalls> waiting() const;  // the splits
  // Without the times of calls (Rank::enter_ns). Of a part: sums of its ranks (0 of others), and the pauses of
  // the whole trace.
  Delays delays;
  std::vector<Cause> causes;  // of waiting, the largest first
  Diagnostics diagnostics;
};

// The software inside a blocking call is taken from `machine` if given, else from the quickest like calls of
// this trace that did not have to wait; where there are none it counts as blocked and a diagnostic says so. Of
// a predicted run (Trace::predicted) what was blocked is known.
Breakdown break_down(const Trace& trace, const MachineModel* machine);
// Its splits alone, which is what a picture needs: without following waits to their causes.
std::vector<Breakdown::CallSplit> split_calls(const Trace& trace, const MachineModel* machine);
// Of a part: its ranks, calls, pairs, types and causes. Costs what lies in its span. `whole`, the trace's, must
// outlive it, and gives its diagnostics; `waits`: find_waits of the trace.
// Stopped it is not complete: whoever gave `stop` asks it.
// Where waiting that no network shortens moved into a span from outside of it, its network's part is negative.
Breakdown break_down(const Part& part, const Breakdown& whole, const Waits& waits,
                     const Cancellation* stop = nullptr);
// `report --json`, with the trace's unmatched and wildcard counts and diagnostics.
nlohmann::json to_json(const Breakdown& breakdown, const Part& part);
// What loading the trace said too.
Diagnostics diagnostics_of(const Trace& trace, const Breakdown& breakdown);

}  // namespace ww
