#include "instrument/fortran/variable_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace ww::instrument {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Behind the parenthesis that closes the one at `open`; npos: it does not close.
std::size_t behind(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return std::string::npos;
}

std::vector<std::string> separated(const std::string& list) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<long> number(const std::string& text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string as_variable(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  for (std::size_t at; (at = text.find("->")) != std::string::npos;) text.replace(at, 2, 1, '%');
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<VariablePart> parts_of(const std::string& text) {
  std::vector<VariablePart> parts;
  for (std::size_t at = 0; at < text.size();) {
    VariablePart part;
    while (at < text.size() && is_word(text[at])) part.name += text[at++];
    if (part.name.empty()) return {};
    if (at < text.size() && text[at] == '(') {
      const std::size_t end = behind(text, at);
      if (end == std::string::npos) return {};
      part.subscripts = separated(text.substr(at + 1, end - at - 2));
      part.is_subscripted = true;
      at = end;
      if (at < text.size() && text[at] == '(') return {};  // a part of a text
    }
    parts.push_back(std::move(part));
    if (at == text.size()) return parts;
    if (text[at++] != '%') return {};
  }
  return {};
}

std::string bare(const std::vector<VariablePart>& parts) {
  std::string text;
  for (const VariablePart& part : parts) text += (text.empty() ? "" : "%") + part.name;
  return text;
}

std::optional<VariableMatch> match(const std::string& watched, const std::string& assigned) {
  const auto wanted = parts_of(watched), parts = parts_of(assigned);
  if (wanted.empty() || parts.empty()) return std::nullopt;
  if (watched == assigned) return VariableMatch{assigned, {}};
  const bool has_subscripts =
      std::any_of(wanted.begin(), wanted.end(), [](const VariablePart& part) { return part.is_subscripted; });
  if (!has_subscripts) {
    const std::string asked = bare(wanted), is = bare(parts);
    if (is != asked && !is.starts_with(asked + "%")) return std::nullopt;
    return VariableMatch{assigned, {}};
  }
  if (wanted.size() != parts.size()) return std::nullopt;
  VariableMatch found{watched, {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (wanted[i].name != parts[i].name || wanted[i].subscripts.size() != parts[i].subscripts.size())
      return std::nullopt;
    for (std::size_t k = 0; k < parts[i].subscripts.size(); ++k) {
      if (wanted[i].subscripts[k] == parts[i].subscripts[k]) continue;
      const auto value = number(wanted[i].subscripts[k]);
      if (!value || number(parts[i].subscripts[k])) return std::nullopt;
      found.indices.emplace_back(parts[i].subscripts[k], *value);
    }
  }
  return found;
}

std::vector<std::string> called_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '(' || !is_word(text[i - 1])) continue;
    std::size_t begin = i;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    names.push_back(text.substr(begin, i - begin));
  }
  return names;
}

bool is_computing_intrinsic(const std::string& name) {
  constexpr std::array known = {"abs",    "iabs",  "int",  "nint",  "mod",     "modulo", "min",  "max",
                                "min0",   "max0",  "iand", "ior",   "ieor",    "ishft",  "size", "lbound",
                                "ubound", "merge", "sign", "floor", "ceiling", "real",   "dble"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

}  // namespace ww::instrument
