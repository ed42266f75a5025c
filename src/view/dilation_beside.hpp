// What `whatwire dilate` or a study found of the program that a trace is of.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace ww::view {

// Of a study's directory or a trace in one: what the study keeps; nullptr: there is no study, or none that dilated.
std::shared_ptr<const nlohmann::json> dilation_beside(const std::filesystem::path& trace);
// Of a file that `dilate --json` printed, or of a study.json. Errors: it cannot be read; it is neither.
Result<std::shared_ptr<const nlohmann::json>> dilation_in(const std::filesystem::path& file);

}  // namespace ww::view
