// What the viewer's page may ask to be run (view --allow-run), checked as the command line of `whatwire record` would be, and said
// beside the field that is wrong.
#pragma once
#include <filesystem>

#include "view/run_form.hpp"

namespace ww::cli {

// Of programs below `folder`, which is where launch lines are started: the current one.
view::RunKnowledge run_knowledge(const std::filesystem::path& folder);

}  // namespace ww::cli
