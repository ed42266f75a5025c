#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: no character begins so
};

// UTF-8 as RFC 3629 has it: no surrogates, no longer forms than needed.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char head = byte(0);
  if (head < 0x80) return {head, 1};
  const std::size_t bytes = head >= 0xf0 && head <= 0xf4 ? 4 : head >= 0xe0 ? 3 : 2;
  if (head < 0xc2 || head > 0xf4 || text.size() < bytes) return {};
  char32_t code = head & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, bytes};
}

bool turns_direction(char32_t code) {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
         code == 0x200f || code == 0x061c;
}

// Ends a line where nobody expects it.
bool ends_line(char32_t code) {
  return code == 0x2028 || code == 0x2029;
}

std::string cleaned(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (bytes == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (code == '\n')
      out += keep_lines ? "\n" : "\\n";
    else if (code == '\t')
      out += keep_lines ? "\t" : "\\t";
    else if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(code));
    else if ((code >= 0x80 && code < 0xa0) || turns_direction(code) || ends_line(code))
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    else
      out += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return cleaned(text, false);
}

std::string printable_lines(std::string_view text) {
  return cleaned(text, true);
}

std::string csv_field(std::string_view text) {
  std::string field(text);
  if (!field.empty() && std::string_view("=+-@\t\r").find(field.front()) != std::string_view::npos)
    field.insert(field.begin(), '\'');
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "";
}

std::string json_text(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

void make_printable(nlohmann::json& json) {
  if (json.is_string()) {
    json = printable_lines(json.get_ref<const std::string&>());
  } else if (json.is_array()) {
    for (nlohmann::json& one : json) make_printable(one);
  } else if (json.is_object()) {
    nlohmann::json out = nlohmann::json::object();
    for (auto& [key, value] : json.items()) {
      make_printable(value);
      out[printable(key)] = std::move(value);
    }
    json = std::move(out);
  }
}

std::vector<std::string_view> split_words(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0;;) {
    at = list.find_first_not_of(" \n", at);
    if (at == std::string_view::npos) return words;
    const std::size_t end = std::min(list.find_first_of(" \n", at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end;
  }
}

bool lists(std::string_view list, std::string_view word) {
  const auto words = split_words(list);
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace ww
