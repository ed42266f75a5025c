#include "launch/ask.hpp"

#include <algorithm>
#include <sstream>

#include "base/subprocess.hpp"
#include "base/text.hpp"

namespace ww::launch {
namespace {

constexpr double patience_s = 10;  // launchers of batch systems may ask a server first

std::string printed_by(const std::string& path, std::string_view words) {
  Command command{.arguments = {path},
                  .output = Command::Output::capture,
                  .capture_errors = true,
                  .no_input = true,
                  .time_limit_s = patience_s};
  for (std::string_view word : split_words(words)) command.arguments.emplace_back(word);
  const auto said = run(command);
  return said && said->exit_code == 0 ? said->output + "\n" + said->errors : "";
}

bool is_option_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// One line of help, from its first option on.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  void read(std::map<std::string, int>& into) {
    std::vector<std::string> aliases;
    int most = 0;
    while (at_ < text_.size() && text_[at_] == '-') {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_option_letter(text_[at_])) ++at_;
      aliases.emplace_back(text_.substr(begin, at_ - begin));
      most = std::max(most, values());
      if (!skip_separator()) break;
    }
    for (const std::string& alias : aliases)
      if (alias != "-" && alias != "--") into.emplace(alias, most);
  }

 private:
  // "=name", "[=name]", " <a> <b>", " {name} {value}", " NAME".
  int values() {
    if (at_ >= text_.size()) return 0;
    if (text_[at_] == '=') {
      skip_word();
      return 1;
    }
    if (text_[at_] == '[') {
      skip_word();
      return 0;
    }
    int count = 0;
    while (at_ + 1 < text_.size() && text_[at_] == ' ') {
      const char next = text_[at_ + 1];
      const char closing = next == '<' ? '>' : next == '{' ? '}' : '\0';
      if (closing != '\0') {
        const std::size_t end = text_.find(closing, at_);
        if (end == std::string_view::npos) break;
        at_ = end + 1;
      } else if (is_name_of_value(at_ + 1)) {
        ++at_;
        while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != ',') ++at_;
      } else {
        break;
      }
      ++count;
    }
    return count;
  }

  // In capitals throughout: N, FILE, NAME=VALUE. The description behind two blanks is none.
  bool is_name_of_value(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && text_[end] != ' ' && text_[end] != ',') ++end;
    const std::string_view word = text_.substr(from, end - from);
    return !word.empty() &&
           std::all_of(word.begin(), word.end(),
                       [](char c) {
                         return (c >= 'A' && c <= 'Z') || c == '_' || c == '=' || c == ':' || c == '.' ||
                                c == '[' || c == ']';
                       }) &&
           word.front() >= 'A' && word.front() <= 'Z';
  }

  void skip_word() {
    while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != ',') ++at_;
  }

  bool skip_separator() {
    if (at_ < text_.size() && (text_[at_] == ',' || text_[at_] == '|' || text_[at_] == '/')) {
      ++at_;
      while (at_ < text_.size() && text_[at_] == ' ') ++at_;
      return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::map<std::string, int> options_in_help(const std::string& text) {
  std::map<std::string, int> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos || line[begin] != '-') continue;
    Line(std::string_view(line).substr(begin)).read(found);
  }
  return found;
}

std::optional<int> AskedLauncher::words_of(const std::string& option) {
  if (!told_) told_ = options_in_help(printed_by(path_, starter_ != nullptr ? starter_->help : "--help"));
  auto found = told_->find(option);
  if (found == told_->end() && starter_ != nullptr && starter_->syntax == Syntax::names)
    found = told_->find(option.starts_with("--") ? option.substr(1) : "-" + option);
  if (found == told_->end()) return std::nullopt;
  if (found->second == 0 && starter_ != nullptr && !starter_->help_tells_flags) return std::nullopt;
  return found->second;
}

std::string version_of(const std::string& path) {
  return printed_by(path, "--version");
}

}  // namespace ww::launch
