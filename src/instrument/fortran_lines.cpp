#include "instrument/fortran_lines.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace ww::instrument {
namespace {

constexpr std::string_view blanks = " \t\r";

struct Line {
  std::size_t begin = 0, end = 0;
  std::string_view text;
};

Line line_at(const std::string& text, std::size_t begin) {
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  return {begin, end, std::string_view(text).substr(begin, end - begin)};
}

Line line_before(const std::string& text, std::size_t begin) {
  const std::size_t newline = begin < 2 ? std::string::npos : text.rfind('\n', begin - 2);
  return line_at(text, newline == std::string::npos ? 0 : newline + 1);
}

std::string squeezed(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (blanks.find(c) == std::string_view::npos)
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Behind the letter that makes a comment of the line; npos: it is none.
std::size_t behind_comment_letter(std::string_view line, bool fixed_form) {
  if (fixed_form && !line.empty() && std::string_view("cC*!dD").find(line[0]) != std::string_view::npos)
    return 1;
  const std::size_t at = line.find_first_not_of(blanks);
  const bool continues = fixed_form && at == 5;  // whatever stands there
  return at != std::string_view::npos && line[at] == '!' && !continues ? at + 1 : std::string_view::npos;
}

// Where the "$" of conditional compilation is.
std::size_t conditional_at(std::string_view line, bool fixed_form) {
  const std::size_t behind = behind_comment_letter(line, fixed_form);
  if (behind >= line.size() || line[behind] != '$') return std::string_view::npos;
  if (!fixed_form || behind != 1)
    return behind + 1 == line.size() || blanks.find(line[behind + 1]) != std::string_view::npos
               ? behind
               : std::string_view::npos;
  const std::string_view label = line.substr(2, 3);
  return std::all_of(label.begin(), label.end(),
                     [](unsigned char c) { return std::isspace(c) != 0 || std::isdigit(c) != 0; })
             ? behind
             : std::string_view::npos;
}

constexpr std::array sentinels = {"$omp", "$acc", "$ompx", "dir$", "dec$", "gcc$"};

// What is behind its sentinel, with that in front; empty: it is no directive.
std::string directive(std::string_view line, bool fixed_form) {
  const std::size_t behind = behind_comment_letter(line, fixed_form);
  if (behind == std::string_view::npos) return "";
  std::string rest = squeezed(line.substr(behind));
  return std::any_of(sentinels.begin(), sentinels.end(),
                     [&](const char* sentinel) { return rest.starts_with(sentinel); })
             ? rest
             : "";
}

bool continues_the_last(const std::string& text, const Line& line, bool fixed_form) {
  if (line.begin == 0) return false;
  if (fixed_form) return line.text.size() > 5 && line.text[5] != ' ' && line.text[5] != '0';
  const Line last = line_before(text, line.begin);
  if (directive(last.text, fixed_form).empty()) return false;
  const std::string words =
      squeezed(last.text.substr(0, last.text.find('!', last.text.find('!') + 1)));  // a comment may follow
  return words.ends_with('&');
}

bool stands_among_declarations(std::string_view words) {
  constexpr std::array known = {"$ompthreadprivate", "$ompdeclare", "$omprequires", "$ompbegindeclare",
                                "$ompenddeclare",    "$ompassumes", "$accroutine",  "$accdeclare",
                                "dir$attrib",        "dec$attrib",  "gcc$attrib",   "gcc$builtin"};
  return std::any_of(known.begin(), known.end(), [&](const char* name) { return words.starts_with(name); });
}

bool is_preprocessor(const Line& line, std::string_view word) {
  return line.text.starts_with('#') && squeezed(line.text.substr(1)).starts_with(word);
}

// The #if of an #endif; its own place where text other than comments is between.
std::size_t begin_of_comments(const std::string& text, const Line& endif, bool fixed_form) {
  int depth = 1;
  for (Line line = endif; depth > 0;) {
    if (line.begin == 0) return endif.begin;
    line = line_before(text, line.begin);
    if (is_preprocessor(line, "endif"))
      ++depth;
    else if (is_preprocessor(line, "if"))
      --depth;
    const bool is_one_of_them = is_preprocessor(line, "endif") || is_preprocessor(line, "if") ||
                                is_preprocessor(line, "el") || squeezed(line.text).empty() ||
                                (behind_comment_letter(line.text, fixed_form) != std::string_view::npos &&
                                 conditional_at(line.text, fixed_form) == std::string_view::npos);
    if (!is_one_of_them) return endif.begin;
    if (depth == 0) return line.begin;
  }
  return endif.begin;
}

}  // namespace

std::size_t begin_with_directives(const std::string& text, std::size_t begin, bool fixed_form) {
  std::size_t found = begin;
  for (std::size_t at = begin; at > 0;) {
    Line line = line_before(text, at);
    if (is_preprocessor(line, "endif")) {
      const std::size_t opened = begin_of_comments(text, line, fixed_form);
      if (opened == line.begin) break;
      for (Line within = line; within.begin > opened;) {
        within = line_before(text, within.begin);
        const std::string words = directive(within.text, fixed_form);
        if (!words.empty() && !stands_among_declarations(words)) found = opened;
      }
      at = opened;
      continue;
    }
    if (squeezed(line.text).empty()) {
      at = line.begin;
      continue;
    }
    if (behind_comment_letter(line.text, fixed_form) == std::string_view::npos ||
        conditional_at(line.text, fixed_form) != std::string_view::npos)
      break;
    if (!directive(line.text, fixed_form).empty()) {
      while (continues_the_last(text, line, fixed_form)) line = line_before(text, line.begin);
      const std::string words = directive(line.text, fixed_form);
      if (words.empty() || stands_among_declarations(words)) break;
      found = line.begin;
    }
    at = line.begin;
  }
  return found;
}

std::size_t behind_end_of_atomic(const std::string& text, std::size_t begin, bool fixed_form) {
  for (Line line = line_at(text, begin); line.begin < text.size(); line = line_at(text, line.end + 1)) {
    const std::string words = directive(line.text, fixed_form);
    if (words.starts_with("$ompendatomic") || words.starts_with("$accendatomic"))
      return std::min(line.end + 1, text.size());
    const bool is_comment = behind_comment_letter(line.text, fixed_form) != std::string_view::npos &&
                            conditional_at(line.text, fixed_form) == std::string_view::npos;
    if (!words.empty() || !(is_comment || squeezed(line.text).empty()) || line.end == text.size()) break;
  }
  return begin;
}

bool is_in_workshare(const std::string& text, std::size_t at, bool fixed_form) {
  for (Line line = {at, at, {}}; line.begin > 0;) {
    line = line_before(text, line.begin);
    const std::string words = directive(line.text, fixed_form);
    if (words.starts_with("$omp") && words.find("workshare") != std::string::npos)
      return !words.starts_with("$ompend");
  }
  return false;
}

std::string with_conditional_lines(std::string text, bool fixed_form) {
  for (std::size_t begin = 0; begin < text.size();) {
    const Line line = line_at(text, begin);
    const std::size_t end = line.end;
    if (const std::size_t at = conditional_at(line.text, fixed_form); at != std::string_view::npos) {
      text[begin + at] = ' ';
      text[begin + at - 1] = ' ';
    }
    begin = end + 1;
  }
  return text;
}

}  // namespace ww::instrument
