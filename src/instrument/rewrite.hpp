// The text of a copy, from the text of a source and what stands where in it: insertions within lines, so that
// every line keeps its number. Knows nothing of C or of Clang.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "instrument/sites.hpp"

namespace ww::instrument {

// The names of curves and regions get what tells them apart where two would be the same: of a value the
// function ("residual@solve"), of a function that other files cannot see its file ("show (ring.cpp)").
void tell_apart(std::vector<FileSites>& files);

struct CopyNames {
  std::string header;  // whatwire/instrumented.h as the copy includes it
  std::string source;  // the original, as messages and debuggers are to name it
  // What an #include of this file says, without quotes.
  std::function<std::string(const std::string& target)> include;
};
// Sites that a file has twice (found in two units) must be there once.
std::string rewritten(const std::string& text, const FileSites& sites, const CopyNames& names);

}  // namespace ww::instrument
