#include "base/diagnostic.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ww {

void Diagnostics::add(DiagnosticName name, std::uint64_t count) {
  add_read({name.entry().name, name.entry().severity, count, name.entry().text});
}

void Diagnostics::add(DiagnosticName name, const std::string& remedy, std::uint64_t count) {
  add_read({name.entry().name, name.entry().severity, count, remedy});
}

void Diagnostics::add(DiagnosticName name, Severity severity, const std::string& remedy,
                      std::uint64_t count) {
  add_read({name.entry().name, severity, count, remedy});
}

void Diagnostics::add_read(const Diagnostic& diagnostic) {
  auto found =
      std::find_if(all_.begin(), all_.end(), [&](const Diagnostic& d) { return d.name == diagnostic.name; });
  if (found == all_.end())
    all_.push_back(diagnostic);
  else
    found->count += diagnostic.count;
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.all_) add_read(d);
}

bool Diagnostics::has(DiagnosticName name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Diagnostic& d) { return is(d, name); });
}

void Diagnostics::take_out(DiagnosticName name) {
  std::erase_if(all_, [&](const Diagnostic& d) { return is(d, name); });
}

bool is(const Diagnostic& diagnostic, DiagnosticName name) {
  return diagnostic.name == name.entry().name;
}

Severity severity_of(const std::string& text) {
  for (const Severity severity : {Severity::info, Severity::warning, Severity::data_loss})
    if (text == to_string(severity)) return severity;
  return Severity::error;
}

void to_json(nlohmann::json& json, const Diagnostic& diagnostic) {
  json = {{"name", diagnostic.name},
          {"severity", to_string(diagnostic.severity)},
          {"count", diagnostic.count},
          {"remedy", diagnostic.remedy}};
}

void to_json(nlohmann::json& json, const Diagnostics& diagnostics) {
  json = nlohmann::json::array();
  for (const Diagnostic& d : diagnostics.all()) json.push_back(d);
}

void from_json(const nlohmann::json& json, Diagnostics& diagnostics) {
  for (const auto& entry : json)
    diagnostics.add_read({entry.at("name"), severity_of(entry.at("severity")),
                          entry.at("count").get<std::uint64_t>(), entry.at("remedy")});
}

}  // namespace ww
