#include "base/diagnostic.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ww {

void Diagnostics::add(const std::string& name, Severity severity, const std::string& remedy,
                      std::uint64_t count) {
  auto found = std::find_if(all_.begin(), all_.end(), [&](const Diagnostic& d) { return d.name == name; });
  if (found == all_.end())
    all_.push_back({name, severity, count, remedy});
  else
    found->count += count;
}

void Diagnostics::merge(const Diagnostics& other) {
  for (const Diagnostic& d : other.all_) add(d.name, d.severity, d.remedy, d.count);
}

bool Diagnostics::has(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Diagnostic& d) { return d.name == name; });
}

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::data_loss:
      return "data loss";
    case Severity::error:
      return "error";
  }
  return "error";
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
  for (const auto& entry : json) {
    Severity severity = Severity::error;
    for (Severity s : {Severity::info, Severity::warning, Severity::data_loss})
      if (entry.at("severity") == to_string(s)) severity = s;
    diagnostics.add(entry.at("name"), severity, entry.at("remedy"), entry.at("count").get<std::uint64_t>());
  }
}

}  // namespace ww
