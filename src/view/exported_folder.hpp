// A trace as a folder that any web server can give, without a program behind it: the viewer's page, the trace in pieces for its
// timeline, the packed trace and the module that answers all else. For traces that are too large for one file.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/result.hpp"
#include "view/open_trace.hpp"

namespace ww::view {

// Made beside and renamed; what was there of ours is kept as FOLDER.old. `diagnostics`: what the folder lacks. Gives lines for the user.
// Errors: those of the trace; FOLDER is not ours; this whatwire was built without the page.
Result<std::vector<std::string>> export_folder(const std::shared_ptr<OpenTrace>& trace,
                                               const std::string& made_by,  // "whatwire 0.1.0"
                                               const std::filesystem::path& folder, Diagnostics& diagnostics);

}  // namespace ww::view
