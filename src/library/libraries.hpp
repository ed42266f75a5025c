// All message libraries that are known here.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "library/library.hpp"

namespace ww {

std::span<const Library* const> libraries();
// Assumed where nothing says which it is: a launcher that starts programs of any, an archive of another tool.
const Library& default_library();

// nullptr: none of them.
const Library* library_named(std::string_view name);
const Library* library_in_file(std::string_view soname);      // "libmpi.so.40.30.4"
const Library* library_of_version(std::string_view version);  // "MPICH Version:\t4.0.2"

// For messages, of those that can be recorded, with their best launchers, compilers, ...: "mpirun.openmpi or mpirun.mpich".
std::string named_by(const char* Library::*list, const char* joined_by = " or ");
std::string recorded_titles();  // "Open MPI or MPICH"

}  // namespace ww
