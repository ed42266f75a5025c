// What of whatwire works on this machine for this user. What can be tried is tried: programs of both MPIs are
// started, bare and recorded, a lab is made and removed. A few seconds.
#pragma once
#include <string>
#include <vector>

namespace ww::doctor {

enum class Working { good, limited, missing };
const char* to_string(Working state);  // "ok", "limited", "missing"

struct Finding {
  std::string subject;
  Working state;
  std::string found;   // what is there, or what its absence means
  std::string remedy;  // empty when good
};

std::vector<Finding> examine();

}  // namespace ww::doctor
