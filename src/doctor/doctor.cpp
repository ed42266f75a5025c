#include "doctor/doctor.hpp"

#include "doctor/checks.hpp"

namespace ww::doctor {

const char* to_string(State state) {
  return state == State::good ? "ok" : state == State::limited ? "limited" : "missing";
}

std::vector<Finding> examine() {
  std::vector<Installation> installed{{.mpi = Mpi::openmpi, .launcher = {}},
                                      {.mpi = Mpi::mpich, .launcher = {}}};
  std::vector<Finding> findings{open_mpi(installed[0]), mpich(installed[1])};
  const auto append = [&](const std::vector<Finding>& more) {
    findings.insert(findings.end(), more.begin(), more.end());
  };
  append(parts());
  for (Installation& mpi : installed)
    if (!mpi.launcher.empty()) findings.push_back(recording(mpi));
  findings.push_back(namespaces());
  append(labs(installed));
  append({memory_of_others(), clock(), cores()});
  return findings;
}

}  // namespace ww::doctor
