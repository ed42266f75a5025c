// What lines of Fortran that begin like comments mean to a compiler: directives, which belong to the statement behind them, and
// OpenMP's conditional compilation.
#pragma once
#include <cstddef>
#include <string>

namespace ww::instrument {

// Where the directives begin that belong to the statement at whose line `begin` is, over comments and #if that hold nothing else;
// `begin` if there are none. Those that stand among declarations (threadprivate) belong to no statement.
std::size_t begin_with_directives(const std::string& text, std::size_t begin, bool fixed_form);

// Behind an "!$omp end atomic" at the line `begin`, which must follow its statement; `begin` if there is none.
std::size_t behind_end_of_atomic(const std::string& text, std::size_t begin, bool fixed_form);

// Within an "!$omp workshare", where only what is shared out may stand.
bool is_in_workshare(const std::string& text, std::size_t at, bool fixed_form);

// With blanks in place of the "!$" of conditional compilation: as -fopenmp has the lines read. Its length stays.
std::string with_conditional_lines(std::string text, bool fixed_form);

}  // namespace ww::instrument
