// How much memory there is for this process.
#pragma once
#include <cstdint>
#include <filesystem>

namespace ww {

// The least of what the machine has available, of the limits of the control groups that the process is in
// (versions 1 and 2) less what they use that is no cache of files, and of RLIMIT_DATA. `root`: where /proc and
// /sys are looked for, for tests.
std::uint64_t memory_available_bytes(const std::filesystem::path& root = "/");

// RLIMIT_AS, `ulimit -v`: it counts mapped files like memory, so that a file is no way out.
bool are_addresses_limited();

}  // namespace ww
