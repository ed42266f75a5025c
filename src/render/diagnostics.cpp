#include "render/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ww {

std::string wrapped(const std::string& text, std::size_t indent) {
  constexpr std::size_t columns = 100;
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) {
      out += line + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line;
}

std::string show(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    text += fmt::format("{}: {}{}\n", to_string(diagnostic.severity), diagnostic.name,
                        diagnostic.count > 1 ? fmt::format(" ({} times)", diagnostic.count) : "");
    if (!diagnostic.remedy.empty()) text += "    " + wrapped(diagnostic.remedy, 4) + "\n";
  }
  return text;
}

std::string show_about(const char* what, const Diagnostics& diagnostics) {
  return diagnostics.all().empty() ? "" : fmt::format("\nabout {}:\n{}", what, show(diagnostics));
}

std::string show_each_on_a_line(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all())
    text += fmt::format("{}: {} ({}): {}\n", to_string(d.severity), d.name, d.count, d.remedy);
  return text;
}

}  // namespace ww
