// Names for what is to appear whole or not at all: it is written under one of these and renamed.
#pragma once
#include <filesystem>

namespace ww {

// In the directory of `path`, and of no other writer, also none of another process, container or host.
std::filesystem::path unused_beside(const std::filesystem::path& path);

}  // namespace ww
