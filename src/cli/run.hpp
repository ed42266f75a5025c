// A command line, parsed and carried out: what main does, for tests to call too.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::cli {

// Without the program's name. The exit code: 0 success, 1 the work failed, 2 wrong usage; the error is
// printed, but for that of standard output: its errno is left in `output_problem`, for the caller to say.
int run(std::span<const std::string> arguments, int& output_problem);

// The words of a launch line that --program counts (the first being number 1), marked as programs for understand().
Result<std::vector<std::string>> with_programs_marked(std::vector<std::string> launch,
                                                      std::vector<std::size_t> numbers);

// Says that standard output could not be written (errno, or 0 if that is not known). The exit code.
int standard_output_failed(int problem);

}  // namespace ww::cli
