// Which message library a trace was recorded with.
#pragma once
#include "library/libraries.hpp"
#include "trace/trace.hpp"

namespace ww {

// As run.json names it; of an archive without, and of other tools', the default.
inline const Library& library_of(const Trace& trace) {
  const Library* library = library_named(trace.run.mpi);
  return library != nullptr ? *library : default_library();
}

}  // namespace ww
