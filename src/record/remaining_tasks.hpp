// Tasks of a program that go on after it: what a library's daemons started does not end with who asked for it.
#pragma once
#include <filesystem>

#include "library/libraries.hpp"

namespace ww {

// Returns when every task that records into the spool has ended, as far as it runs on this host (in a lab, its helper waits), but for the
// library's own servers; at the latest after that time, with false.
bool wait_for_tasks(const std::filesystem::path& spool, const Library& library, double limit_s);

}  // namespace ww
