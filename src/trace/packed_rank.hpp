// For packed.cpp: the calls of a rank and what they did.
#pragma once
#include "trace/packed_bytes.hpp"
#include "trace/trace.hpp"

namespace ww::packed {

// All columns of calls and actions but RankTrace::match.
void write_calls(Writer& out, const RankTrace& rank);

// What indexes and peers must be below.
struct Limits {
  std::size_t regions = 0, comms = 0, ranks = 0;
  std::size_t actions = 0;  // of all ranks that are still to be read, at most
};
// Reads into a rank without calls; `in` has failed where there is anything else. Takes off Limits::actions.
void read_calls(Reader& in, RankTrace& rank, Limits& limits);

}  // namespace ww::packed
