// Bad or missing data is never dropped in silence: it is counted under a name and shown wherever the result
// is shown.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/diagnostics_table.hpp"

namespace ww {

struct Diagnostic {
  std::string name;  // of the table; of a file of another version perhaps another
  Severity severity = Severity::info;
  std::uint64_t count = 1;
  std::string remedy;  // one sentence: what it means and what to do
};

class Diagnostics {
 public:
  // Adds to the count of the diagnostic of that name; severity and remedy are those of the first report: the
  // table's, where none is given.
  void add(DiagnosticName name, std::uint64_t count = 1);
  void add(DiagnosticName name, const std::string& remedy, std::uint64_t count = 1);
  void add(DiagnosticName name, Severity severity, const std::string& remedy, std::uint64_t count = 1);
  void add_read(const Diagnostic& diagnostic);  // of a file or another list: any name
  void merge(const Diagnostics& other);
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has(DiagnosticName name) const;
  void take_out(DiagnosticName name);  // for who knows its count better than the sum

 private:
  std::vector<Diagnostic> all_;
};

bool is(const Diagnostic& diagnostic, DiagnosticName name);
Severity severity_of(const std::string& text);  // the inverse of to_string; of any other text: error
void to_json(nlohmann::json& json, const Diagnostic& diagnostic);
void to_json(nlohmann::json& json, const Diagnostics& diagnostics);
void from_json(const nlohmann::json& json, Diagnostics& diagnostics);

}  // namespace ww
