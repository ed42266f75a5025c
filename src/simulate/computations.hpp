// What disturbed some of a program's computations in one run, found by comparing it with like runs: a timer,
// another program, the host of a virtual machine. A replay would take the longer computation for the
// program's own.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.hpp"

namespace ww {

// By rank: the seconds that the program proper spent before each of its calls and behind the last.
struct Computations {
  struct Rank {
    std::vector<double> seconds;
    std::uint64_t calls = 0;  // a hash of the calls' names, in their order
  };
  std::vector<Rank> ranks;
};

Computations computations_of(const Trace& trace);

struct Undisturbed {
  Computations computations;
  std::uint64_t replaced = 0;  // computations, of so many:
  std::uint64_t of = 0;
  double removed_s = 0;  // all ranks together
};

// For each of the runs: a computation that took over half longer than the median of the same one in all runs
// (and over 5 us, a timer's interrupt, longer) takes that median. Nothing if there are fewer than three runs,
// or if they did not make the same calls.
std::optional<std::vector<Undisturbed>> without_disturbances(const std::vector<Computations>& runs);

}  // namespace ww
