// A source that flang's parser has read, and where its statements stand in the file.
#pragma once
#include <flang/Parser/parsing.h>
#include <flang/Parser/provenance.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace ww::instrument {

struct ParsedSource {
  std::string path;
  Fortran::parser::AllSources sources;
  Fortran::parser::AllCookedSources cooked{sources};
  Fortran::parser::Parsing parsing{cooked};
  std::string text;  // as flang reads it: without carriage returns and byte order mark
  bool fixed_form = false;

  // Where a letter of the parser's own text stands in the file, or the name of the macro that it comes from; nothing if it comes from
  // an included file.
  std::optional<std::size_t> place(const char* at) const {
    const auto range = cooked.GetProvenanceRange(Fortran::parser::CharBlock(at, 1));
    if (!range) return std::nullopt;
    std::size_t offset = 0;
    const Fortran::parser::SourceFile* const file = sources.GetSourceFile(range->start(), &offset);
    if (file == nullptr || file->path() != path || offset >= text.size()) return std::nullopt;
    return offset;
  }
  // Nothing if it comes from a macro.
  std::optional<std::size_t> offset(const char* at) const {
    const auto found = place(at);
    const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return found && small(text[*found]) == small(*at) ? found : std::nullopt;
  }
  // Behind the last letter of a statement; behind the macro that it comes from, with its arguments.
  std::optional<std::size_t> behind(const char* last) const {
    const auto found = place(last);
    if (!found) return std::nullopt;
    std::size_t end = *found + 1;
    const auto is_word = [&](std::size_t at) {
      return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    while (is_word(end)) ++end;
    if (is_word(end - 1) && end < text.size() && text[end] == '(') {
      int depth = 0;
      do {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      } while (++end < text.size() && depth > 0 && text[end] != '\n');
      if (depth > 0) return std::nullopt;
    }
    return end;
  }
  unsigned line_of(std::size_t at) const {
    return 1 + static_cast<unsigned>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
};

}  // namespace ww::instrument
