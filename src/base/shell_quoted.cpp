#include "base/subprocess.hpp"

namespace ww {

std::string shell_quoted(const std::vector<std::string>& arguments) {
  static const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) {
      line += argument;
      continue;
    }
    line += '\'';
    for (char c : argument) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

ShellLine shell_line(const std::string& line) {
  ShellLine out;
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
    if (c == ' ' || c == '\t' || c == '\n') {
      if (c == '\n') out.plain = false;
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
      if (std::string(";&|<>()*?[]{}~#!").find(c) != std::string::npos) out.plain = false;
      word += c;
    }
  }
  if (inside) out.words.push_back(std::move(word));
  out.plain = out.plain && quote == '\0';
  return out;
}

}  // namespace ww
