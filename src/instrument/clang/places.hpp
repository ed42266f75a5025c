// Where things of a translation unit stand in the files that are copied.
#pragma once
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "instrument/sites.hpp"

namespace ww::instrument {

// A piece of a copied file.
struct SourcePiece {
  std::string file;
  std::size_t begin = 0, end = 0;
};

class Places {
 public:
  Places(const clang::SourceManager& sources, const clang::LangOptions& language,
         const std::set<std::string>& copied)
      : sources_(sources), language_(language), copied_(copied) {}

  // Absolute and without links; empty of what is no file.
  const std::string& path_of(clang::FileID file);
  bool is_copied(clang::FileID file) { return copied_.count(path_of(file)) > 0; }
  const std::set<std::string>& copied() const { return copied_; }

  // Line and file of where it is used, macros looked through.
  Note note(clang::SourceLocation at, std::string text);
  bool in_copied_file(clang::SourceLocation at) {
    return is_copied(sources_.getFileID(sources_.getExpansionLoc(at)));
  }
  bool in_system_header(clang::SourceLocation at) const {
    return sources_.isInSystemHeader(sources_.getExpansionLoc(at));
  }

  // What stands in the file for these tokens: whole uses of macros, and nothing where they begin or end within
  // one, or are given to one (which may write them down, or use them twice). The file may be any.
  std::optional<SourcePiece> piece(clang::SourceRange tokens);
  // As the source has it, without space between.
  std::string written(clang::SourceRange tokens);

  const clang::SourceManager& sources() const { return sources_; }
  const clang::LangOptions& language() const { return language_; }

 private:
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  const std::set<std::string>& copied_;
  std::map<clang::FileID, std::string> paths_;
};

// Without the spaces that do not part two words.
std::string without_space(llvm::StringRef text);

}  // namespace ww::instrument
