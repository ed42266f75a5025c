// Where the labs of a user are: $XDG_RUNTIME_DIR/whatwire, else /run/whatwire (root) or /tmp/whatwire-UID.
// What stands there is believed (which processes are a lab's, which socket is its switch's), so that it must
// be nobody else's: looked at by descriptor each time, never through a symbolic link.
#pragma once
#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "lab/name.hpp"

namespace ww::lab {

// The directory for new labs; made if it is not there. Error: somebody else's, open to others, a link.
Result<std::filesystem::path> directory_of_labs();
// Those that are there and ours, it first; error if it is not ours: a lab that was made in a session with
// XDG_RUNTIME_DIR is found without, and the other way round.
Result<std::vector<std::filesystem::path>> directories_of_labs();
// Where that lab is, or would be made.
Result<std::filesystem::path> lab_directory(const LabName& name);

// One of them, by itself (tests): made (mode 0700) in `parent` if need be, then checked.
Result<void> claim_directory(const std::filesystem::path& parent, const std::string& name);

}  // namespace ww::lab
