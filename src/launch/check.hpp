// Whether the recorder can be loaded into a program, and of which library it is.
#pragma once
#include <string>

#include "base/result.hpp"
#include "library/libraries.hpp"

namespace ww::launch {

// nullptr: that shows only at run time. Errors: no such program, static (in all, or with a message library whose
// calls cannot be seen then), of an MPI that is not known here or not recorded.
Result<const Library*> check_program(const std::string& word);
// The word is a program that can be started, or the error says what it is.
Result<void> check_exists(const std::string& word);

bool is_interpreter(const std::string& word);  // python3, sh, perl

// How likely a word of a launch line is the program: 0 cannot be run, 1 found in PATH, 2 found by its path,
// 3 starts other programs (an interpreter, a wrapper), 4 linked to an MPI.
int likelihood(const std::string& word);

}  // namespace ww::launch
