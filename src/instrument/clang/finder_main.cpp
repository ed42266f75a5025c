// whatwire-instrument REQUEST: reads C and C++ with Clang's library and says, as JSON on standard output, what
// stands where in it (instrument/sites.hpp). It writes no file.
#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Tooling/Tooling.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "instrument/clang/finders.hpp"

namespace ww::instrument {
namespace {

using namespace clang;

class ErrorsSeen : public DiagnosticConsumer {
 public:
  explicit ErrorsSeen(Found& found) : found_(found) {}
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& problem) override {
    DiagnosticConsumer::HandleDiagnostic(level, problem);
    if (level < DiagnosticsEngine::Error) return;
    // Headers of GCC's own (omp.h) have attributes that Clang does not know and passes over.
    if (level == DiagnosticsEngine::Error && problem.hasSourceManager() && problem.getLocation().isValid() &&
        problem.getSourceManager().isInSystemHeader(
            problem.getSourceManager().getExpansionLoc(problem.getLocation()))) {
      ++passed_over_;
      return;
    }
    llvm::SmallString<256> text;
    problem.FormatDiagnostic(text);
    Note note{"", 0, text.str().str()};
    if (problem.hasSourceManager() && problem.getLocation().isValid()) {
      const PresumedLoc at = problem.getSourceManager().getPresumedLoc(problem.getLocation());
      if (at.isValid()) note = {at.getFilename(), at.getLine(), note.text};
    }
    found_.errors.push_back(std::move(note));
  }

  bool any_passed_over() const { return passed_over_ > 0; }

 private:
  Found& found_;
  int passed_over_ = 0;
};

class UnitReader : public ASTConsumer {
 public:
  UnitReader(CompilerInstance& compiler, const std::set<std::string>& copied, const FinderRequest& request,
             Found& found)
      : places_(compiler.getSourceManager(), compiler.getLangOpts(), copied),
        request_(request),
        found_(found) {
    watch_includes(compiler, places_, found);
    errors_before_ = found.errors.size();
  }
  void HandleTranslationUnit(ASTContext& context) override {
    if (found_.errors.size() > errors_before_) return;
    if (context.getCurrentNamedModule() != nullptr) {
      found_.errors.push_back({"", 0, "a unit of a C++ module cannot be instrumented"});
      return;
    }
    find_functions(context, places_, request_, found_);
    if (!request_.watches.empty()) find_watched(context, places_, request_, found_);
    find_includes(places_, found_);
  }

 private:
  Places places_;
  const FinderRequest& request_;
  Found& found_;
  std::size_t errors_before_ = 0;
};

class ReadUnit : public ASTFrontendAction {
 public:
  ReadUnit(const std::set<std::string>& copied, const FinderRequest& request, Found& found)
      : copied_(copied), request_(request), found_(found) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    return std::make_unique<UnitReader>(compiler, copied_, request_, found_);
  }

 private:
  const std::set<std::string>& copied_;
  const FinderRequest& request_;
  Found& found_;
};

// What several units have found of one header is there once.
template <class Site>
void once(std::vector<Site>& sites, auto key) {
  std::stable_sort(sites.begin(), sites.end(), [&](const Site& a, const Site& b) { return key(a) < key(b); });
  sites.erase(
      std::unique(sites.begin(), sites.end(),
                  [&](const Site& a, const Site& b) { return !(key(a) < key(b)) && !(key(b) < key(a)); }),
      sites.end());
}

void each_once(Found& found) {
  for (FileSites& file : found.files) {
    once(file.functions, [](const FunctionSite& site) { return site.at; });
    once(file.watches, [](const WatchSite& site) { return std::pair(site.begin, site.end); });
    once(file.includes, [](const IncludeSite& site) { return site.begin; });
  }
  const auto note_key = [](const Note& note) { return std::tie(note.file, note.line, note.text); };
  once(found.notes, note_key);
  const auto itself = [](const auto& value) { return value; };
  once(found.functions, itself);
  once(found.variables, itself);
  once(found.seen, itself);
  once(found.matched, itself);
}

int find(const char* file) {
  const auto text = read_file(file);
  const auto request = text ? read_request(*text) : tl::unexpected(text.error());
  if (!request) {
    std::fprintf(stderr, "whatwire-instrument: %s\n", to_string(request.error()).c_str());
    return 1;
  }
  Found found;
  const std::set<std::string> copied(request->copied.begin(), request->copied.end());
  for (const ParsedUnit& unit : request->units) {
    std::vector<std::string> line{"clang",           "-fsyntax-only", "-w",
                                  "-ferror-limit=0", "-resource-dir", WW_CLANG_RESOURCES};
    // Of C as it was written before C99, which GCC 12 takes with a warning.
    for (const char* old : {"implicit-int", "implicit-function-declaration", "int-conversion",
                            "incompatible-function-pointer-types", "return-mismatch"})
      line.push_back(std::string("-Wno-error=") + old);
    line.insert(line.end(), unit.arguments.begin(), unit.arguments.end());
    line.push_back(unit.file);
    FileSystemOptions where;
    where.WorkingDir = unit.directory;
    const llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(where));
    const std::size_t errors_before = found.errors.size();
    tooling::ToolInvocation reading(line, std::make_unique<ReadUnit>(copied, *request, found), files.get());
    ErrorsSeen errors(found);
    reading.setDiagnosticConsumer(&errors);
    if (!reading.run() && found.errors.size() == errors_before && !errors.any_passed_over())
      found.errors.push_back({unit.file, 0, "Clang cannot read it"});
  }
  each_once(found);
  fmt::print("{}\n", json_text(nlohmann::json(found)));
  return 0;
}

}  // namespace
}  // namespace ww::instrument

int main(int argc, char** argv) {
  if (argc == 2) return ww::instrument::find(argv[1]);
  std::fputs("whatwire-instrument is for `whatwire instrument` to start\n", stderr);
  return 2;
}
