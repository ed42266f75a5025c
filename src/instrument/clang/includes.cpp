// Includes: a copy lies in another directory than its source, and what is copied is to be included as a copy.
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>

#include <filesystem>

#include "instrument/clang/finders.hpp"

namespace ww::instrument {
namespace {

using namespace clang;

class IncludeWatcher : public PPCallbacks {
 public:
  IncludeWatcher(Places& places, Found& found) : places_(places), found_(found) {}

  void InclusionDirective(SourceLocation hash, const Token& include, StringRef, bool, CharSourceRange name,
                          OptionalFileEntryRef file, StringRef, StringRef, const Module*, bool,
                          SrcMgr::CharacteristicKind) override {
    if (!file) return;
    std::error_code error;
    llvm::SmallString<256> path(file->getName());
    places_.sources().getFileManager().makeAbsolutePath(path);
    const std::string target = std::filesystem::canonical(path.str().str(), error).string();
    if (error || places_.copied().count(target) == 0) return;
    const auto includer = places_.sources().getFileID(places_.sources().getExpansionLoc(hash));
    if (!places_.is_copied(includer)) {
      found_.errors.push_back(places_.note(
          hash,
          fmt::format("this includes {}, which is to be copied, and is not copied itself: name it among the "
                      "sources, too",
                      target)));
      return;
    }
    const auto begin = places_.sources().getDecomposedLoc(name.getBegin()),
               end = places_.sources().getDecomposedLoc(name.getEnd());
    if (name.getBegin().isMacroID() || begin.first != end.first ||
        include.getIdentifierInfo()->getName() == "include_next") {
      found_.errors.push_back(places_.note(
          hash,
          fmt::format("this includes {}, which is to be copied, in a way that cannot be rewritten", target)));
      return;
    }
    found_of(places_.path_of(includer), found_).includes.push_back({begin.second, end.second, target});
  }

 private:
  Places& places_;
  Found& found_;
};

// Of `"x.h"` in this text: what lies beside the file.
void add_beside(const Token& name, FileID file, const std::filesystem::path& path, Places& places,
                Found& found) {
  if (name.isNot(tok::string_literal)) return;
  const StringRef text(name.getLiteralData(), name.getLength());
  if (text.size() < 3 || text.front() != '"') return;
  std::error_code error;
  const auto target =
      std::filesystem::canonical(path.parent_path() / text.substr(1, text.size() - 2).str(), error);
  if (error) return;
  const std::size_t begin = places.sources().getFileOffset(name.getLocation());
  found_of(places.path_of(file), found).includes.push_back({begin, begin + text.size(), target.string()});
}

}  // namespace

void watch_includes(CompilerInstance& compiler, Places& places, Found& found) {
  compiler.getPreprocessor().addPPCallbacks(std::make_unique<IncludeWatcher>(places, found));
}

void find_includes(Places& places, Found& found) {
  const SourceManager& sources = places.sources();
  std::set<std::string> done;
  for (unsigned i = 0; i < sources.local_sloc_entry_size(); ++i) {
    const auto& entry = sources.getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    const FileID file = sources.getFileID(SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (!places.is_copied(file) || !done.insert(places.path_of(file)).second) continue;
    const std::filesystem::path path = places.path_of(file);
    found.seen.push_back(path.string());
    found_of(path.string(), found);
    Lexer lexer(file, sources.getBufferOrFake(file), sources, places.language());
    Token token;
    for (bool last = false; !last;) {
      last = lexer.LexFromRawLexer(token);
      const bool begins = token.is(tok::hash) && token.isAtStartOfLine();
      const bool asks = token.is(tok::raw_identifier) && token.getRawIdentifier() == "__has_include";
      if (!begins && !asks) continue;
      last = lexer.LexFromRawLexer(token);
      const bool includes = begins && token.is(tok::raw_identifier) && token.getRawIdentifier() == "include";
      if (!includes && !(asks && token.is(tok::l_paren))) continue;
      last = lexer.LexFromRawLexer(token);
      add_beside(token, file, path, places, found);
    }
  }
}

}  // namespace ww::instrument
