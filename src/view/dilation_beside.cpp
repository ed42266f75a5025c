#include "view/dilation_beside.hpp"

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "report/dilation_check.hpp"

namespace ww::view {
namespace fs = std::filesystem;

Result<std::shared_ptr<const nlohmann::json>> dilation_in(const fs::path& file) {
  WW_TRY(const std::string text, read_file(file));
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  make_printable(json);
  if (json.is_object() && json.contains("dilation")) json = nlohmann::json(json["dilation"]);
  const auto good = dilation_check()(json, "");
  if (!good || !json.contains("shares") || !json.contains("speedup"))
    return fail(
        "no dilation", file.string(),
        "name what whatwire dilate -D 1,2,4 --json printed, or the study.json of a study that dilated");
  return std::make_shared<const nlohmann::json>(std::move(json));
}

std::shared_ptr<const nlohmann::json> dilation_beside(const fs::path& trace) {
  std::error_code ignored;
  const fs::path dir = fs::is_directory(trace, ignored) ? trace : trace.parent_path();
  for (const fs::path& study : {dir, fs::absolute(dir, ignored).lexically_normal().parent_path()})
    if (fs::is_regular_file(study / "study.json", ignored))
      if (auto found = dilation_in(study / "study.json")) return *std::move(found);
  return nullptr;
}

}  // namespace ww::view
