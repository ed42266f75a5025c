// Two machine models side by side: one-way times over the sizes that both know.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "machine/model.hpp"

namespace ww {

struct LinkDifference {
  struct Size {
    double bytes = 0, a_s = 0, b_s = 0, relative = 0;  // relative: a_s / b_s - 1
  };
  Place between = Place::inter;
  std::vector<Size> sizes;    // 8 bytes and up, each twice the one before
  double mean = 0, most = 0;  // of the relative ones without their signs
};
// Of the links that both have, in the order of a's.
std::vector<LinkDifference> differences(const MachineModel& a, const MachineModel& b);
nlohmann::json to_json(const std::vector<LinkDifference>& links);

}  // namespace ww
