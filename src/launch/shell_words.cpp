#include "launch/shell_words.hpp"

#include <algorithm>

#include "base/subprocess.hpp"

namespace ww::launch {
namespace {

bool is_assignment(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::optional<std::vector<std::string>> words_of_plain_command(const std::string& line) {
  ShellLine parts = shell_line(line);
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
