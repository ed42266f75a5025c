// The form of what `dilate --json` prints and a study keeps as "dilation".
#pragma once
#include "base/json_check.hpp"

namespace ww {

check::Check dilation_check();

}  // namespace ww
