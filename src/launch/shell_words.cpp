#include "launch/shell_words.hpp"

#include <algorithm>

#include "base/subprocess.hpp"

namespace ww::launch {
namespace {

struct Split {
  std::vector<std::string> words;
  bool plain = true;  // nothing in it that a shell would expand or obey
};

Split split(const std::string& line) {
  Split out;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'') {
      if (c == '\'')
        quote = '\0';
      else
        word += c;
      continue;
    }
    if (c == '$' || c == '`') out.plain = false;
    if (quote == '"') {
      if (c == '"') {
        quote = '\0';
      } else if (c == '\\' && i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) {
        word += line[++i];
      } else {
        word += c;
      }
      continue;
    }
    if (c == ' ' || c == '\t') {
      if (inside) out.words.push_back(std::move(word));
      word.clear();
      inside = false;
      continue;
    }
    inside = true;
    if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
    } else {
      if (std::string(";&|<>()*?[]{}~#!\n").find(c) != std::string::npos) out.plain = false;
      word += c;
    }
  }
  if (inside) out.words.push_back(std::move(word));
  out.plain = out.plain && quote == '\0';
  return out;
}

bool is_assignment(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::vector<std::string> split_quoted(const std::string& line) {
  return split(line).words;
}

std::optional<std::vector<std::string>> words_of_plain_command(const std::string& line) {
  Split parts = split(line);
  if (!parts.plain) return std::nullopt;
  std::vector<std::string>& words = parts.words;
  const auto begin = std::find_if_not(words.begin(), words.end(), is_assignment);
  if (begin == words.end()) return std::nullopt;
  const bool assigns = begin != words.begin();
  std::size_t command = static_cast<std::size_t>(begin - words.begin());
  if (words[command] == "exec") words.erase(begin);
  // A word of the shell's own (cd, if, exec with options) does something else.
  static const std::vector<std::string> own{"cd",   "export", "ulimit", "umask",  "test", "[",
                                            "true", "false",  "echo",   "printf", "kill", "wait",
                                            "set",  "unset",  "eval",   "trap"};
  if (command >= words.size() || std::find(own.begin(), own.end(), words[command]) != own.end() ||
      !find_program(words[command]))
    return std::nullopt;
  if (assigns) words.insert(words.begin(), "env");
  return std::move(words);
}

}  // namespace ww::launch
