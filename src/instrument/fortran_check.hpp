// Do compilers take sources of Fortran? Their modules are written into a folder that goes again.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "instrument/compile_units.hpp"

namespace ww::instrument {

// files[i] is compiled as units[i] is, without making code; in the given order, and what does not compile again after the others, for a
// module may come later. Gives what the compiler says of the first that it does not take; empty: it takes all.
Result<std::string> fortran_refusal(const std::vector<CompileUnit>& units,
                                    const std::vector<std::filesystem::path>& files);

}  // namespace ww::instrument
