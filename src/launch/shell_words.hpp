// What a shell would make of a line, where it is one plain command.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ww::launch {

// The words of "X=1 mpirun -n 2 './my app'"; a leading `exec` is left out, leading assignments become
// `env X=1`. Nothing if the shell would do more: several commands, redirections, variables, patterns.
std::optional<std::vector<std::string>> words_of_plain_command(const std::string& line);

}  // namespace ww::launch
