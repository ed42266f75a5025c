// Two runs of one program, call by call: where the second falls behind the first or gets ahead of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace ww {

// What is later or earlier in B than in A counts from the begin of either program (Trace::begin_ns): `later_ns` of an
// instant is how much later B is there, negative: earlier.
struct LagStep {
  std::size_t rank = 0;
  std::string name;  // of the call; of computation before it when not in_call
  bool in_call = false;
  std::size_t call = 0;                     // in A
  std::int64_t a_from_ns = 0, a_to_ns = 0;  // of the call, or of what lies before it
  std::int64_t b_from_ns = 0, b_to_ns = 0;
  std::int64_t later_ns = 0;  // at its end
  std::int64_t grew_ns() const { return (b_to_ns - b_from_ns) - (a_to_ns - a_from_ns); }
};
struct RankLag {
  std::size_t calls_a = 0, calls_b = 0, aligned = 0;  // in the program proper, of the first thread
  std::int64_t begin_later_ns = 0, end_later_ns = 0;
  std::vector<double> later_ns;  // a bin of A's time: at its last aligned instant, or as before
};
// Of what the lag was made: of all ranks begin + computing + calls + not_aligned = end.
struct LagOfCall {
  std::string name;
  std::size_t count = 0;
  double later_s = 0;  // sum over the ranks
};
struct Alignment {
  double bin_ns = 0;  // bins begin with A's program
  std::size_t bins = 0;
  std::vector<RankLag> ranks;    // that both have
  std::vector<LagOfCall> calls;  // those that changed most first
  LagOfCall computing,
      not_aligned;  // between calls that follow each other in both; where a run has calls that the other has not
  std::vector<LagStep> steps;  // those that changed most first
  std::size_t all_steps = 0;
};

// Aligned are calls of the same name in their order, by rank, but for those that only ask (MPI_Test): how often a program
// asks is chance, and what they take counts as computing; where the names differ both go on to the nearest place, at most
// this many calls ahead, from which two agree again. Threads but the first are not aligned: their order is not the program's.
inline constexpr std::size_t most_calls_ahead = 32;
Alignment align(const Trace& a, const Trace& b, std::size_t bins, std::size_t most_steps);

}  // namespace ww
