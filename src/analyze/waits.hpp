// What each call waited for.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww {

// A call that cannot return before something has happened on another rank, or that moves data while the
// caller waits.
struct Wait {
  std::uint32_t call = 0;
  // The last thing on another rank that it needed before its data could move: the beginning of the matching
  // send, the posting of the matching receive, the entry of the last member; at least the call's entry.
  std::int64_t until_ns = 0;
  std::int32_t until_rank = -1;  // the rank on which that happened, if it was after the entry
  std::uint64_t bytes = 0;       // of all messages or of this rank's part of the collective
  std::uint32_t receives = 0, sends = 0, collectives = 0;
  bool file_io = false;  // after `until_ns` it read or wrote a file, which is no waiting for another rank
  bool had_all = false;  // everything it needed was there long before it entered: what it took is software
};

// By rank.
using Waits = std::vector<Column<Wait>>;

// The waits of a rank in the order of its calls. Not among them: calls that cannot block (tests, probes that
// do not wait, what begins a non-blocking operation) and members of collectives who need nobody (the root of
// a broadcast).
Waits find_waits(const Trace& trace, const MachineModel* machine);

// All that a wait needed of other ranks, not only the last: the entry of a call there, or the entries of all
// members of a collective.
struct Need {
  std::int32_t rank = -1;  // -1: `call` is the collective, all of whose members are needed
  std::uint32_t call = 0;
};
struct Needs {
  Column<Need> all;
  Column<std::uint64_t> first;  // of wait i: all[first[i]] up to all[first[i + 1]]
};
// The same, with the needs of each rank's waits.
Waits find_waits(const Trace& trace, const MachineModel* machine, std::vector<Needs>& needs);

// Of a rank's waits those of calls from `first` on, before `last`.
inline std::span<const Wait> waits_of_calls(const Column<Wait>& waits, std::size_t first, std::size_t last) {
  const auto at = [&](std::size_t call) {
    return std::lower_bound(waits.begin(), waits.end(), call,
                            [](const Wait& wait, std::size_t number) { return wait.call < number; });
  };
  return {at(first), at(last)};
}

// Messages up to this size are sent without waiting for the receiver if no model says better: Open MPI and
// MPICH send 4 KiB eagerly over every transport of theirs.
inline constexpr std::uint64_t surely_eager_bytes = 4096;

// On which members `member` depends before its part can be complete (indexes into collective.members): all it
// needs.
bool depends_on(const Collective& collective, std::size_t member, std::size_t other);

}  // namespace ww
