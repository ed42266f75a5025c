// Functions of the program, counted while it ran (compiled so that they can be seen, or instrumented), and which of them are worth a region each.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/run_record.hpp"

namespace ww {

struct FunctionTotal {
  std::string name;  // "": all whose time was too small to be told by themselves
  std::uint64_t calls = 0, recorded = 0;
  double own_s = 0, all_s = 0;  // sums over ranks and threads; own: without the functions that it calls
  double calls_a_second = 0;    // on the rank where most came
  std::size_t ranks = 0;        // that called it
  bool thinned = false;
};

struct FunctionTotals {
  std::vector<FunctionTotal> functions;  // those of most own time first, the others at the end
  // Of all ranks that counted: from MPI_Init to MPI_Finalize, or what their longest function took (main, which begins before).
  double elapsed_s = 0;
  std::size_t ranks = 0;  // these
  bool only_counted = false;
  std::vector<std::string> worth_recording;  // names, those of most time first
};

// Worth recording: takes 1% of the time and more, with what it calls, and 10 us a call and more, so that at most 100,000 a second come,
// beyond which the recorder leaves calls out.
inline constexpr double least_worth_share = 0.01, least_worth_call_s = 1e-5;
FunctionTotals find_functions(const RunRecord& run);
// As patterns of `record --functions`: what would be one in a name stands for itself.
std::string as_patterns(const std::vector<std::string>& names);
nlohmann::json to_json(const FunctionTotals& totals);

}  // namespace ww
