// Diagnostics on a terminal: severity, name, count and remedy of each. As JSON: base/diagnostic.hpp.
#pragma once
#include <string>

#include "base/diagnostic.hpp"

namespace ww {

// Words of `text` in lines of 100 columns, each but the first indented.
std::string wrapped(const std::string& text, std::size_t indent);
// The remedy in lines of its own; empty when there are none.
std::string show(const Diagnostics& diagnostics);
// The same below "about A:"; empty when there are none.
std::string show_about(const char* what, const Diagnostics& diagnostics);
std::string show_each_on_a_line(const Diagnostics& diagnostics);

}  // namespace ww
