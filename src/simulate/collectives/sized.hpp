// What a recorded collective carried, as its algorithms ask for it.
#pragma once
#include <cstdint>

#include "simulate/collectives/algorithms.hpp"
#include "trace/trace.hpp"

namespace ww::simulate {

struct Sized {
  Sizes blocks;                  // by member: what it contributes or gets
  Matrix pairs;                  // of alltoall, v and w: by member, then by receiver
  std::uint64_t bytes = 0;       // the vector, or the largest block
  std::uint64_t rule_bytes = 0;  // what the decision goes by
  int root = 0;                  // member number
};

// What each member contributes or gets, from the bytes that the recorders of different tools write down; of
// an alltoall, v or w also what each sends to each.
Sized sizes_of(const Trace& trace, const Collective& collective);

// The trace has bytes, the library's rules ask for elements: those of the largest common type that fits.
std::uint64_t elements(std::uint64_t bytes);

}  // namespace ww::simulate
