// One part of the machine a file, in the order of the report.
#pragma once
#include <vector>

#include "doctor/doctor.hpp"
#include "library/libraries.hpp"

namespace ww::doctor {

struct Installation {
  const Library* library;
  std::string launcher;  // that is there; empty: none
  bool runs = false;     // two ranks exchanged messages
};

// Fills in the launcher.
Finding launcher(Installation& found);
std::vector<Finding> parts();
// Two ranks on this host, recorded; what whatwire then knows of them.
Finding recording(Installation& of);

Finding namespaces();
// Labs of two hosts; what is installed runs on one.
std::vector<Finding> labs(const std::vector<Installation>& installed);

Finding memory_of_others();
Finding clock();
Finding cores();

// Our program of two ranks that exchange messages, behind its launcher.
std::vector<std::string> hello(const Installation& of);

}  // namespace ww::doctor
