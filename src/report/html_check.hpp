// Is the data what html.hpp says? Asked before a page is written that would be empty or wrong.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace ww {

Result<void> check_report_data(const nlohmann::json& data);

// study.json. The error says what is expected, and of which key.
Result<void> check_study(const nlohmann::json& study);

}  // namespace ww
