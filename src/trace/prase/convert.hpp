// From one form of PRASE's records to another: what S5's commands pv and prase_trans did.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "trace/prase/correlate.hpp"

namespace ww::prase {

struct ConvertedFile {
  std::string name, content;
};

struct Converted {
  const owned::ContentKind* kind = nullptr;  // of a directory of the files
  std::vector<ConvertedFile> files;          // by process
  std::uint64_t records = 0;
  Correlation correlation;
  Diagnostics diagnostics;  // of the run, of the correlation, and of what is lost on the way
};

struct RecordsForm {
  const char* name;   // as of export --to
  const char* about;  // a line of help
  const owned::ContentKind* kind;
  // Errors: the form cannot hold the run.
  Result<std::vector<ConvertedFile>> (*files)(const PraseRun& run, const Correlation& correlation,
                                              Diagnostics& diagnostics);
};
inline constexpr const char* binary_form = "prase";  // the one that is no text
std::span<const RecordsForm> records_forms();
std::vector<std::string> form_names();

// Errors: no such form; as of its `files`.
Result<Converted> convert(const PraseRun& run, const std::string& form);

}  // namespace ww::prase
