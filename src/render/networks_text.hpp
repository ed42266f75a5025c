// The networks that simulate can build, for its help.
#pragma once
#include <string>

namespace ww {

// A line each: name, what it is, and its keys.
std::string show_networks();

}  // namespace ww
