// What is in a lab's directory (lab_plan.hpp says what for): what may be removed of it.
#pragma once
#include "base/owned.hpp"

namespace ww::lab {

inline constexpr owned::Entry directory_entries[] = {
    {"lab.json"}, {"running.json"}, {"lock"}, {"control"}, {"hosts"}, {"switch.log"}, {"*.part[0-9]*"}};
inline constexpr owned::ContentKind directory_kind{"lab", directory_entries};

}  // namespace ww::lab
