#include "view/response.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace ww::view {
namespace {
constexpr const char* json_type = "application/json";
}

Response json_response(const nlohmann::json& json) {
  return {200, json_type, std::make_shared<const std::string>(json_text(json)), false};
}

Response binary_response(std::string bytes, bool cacheable) {
  return {200, "application/octet-stream", std::make_shared<const std::string>(std::move(bytes)), cacheable};
}

Response refusal(int status, const std::string& error, const std::string& remedy) {
  const nlohmann::json json = {{"error", printable_lines(error)}, {"remedy", printable_lines(remedy)}};
  return {status, json_type, std::make_shared<const std::string>(json_text(json)), false};
}

Response refusal(const Error& error) {
  return refusal(error.usage ? 400 : 409, error.where.empty() ? error.what : error.what + ": " + error.where,
                 error.remedy);
}

}  // namespace ww::view
