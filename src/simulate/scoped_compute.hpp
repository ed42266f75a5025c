// Computation that a what-if makes quicker on some ranks, or inside regions that the program marked, only.
#pragma once
#include <vector>

#include "base/result.hpp"
#include "machine/what_if.hpp"
#include "simulate/program.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

// A computation between two calls takes the part of its time that lies in a scope 1 / factor as long; where
// scopes meet, their factors multiply. Of regions those count that were marked by a thread that makes calls,
// since computations are what happens between its calls. `program` is compiled from `trace`; its computations
// may have been made shorter since, which keeps the parts. Errors: no such rank; no such region, or none on
// the ranks that are meant.
Result<void> scale_computations(Program& program, const Trace& trace,
                                const std::vector<ComputeScope>& scopes);

}  // namespace ww::simulate
