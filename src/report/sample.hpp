// A made-up program for the tests of the report: ranks in a ring that compute, send to the right, receive
// from the left and now and then reduce. Every number follows from the parameters, so that tests can say what
// must come out.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "analyze/breakdown.hpp"
#include "trace/trace.hpp"

namespace ww::sample {

struct SampleProgram {
  std::size_t ranks = 4, rounds = 20;
  std::int64_t compute_ns = 3'000'000, slower_rank_extra_ns = 2'000'000, wire_ns = 2'500'000,
               software_ns = 40'000;
  std::uint64_t bytes = 4608;
};

struct SampleRecording {
  Trace trace;
  Breakdown breakdown;
};
// Each rank has one MPI_Isend, one MPI_Recv and one MPI_Wait a round, and one MPI_Allreduce every fifth
// round.
SampleRecording record(const SampleProgram& program);

// Complete data for html_report: two programs, one of them with hostile strings and disturbed times.
nlohmann::json report_data();
// What a string from a program's launch line may try.
extern const char* const hostile;

}  // namespace ww::sample
