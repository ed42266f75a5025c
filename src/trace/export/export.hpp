// A trace in other tools' formats: one format a file, registered in one line of formats.hpp.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/owned.hpp"
#include "trace/export/output.hpp"
#include "trace/trace.hpp"

namespace ww {

// Of a format of several files, in a directory that is made for them.
struct ExportFile {
  std::string name, text;
};
struct ExportDirectory {
  const owned::ContentKind* kind;
  std::vector<ExportFile> (*files)(const Trace& trace);
};

struct ExportFormat {
  const char* name;   // of --to
  const char* about;  // one line of help
  void (*write)(const Trace& trace, Output& out);
  // What its lines are about, and whether the trace has any; nullptr: every trace gives something to see.
  const char* things = nullptr;
  bool (*has)(const Trace& trace) = nullptr;
  const ExportDirectory* directory = nullptr;  // in place of `write`; empty without things
  // What of the trace it has no place for; nullptr: nothing that its help does not say. Errors: it cannot hold the trace.
  Result<Diagnostics> (*lacks)(const Trace& trace) = nullptr;
};

std::span<const ExportFormat* const> export_formats();
const ExportFormat* export_format_named(const std::string& name);  // nullptr: there is none

// Either the complete file or, with an error, none (an older one stays). In memory only a piece of it; of a
// directory all. Gives lines for the user: Output::finish, NewResult::publish.
Result<std::vector<std::string>> export_trace(const Trace& trace, const ExportFormat& format,
                                              const std::filesystem::path& file);

}  // namespace ww
