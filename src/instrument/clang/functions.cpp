// Functions whose bodies become regions.
#include <clang/AST/RecursiveASTVisitor.h>
#include <fmt/format.h>

#include <map>

#include "instrument/clang/finders.hpp"

namespace ww::instrument {

std::string name_of(const clang::FunctionDecl& function) {
  clang::PrintingPolicy policy(function.getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  std::string name;
  llvm::raw_string_ostream out(name);
  function.printQualifiedName(out, policy);
  return out.str();
}

namespace {

using namespace clang;

class FunctionFinder : public RecursiveASTVisitor<FunctionFinder> {
 public:
  FunctionFinder(Places& places, const FinderRequest& request, Found& found)
      : places_(places), request_(request), found_(found) {}

  bool VisitFunctionDecl(FunctionDecl* function) {
    if (!function->doesThisDeclarationHaveABody() || function->isImplicit() || function->isDefaulted())
      return true;
    const std::string name = name_of(*function);
    const bool copied = places_.in_copied_file(function->getLocation());
    if (copied) found_.functions.push_back(name);
    if (places_.in_system_header(function->getLocation()) || !chosen_by(request_.functions, name))
      return true;
    if (!copied) {
      auto& [count, first] = elsewhere_[places_.note(function->getLocation(), "").file];
      if (count++ == 0) first = places_.note(function->getLocation(), name);
      return true;
    }
    if (const std::string why = left_out(*function); !why.empty()) {
      found_.notes.push_back(
          places_.note(function->getLocation(), fmt::format("{} is left out: {}", name, why)));
      return true;
    }
    const auto* body = body_of(*function);
    const auto where = places_.sources().getDecomposedLoc(body->getLBracLoc());
    FunctionSite site;
    site.at = where.second + 1;
    site.line = places_.sources().getLineNumber(where.first, where.second);
    site.name = name;
    site.internal = function->getFormalLinkage() != Linkage::External;
    found_of(places_.path_of(where.first), found_).functions.push_back(std::move(site));
    if (isa<CXXTryStmt>(function->getBody()))
      found_.notes.push_back(places_.note(
          function->getLocation(), name + " is a function-try-block: its handlers are not in its region"));
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr || callee->getIdentifier() == nullptr ||
        !places_.in_copied_file(call->getBeginLoc()))
      return true;
    const llvm::StringRef name = callee->getName();
    if (name == "setjmp" || name == "_setjmp" || name == "sigsetjmp" || name == "__sigsetjmp")
      jumps_.push_back(places_.note(call->getBeginLoc(),
                                    "a longjmp to here does not leave the regions that it jumps out of: they "
                                    "end with the region of the "
                                    "function that called setjmp (region-out-of-order)"));
    if (name == "signal" && call->getNumArgs() == 2) handler(call->getArg(1));
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* assignment) {
    const auto* member = dyn_cast<MemberExpr>(assignment->getLHS()->IgnoreParenImpCasts());
    if (assignment->getOpcode() != BO_Assign || member == nullptr) return true;
    const std::string name = member->getMemberDecl()->getNameAsString();
    if (name == "sa_handler" || name == "sa_sigaction") handler(assignment->getRHS());
    return true;
  }

  void finish() {
    for (FileSites& file : found_.files)
      std::erase_if(file.functions, [&](const FunctionSite& site) {
        if (handlers_.count(site.name) == 0) return false;
        found_.notes.push_back(
            {file.path, site.line,
             site.name + " is left out: it is called for signals, where nothing is recorded"});
        return true;
      });
    for (const auto& [file, functions] : elsewhere_)
      found_.notes.push_back(
          {file, functions.second.line,
           fmt::format("{}{} left out: this file is not copied; name it among the sources",
                       functions.second.text,
                       functions.first == 1 ? " is" : fmt::format(" and {} more are", functions.first - 1))});
    bool any = false;
    for (const FileSites& file : found_.files) any = any || !file.functions.empty();
    if (any) found_.notes.insert(found_.notes.end(), jumps_.begin(), jumps_.end());
  }

 private:
  static const CompoundStmt* body_of(const FunctionDecl& function) {
    const Stmt* body = function.getBody();
    if (const auto* tried = dyn_cast<CXXTryStmt>(body)) body = tried->getTryBlock();
    return dyn_cast<CompoundStmt>(body);
  }

  // Why it gets no region, or nothing.
  std::string left_out(const FunctionDecl& function) {
    if (function.isConsteval()) return "it is consteval";
    if (function.isConstexpr()) return "it is constexpr, and may have to be computed by the compiler";
    if (isa<CoroutineBodyStmt>(function.getBody())) return "it is a coroutine, which others run in between";
    if (function.isNoReturn()) return "it never returns";
    if (function.hasAttr<NakedAttr>()) return "it is naked";
    if (function.hasAttr<NoInstrumentFunctionAttr>()) return "it is marked no_instrument_function";
    const CompoundStmt* body = body_of(function);
    if (body == nullptr) return "its body is no block";
    if (body->getLBracLoc().isMacroID()) return "its body begins in a macro";
    if (!places_.is_copied(places_.sources().getFileID(body->getLBracLoc())))
      return "its body is in a file that is not copied";
    return "";
  }

  void handler(const Expr* given) {
    given = given->IgnoreParenCasts();
    if (const auto* address = dyn_cast<UnaryOperator>(given))
      given = address->getSubExpr()->IgnoreParenCasts();
    if (const auto* name = dyn_cast<DeclRefExpr>(given))
      if (const auto* function = dyn_cast<FunctionDecl>(name->getDecl()))
        handlers_.insert(name_of(*function));
  }

  Places& places_;
  const FinderRequest& request_;
  Found& found_;
  std::map<std::string, std::pair<int, Note>> elsewhere_;  // by file: how many, and the first
  std::set<std::string> handlers_;
  std::vector<Note> jumps_;
};

}  // namespace

FileSites& found_of(const std::string& path, Found& found) {
  for (FileSites& file : found.files)
    if (file.path == path) return file;
  found.files.push_back({path, {}, {}, {}});
  return found.files.back();
}

void find_functions(ASTContext& context, Places& places, const FinderRequest& request, Found& found) {
  FunctionFinder finder(places, request, found);
  finder.TraverseDecl(context.getTranslationUnitDecl());
  finder.finish();
}

}  // namespace ww::instrument
