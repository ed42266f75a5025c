#include "doctor/doctor.hpp"

#include "doctor/checks.hpp"

namespace ww::doctor {

const char* to_string(Working state) {
  return state == Working::good ? "ok" : state == Working::limited ? "limited" : "missing";
}

std::vector<Finding> examine() {
  std::vector<Installation> installed;
  std::vector<Finding> findings;
  for (const Library* library : libraries()) {
    if (!library->recorded) continue;
    installed.push_back({.library = library, .launcher = {}});
    findings.push_back(launcher(installed.back()));
  }
  const auto append = [&](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  append(parts());
  for (Installation& one : installed)
    if (!one.launcher.empty()) findings.push_back(recording(one));
  findings.push_back(namespaces());
  append(labs(installed));
  append({memory_of_others(), clock(), cores()});
  return findings;
}

}  // namespace ww::doctor
