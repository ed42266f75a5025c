// Lines of the text forms.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww::prase {

inline std::string_view first_line(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// take(line without its end) for each line that is not blank, tabs made blanks; false from it is an error that names the line.
template <class Take>
Result<void> for_lines(std::string_view text, const std::string& name, const char* form, Take&& take) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    std::string line(first_line(text));
    const auto end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    for (char& one : line)
      if (one == '\t') one = ' ';
    if (line.find_first_not_of(' ') != std::string::npos && !take(line))
      return fail("a line that is none of the form", fmt::format("{}:{}", name, number), form);
  }
  return {};
}

}  // namespace ww::prase
