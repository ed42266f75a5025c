// Copies of sources that say regions and values themselves (whatwire/marker.h), without a change to the sources.
// Read next: sites.hpp (what stands where), rewrite.hpp (the copy's text).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/new_result.hpp"
#include "base/result.hpp"
#include "instrument/sites.hpp"

namespace ww::instrument {

struct InstrumentOptions {
  std::vector<std::string> sources;
  std::vector<std::string> functions;  // patterns; those that begin with ! exclude
  std::vector<std::string> watches;    // VAR[@FUNCTION]
  std::string directory;               // of the copies
  std::string database;                // where compile_commands.json is; empty: it is looked for
  std::vector<std::string> compiler;   // with its flags, or flags alone; empty: see compile_units.hpp
  owned::Previous previous = owned::Previous::keep;
};

struct InstrumentedFile {
  std::string source, copy;
  std::vector<std::string> regions;  // their names
  std::vector<std::string> values;
  std::size_t places = 0;  // where values are recorded
};

struct Instrumented {
  std::filesystem::path directory;
  std::vector<InstrumentedFile> files;
  std::vector<Note> notes;
  std::vector<std::string> said;  // what became of an earlier result
  std::string link_flags;
};

// The copies have been compiled (no code made) before this returns. Errors: a source does not compile; a pattern
// matches no function, nothing assigns a watched variable, with the nearest names; what lies in `directory` is not
// ours; whatwire was built without Clang's library.
Result<Instrumented> instrument(const InstrumentOptions& options);

}  // namespace ww::instrument
