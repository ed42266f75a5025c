#include "lab/name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww::lab {
namespace {

// A socket's path has 107 characters in all.
constexpr std::size_t longest = 20;

// Not isalnum: what is a letter there depends on the locale.
bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

// Fit for a terminal, and for one line.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 60;
  std::string out = "'";
  for (const char c : text.substr(0, most))
    out += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out + (text.size() > most ? "...'" : "'");
}

}  // namespace

Result<LabName> LabName::parse(std::string_view text) {
  if (text.empty() || text.size() > longest || text.front() == '-' ||
      !std::all_of(text.begin(), text.end(), plain))
    return wrong_usage(fmt::format("a lab's name is 1 to {} letters, digits and dashes, no path", longest),
                       shown(text), "whatwire lab status lists the labs that are up");
  return LabName(text);
}

}  // namespace ww::lab
