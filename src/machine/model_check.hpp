// A machine model's JSON, as `machine show --json` prints it: docs/machine-model.md.
#pragma once
#include "base/json_check.hpp"

namespace ww::check {

Check machine_check();

}  // namespace ww::check
