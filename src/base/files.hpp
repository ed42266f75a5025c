// Files: whole reads, and writes that leave either the old file or the complete new one.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww {

Result<std::string> read_file(const std::filesystem::path& path);
// Writes beside the target, then renames over it.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

// Parts of whatwire itself, found from where the running program is, so that an installed tree can be moved.
std::filesystem::path preload_library(const std::string& name);  // lib/whatwire/NAME
std::filesystem::path helper_program(const std::string& name);   // libexec/whatwire/NAME
std::filesystem::path own_program();                             // bin/whatwire

}  // namespace ww
