// Did a lab keep its rate?
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "base/diagnostic.hpp"

namespace ww::lab {

// `lab-late` if more than one frame in a hundred left the switch later than the wire covers (WireTimes), so
// that the lab was slower than its rate says; with how many, and what the machine did meanwhile. Counted is
// what came after `before`, an earlier status of that lab; null, or none: all since it is up.
Diagnostics timeliness(const nlohmann::json& status, const nlohmann::json& before);
Diagnostics timeliness(const nlohmann::json& status);

}  // namespace ww::lab
