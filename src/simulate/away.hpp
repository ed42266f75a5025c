// When the ranks of a run computed, and for how long they were away before: what find_cooling() compares
// between two runs of one program, and what a replay scales its computations by.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "simulate/simulate.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

class RunNotes;

struct Computed {
  struct Rank {
    // Before each call of the program proper and behind the last, as computations_of() has them. Of a dilated
    // run without what it was stretched by.
    std::vector<double> seconds;
    // From the end of each to the begin of the next: the call, and of a dilated run the stretch before it.
    // One less.
    std::vector<double> between_s;
    std::vector<std::uint16_t> calls;  // index into `names`; as many as between_s
  };
  std::string of;  // the run, for whoever reads of it
  std::vector<std::string> names;
  std::vector<Rank> ranks;
};

Computed computed_in(const Trace& trace);
// Of a replay, without the calls' names.
Computed computed_in(const RunNotes& notes, const Simulated& simulated);

// Errors: not as many ranks, or a rank that did not make the same calls in the same order, with the first
// place where they part.
Result<void> made_the_same_calls(const Computed& one, const Computed& other);
// Errors: what is between two calls of such a run is no computation in elapsed time: a partial recording, a
// run in virtual time, a prediction.
Result<void> is_of_real_computation(const Trace& trace);
Result<Computed> real_computation_in(const Trace& trace);  // the same errors

// No computation of some length was before it.
inline constexpr double never_before = -1;
// Before each of a rank's computations: how long since the end of the last one before it that counts, or
// never_before. `counts` has one entry a computation.
std::vector<double> away_before(const Computed::Rank& rank, const std::vector<bool>& counts);

}  // namespace ww::simulate
