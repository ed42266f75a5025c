// Bad or missing data is never dropped in silence: it is counted under a name and shown wherever the result
// is shown.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ww {

enum class Severity { info, warning, data_loss, error };

struct Diagnostic {
  std::string name;  // stable, kebab-case: "unmatched-send", "times-disturbed"
  Severity severity = Severity::info;
  std::uint64_t count = 1;
  std::string remedy;  // one sentence: what it means and what to do
};

class Diagnostics {
 public:
  // Adds to the count of the diagnostic of that name; severity and remedy are those of the first report.
  void add(const std::string& name, Severity severity, const std::string& remedy, std::uint64_t count = 1);
  void merge(const Diagnostics& other);
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has(const std::string& name) const;

 private:
  std::vector<Diagnostic> all_;
};

const char* to_string(Severity severity);  // "info", "warning", "data loss", "error"
void to_json(nlohmann::json& json, const Diagnostic& diagnostic);
void to_json(nlohmann::json& json, const Diagnostics& diagnostics);
void from_json(const nlohmann::json& json, Diagnostics& diagnostics);

}  // namespace ww
