#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "machine/model.hpp"
#include "machine/presets.hpp"

namespace ww {

using nlohmann::json;

Result<MachineModel> load_model(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    if (auto preset = find_preset(file.string())) return *std::move(preset);
    return fail("no such machine model", file.string(),
                "make one with `whatwire measure`, or name a preset of `whatwire machine list`");
  }
  WW_TRY(const std::string text, read_file(file));
  json parsed;
  try {
    parsed = json::parse(text);
  } catch (const json::exception& problem) {
    return fail(fmt::format("the machine model is not JSON ({})", problem.what()), file.string(),
                "make it anew with `whatwire measure`");
  }
  auto model = model_from_json(parsed);
  if (!model) {
    Error error = model.error();
    error.where = fmt::format("{}, {}", file.string(), error.where);
    return tl::unexpected(std::move(error));
  }
  return model;
}

Result<void> save_model(const MachineModel& model, const std::filesystem::path& file) {
  return write_file(file, json_text(to_json(model), 1) + "\n");
}

}  // namespace ww
