#pragma once
#include <nlohmann/json_fwd.hpp>

namespace ww::measure {

// What the clock of the experiments costs and tells apart: {"call_s", "resolution_s" (the smallest step
// seen), "backward_steps"}.
nlohmann::json timer_facts();

}  // namespace ww::measure
