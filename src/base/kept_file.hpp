// Files that a command is about to write under a name where something is already.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace ww {

// Can a file be written there? Errors: it is a directory; it is a symbolic link to anything but a device or a
// pipe (what it points to would not be what is written, and the link would be lost); its directory is not
// there or not ours to write in. To be asked before work that takes long.
Result<void> check_output_file(const std::filesystem::path& file);

// A device, a pipe, or one of our own streams (/dev/stdout): to be written to as it is.
bool is_stream(const std::filesystem::path& file);
Result<void> write_stream(const std::filesystem::path& file, std::string_view content);

// What is there gets a second name, FILE.old, by which it stays when FILE is written (or FILE.old.2 and so
// on: an earlier FILE.old goes only if `ours` says that we wrote it). Where nothing is, or a device, nothing
// is done. Gives a line for the user.
Result<std::vector<std::string>> keep_previous_file(
    const std::filesystem::path& file, const std::function<bool(const std::filesystem::path&)>& ours);

// The two begin as files of one writer do: the same first line, which says enough (at most 100 characters, at
// least ten).
bool begin_alike(const std::filesystem::path& a, const std::filesystem::path& b);

// Writes a file that the user named: checked, whole or not at all, and what is there is kept unless it is
// `ours`. A device or a pipe is written to as it is.
Result<std::vector<std::string>> write_output_file(
    const std::filesystem::path& file, std::string_view content,
    const std::function<bool(const std::filesystem::path&)>& ours);

}  // namespace ww
