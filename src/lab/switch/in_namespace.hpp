// Other people's programs (ip, tc) and kernel settings inside a network namespace.
#pragma once
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::lab {

// Moves the calling thread into that network namespace.
Result<void> enter_network(int namespace_fd);
// Runs a program in the network namespace of the calling thread, giving it `input`. Error: what it said.
Result<void> run_with_input(const std::vector<std::string>& arguments, const std::string& input);
// Writes /proc/sys/PATH as seen from the network namespace of the calling thread.
Result<void> set_kernel(const std::string& path, const std::string& value);

}  // namespace ww::lab
