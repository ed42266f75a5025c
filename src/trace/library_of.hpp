// Which message library a trace was recorded with.
#pragma once
#include "library/libraries.hpp"
#include "trace/trace.hpp"

namespace ww {

// As run.json names it; of an archive without, and of other tools', the default.
inline const Library& library_of(const Trace& trace) {
  const auto name = trace.run.is_object() ? trace.run.find("mpi") : trace.run.end();
  const Library* library = name != trace.run.end() && name->is_string()
                               ? library_named(name->get_ref<const std::string&>())
                               : nullptr;
  return library != nullptr ? *library : default_library();
}

}  // namespace ww
