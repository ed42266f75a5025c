#include "instrument/clang/places.hpp"

#include <clang/Basic/FileEntry.h>
#include <clang/Lex/Lexer.h>

#include <cctype>
#include <filesystem>

namespace ww::instrument {

const std::string& Places::path_of(clang::FileID file) {
  const auto [found, is_new] = paths_.try_emplace(file);
  if (!is_new) return found->second;
  const auto entry = sources_.getFileEntryRefForID(file);
  if (!entry) return found->second;
  std::error_code error;
  llvm::SmallString<256> path(entry->getName());
  sources_.getFileManager().makeAbsolutePath(path);
  const auto real = std::filesystem::canonical(path.str().str(), error);
  if (!error) found->second = real.string();
  return found->second;
}

Note Places::note(clang::SourceLocation at, std::string text) {
  const auto where = sources_.getDecomposedExpansionLoc(at);
  return {path_of(where.first), sources_.getLineNumber(where.first, where.second), std::move(text)};
}

std::optional<SourcePiece> Places::piece(clang::SourceRange tokens) {
  for (clang::SourceLocation at : {tokens.getBegin(), tokens.getEnd()})
    for (; at.isMacroID(); at = sources_.getImmediateExpansionRange(at).getBegin())
      if (sources_.isMacroArgExpansion(at)) {
        // what is given to a macro that stands within the tokens as a whole is in nobody's way
        const auto outermost = sources_.getExpansionRange(at);
        const auto whole = clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(tokens),
                                                           sources_, language_);
        if (whole.isInvalid() ||
            sources_.getFileOffset(whole.getBegin()) > sources_.getFileOffset(outermost.getBegin()) ||
            sources_.getFileOffset(whole.getEnd()) <= sources_.getFileOffset(outermost.getEnd()))
          return std::nullopt;
      }
  const auto range =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(tokens), sources_, language_);
  if (range.isInvalid()) return std::nullopt;
  const auto begin = sources_.getDecomposedLoc(range.getBegin()),
             end = sources_.getDecomposedLoc(range.getEnd());
  if (begin.first != end.first || begin.second >= end.second) return std::nullopt;
  return SourcePiece{path_of(begin.first), begin.second, end.second};
}

std::string Places::written(clang::SourceRange tokens) {
  const auto range =
      clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(tokens), sources_, language_);
  return range.isInvalid() ? std::string()
                           : without_space(clang::Lexer::getSourceText(range, sources_, language_));
}

std::string without_space(llvm::StringRef text) {
  const auto part_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::string out;
  bool space = false;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      space = true;
      continue;
    }
    if (space && !out.empty() && part_of_word(out.back()) && part_of_word(c)) out += ' ';
    space = false;
    out += c;
  }
  return out;
}

}  // namespace ww::instrument
