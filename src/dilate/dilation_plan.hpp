// What the preloaded library is told for one run, and what is looked for in a run before the next.
#pragma once
#include <string>
#include <vector>

#include "dilate/dilate.hpp"
#include "record/record_selection.hpp"
#include "trace/trace.hpp"

namespace ww {

// What is known of the program and the machine from its runs so far.
struct RunPlan {
  std::optional<Place> network;  // which link a what-if means
  bool cpu_meter = false;
  bool probes = false;
};

// Error: D is too small for the what-if.
Result<Variables> variables_for(double factor, const DilateOptions& options, const RunPlan& plan);

// The what-if cannot be dilated: why, and what can be done instead.
Result<void> can_dilate(const WhatIf& what_if);

// Ranks of the run, or their threads that called MPI at once, shared cores of the machine they ran on (ranks of
// a lab's hosts share this one).
bool shares_cores(const Trace& trace);
// Operations were begun that did not end in the same call.
bool overlaps_computation(const Trace& trace);
// Threads of a rank called MPI at once, each with a computation of its own (interpose/core/own_computation.hpp).
bool threads_call_at_once(const Trace& trace);
// Error: they did, and let each other go on, or waited for each other, by means that are not seen, so that what
// one owed was not passed before.
Result<void> threads_are_followed(const Trace& trace);
// Of runs of both kinds: Dilation::progress, and the diagnostic progress-matters.
void compare_progress(Dilation& dilation, const std::vector<double>& factors);
SpinError spin_error_of(const Trace& trace);
// Of a run at -D `factor` in which the program set D itself: that it did (dilated-by-program), that its ranks did so at
// different times (dilated-apart), that some of it is too small for the what-if (dilated-too-little).
void say_set_by_program(const NormalisedRun& run, double factor, const DilateOptions& options,
                        Diagnostics& said);
std::vector<std::string> assumptions_of(const DilateOptions& options, const Dilation& dilation);

}  // namespace ww
