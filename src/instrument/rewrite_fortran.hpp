// The text of a copy of a source in Fortran, from its text and what stands where in it: calls on lines of their own, behind which
// `# N "file"` says again where the next line of the source is (GNU Fortran and flang's parser take that in either form).
#pragma once
#include <string>

#include "instrument/sites.hpp"

namespace ww::instrument {

// `text` as read_as_fortran gives it. `source`: the original, as messages and debuggers are to name it.
std::string rewritten_fortran(const std::string& text, const FileSites& sites, const std::string& source);

// As the finder reads it: without a byte order mark, and without carriage returns at the ends of lines.
std::string read_as_fortran(const std::string& text);

}  // namespace ww::instrument
