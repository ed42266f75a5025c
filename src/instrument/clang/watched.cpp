// Expressions that give a watched variable a value, and what may do so unseen.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Index/USRGeneration.h>
#include <fmt/format.h>

#include <algorithm>

#include "instrument/clang/finders.hpp"
#include "instrument/clang/lvalue.hpp"

namespace ww::instrument {
namespace {

using namespace clang;

// KIND of whatwire/instrumented.h; empty: such values are not recorded.
std::string kind_of(QualType type, const LangOptions& language) {
  if (type->isDependentType()) return "any";
  type = type.getNonReferenceType().getCanonicalType();
  if (const auto* atomic = type->getAs<AtomicType>()) type = atomic->getValueType().getCanonicalType();
  if (const auto* enumeration = type->getAs<EnumType>()) {
    if (language.CPlusPlus) return "any";
    type = enumeration->getDecl()->getIntegerType().getCanonicalType();
  }
  const auto* builtin = type->getAs<BuiltinType>();
  switch (builtin == nullptr ? BuiltinType::Void : builtin->getKind()) {
    case BuiltinType::Float:
      return "float";
    case BuiltinType::Double:
      return "double";
    case BuiltinType::LongDouble:
      return "long_double";
    case BuiltinType::Char_S:
    case BuiltinType::Char_U:
      return "char";
    case BuiltinType::SChar:
      return "schar";
    case BuiltinType::UChar:
      return "uchar";
    case BuiltinType::Short:
      return "short";
    case BuiltinType::UShort:
      return "ushort";
    case BuiltinType::Int:
      return "int";
    case BuiltinType::UInt:
      return "uint";
    case BuiltinType::Long:
      return "long";
    case BuiltinType::ULong:
      return "ulong";
    case BuiltinType::LongLong:
      return "llong";
    case BuiltinType::ULongLong:
      return "ullong";
    case BuiltinType::Bool:
      return "bool";
    default:
      return "";
  }
}

// Nothing that a reference can be bound to.
bool is_packed_or_bits(const Expr* place) {
  place = place->IgnoreParens();
  if (place->refersToBitField() || place->refersToVectorElement()) return true;
  const auto* member = dyn_cast<MemberExpr>(place);
  if (member == nullptr) {
    const auto* element = dyn_cast<ArraySubscriptExpr>(place);
    return element != nullptr && is_packed_or_bits(element->getBase()->IgnoreParenImpCasts());
  }
  const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
  if (field != nullptr && (field->hasAttr<PackedAttr>() || field->getParent()->hasAttr<PackedAttr>() ||
                           field->getParent()->hasAttr<MaxFieldAlignmentAttr>()))
    return true;
  return !member->isArrow() && is_packed_or_bits(member->getBase());
}

class WatchFinder : public RecursiveASTVisitor<WatchFinder> {
 public:
  using Base = RecursiveASTVisitor<WatchFinder>;
  WatchFinder(ASTContext& context, Places& places, const FinderRequest& request, Found& found)
      : context_(context), places_(places), request_(request), found_(found) {
    for (const Watch& watch : request.watches) names_.push_back(watched_name(watch.variable));
  }

  bool TraverseDecl(Decl* declaration) {
    auto* function = dyn_cast_or_null<FunctionDecl>(declaration);
    if (function == nullptr) return Base::TraverseDecl(declaration);
    const Scope outer = scope_;
    scope_.name = name_of(*function);
    scope_.constant = function->isConstexpr();
    scope_.body = function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr;
    const bool go_on = Base::TraverseDecl(declaration);
    scope_ = outer;
    return go_on;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) {
    const Scope outer = scope_;
    scope_.body = lambda->getBody();
    const bool go_on = Base::TraverseLambdaExpr(lambda);
    scope_ = outer;
    return go_on;
  }

  // Holds what Clang makes of a reduction, and nothing that is written.
  bool TraverseOMPClause(OMPClause*) { return true; }

  bool VisitBinaryOperator(BinaryOperator* operation) {
    if (operation->isAssignmentOp())
      assigned(operation, operation->getLHS(), operation->getOperatorLoc(), WatchSite::Form::assigned);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* operation) {
    if (!operation->isIncrementDecrementOp()) return true;
    assigned(operation, operation->getSubExpr(), operation->getOperatorLoc(),
             operation->isPrefix()        ? WatchSite::Form::assigned
             : operation->isIncrementOp() ? WatchSite::Form::stepped_up
                                          : WatchSite::Form::stepped_down);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr* call) {
    const auto kind = call->getOperator();
    const bool step = kind == OO_PlusPlus || kind == OO_MinusMinus;
    if ((!call->isAssignmentOp() && !step) || call->getNumArgs() == 0) return true;
    if (step && call->getNumArgs() == 2)
      assigned(call, call->getArg(0), call->getOperatorLoc(),
               kind == OO_PlusPlus ? WatchSite::Form::stepped_up : WatchSite::Form::stepped_down);
    else
      assigned(call, call->getArg(0), call->getOperatorLoc(), WatchSite::Form::assigned);
    return true;
  }
  bool VisitVarDecl(VarDecl* variable) {
    if (isa<ParmVarDecl>(variable) || variable->getName().empty() ||
        !places_.in_copied_file(variable->getLocation()))
      return true;
    Lvalue lvalue;
    lvalue.root = lvalue.written = lvalue.qualified = variable->getNameAsString();
    lvalue.declared = variable;
    const bool ranges = variable->isCXXForRangeDecl();
    const bool begins = variable->hasInit() && !variable->hasGlobalStorage() && !variable->isInitCapture() &&
                        !isa<DecompositionDecl>(variable);
    if (variable->getType()->isReferenceType() ||
        kind_of(variable->getType(), context_.getLangOpts()).empty() || (!ranges && !begins))
      return true;
    found_.variables.push_back(lvalue.written);
    const auto [watch, match] = watching(lvalue);
    if (!match) return true;
    if (ranges)
      say(variable->getLocation(), lvalue.written + " of a range-for is not recorded");
    else
      initialised(*variable, variable->getInit(), lvalue, *match);
    return true;
  }

  bool VisitCallExpr(CallExpr* call) {
    if (isa<CXXOperatorCallExpr>(call) || !places_.in_copied_file(call->getBeginLoc())) return true;
    const FunctionDecl* callee = call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const ParmVarDecl* parameter =
          callee != nullptr && i < callee->getNumParams() ? callee->getParamDecl(i) : nullptr;
      handed_over(call->getArg(i), parameter, callee);
    }
    return true;
  }

  // Of these the text has to be what OpenMP allows.
  bool VisitOMPAtomicDirective(OMPAtomicDirective* directive) {
    fixed_.push_back(directive->getAssociatedStmt()->getSourceRange());
    return true;
  }
  bool VisitOMPLoopDirective(OMPLoopDirective* directive) {
    const Stmt* body = directive->getAssociatedStmt();
    if (const auto* captured = dyn_cast_or_null<CapturedStmt>(body)) body = captured->getCapturedStmt();
    for (unsigned depth = 0; body != nullptr && depth < directive->getLoopsNumber(); ++depth) {
      body = body->IgnoreContainers(true);
      const auto* loop = dyn_cast<ForStmt>(body);
      if (loop == nullptr) break;
      for (const Stmt* part : {loop->getInit(), static_cast<const Stmt*>(loop->getCond()),
                               static_cast<const Stmt*>(loop->getInc())})
        if (part != nullptr) fixed_.push_back(part->getSourceRange());
      body = loop->getBody();
    }
    return true;
  }

 private:
  struct Scope {
    std::string name;  // of the function, empty outside
    bool constant = false;
    const Stmt* body = nullptr;  // of the innermost function or lambda
  };
  struct Watching {
    const Watch* watch = nullptr;
    std::optional<Match> match;
  };

  void say(SourceLocation at, std::string text) { found_.notes.push_back(places_.note(at, std::move(text))); }

  // The first of the watches that it is meant by.
  Watching watching(const Lvalue& lvalue) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i]) continue;
      const Watch& watch = request_.watches[i];
      if (!watch.function.empty() && !pattern_matches(watch.function, scope_.name)) continue;
      if (auto matched = match(*names_[i], lvalue)) {
        found_.matched.push_back(i);
        return {&watch, std::move(matched)};
      }
    }
    return {};
  }

  bool is_fixed(SourceLocation at) const {
    const auto& sources = places_.sources();
    return std::any_of(fixed_.begin(), fixed_.end(), [&](const SourceRange& range) {
      return !sources.isBeforeInTranslationUnit(at, range.getBegin()) &&
             !sources.isBeforeInTranslationUnit(range.getEnd(), at);
    });
  }

  // Why no assignment in this function can be changed, or nothing.
  std::string scope_refuses(SourceLocation at) const {
    if (scope_.constant) return "it is in a constexpr function";
    if (is_fixed(at)) return "OpenMP needs this statement as it is";
    return "";
  }

  static std::string identity(const Lvalue& lvalue) {
    const ValueDecl* declared = lvalue.declared;
    // of members the member; of elements what holds them
    for (const AccessStep& step : lvalue.steps)
      if (step.kind == AccessStep::Kind::member && step.declared != nullptr) declared = step.declared;
    llvm::SmallString<128> name;
    if (declared == nullptr || index::generateUSRForDecl(declared, name)) return lvalue.root;
    std::string root;
    llvm::SmallString<128> of_root;
    if (lvalue.declared != nullptr && declared != lvalue.declared &&
        !index::generateUSRForDecl(lvalue.declared, of_root))
      root = of_root.str().str();
    return name.str().str() + root;
  }

  void assigned(const Expr* whole, const Expr* place, SourceLocation at, WatchSite::Form form) {
    if (!places_.in_copied_file(at)) return;
    const auto lvalue = lvalue_of(place, places_);
    if (!lvalue) return;
    found_.variables.push_back(lvalue->written);
    const auto [watch, match] = watching(*lvalue);
    if (!match) return;
    std::string kind = kind_of(place->getType(), context_.getLangOpts());
    const bool stepped = form == WatchSite::Form::stepped_up || form == WatchSite::Form::stepped_down;
    std::string why = scope_refuses(at);
    if (why.empty() && kind.empty())
      why = place->getType()->isAnyPointerType() && !match->whole ? "" : not_a_number(place->getType());
    if (why.empty() && context_.getLangOpts().CPlusPlus && place->getType().isVolatileQualified())
      why = "it is volatile, and would be read once more";
    if (why.empty() && kind == "any" && stepped) why = "its type is a template's, and the step is behind it";
    if (why.empty() && stepped && place->refersToBitField())
      why = "it is a bit-field, and the step is behind it";
    if (why.empty() && kind.empty()) return;  // an element that is a pointer
    if (form == WatchSite::Form::assigned && is_packed_or_bits(place)) form = WatchSite::Form::stored;
    if (why.empty()) why = put(whole->getSourceRange(), form, kind, *lvalue, *match);
    if (!why.empty()) say(at, fmt::format("{} is not recorded here: {}", lvalue->written, why));
  }

  void initialised(const VarDecl& variable, const Expr* initial, const Lvalue& lvalue, const Match& match) {
    if (const auto* list = dyn_cast<ParenListExpr>(initial); list != nullptr && list->getNumExprs() == 1)
      initial = list->getExpr(0);
    if (const auto* list = dyn_cast<InitListExpr>(initial)) {
      if (list->getSyntacticForm() != nullptr) list = list->getSyntacticForm();
      if (variable.getType()->isScalarType() && list->getNumInits() == 0)
        return say(variable.getLocation(), lvalue.written + " = {} is not recorded");
      if (list->getNumInits() != 1 || !variable.getType()->isScalarType()) return;
      initial = list->getInit(0);
    }
    std::string kind = kind_of(variable.getType(), context_.getLangOpts());
    // of its own type, and not of what it is made from; `auto` has that one
    if (variable.getType()->isDependentType() && variable.getType()->getContainedAutoType() == nullptr)
      kind += "<__typeof__(" + lvalue.root + ")>";
    std::string why = scope_refuses(variable.getLocation());
    if (why.empty() && context_.getLangOpts().CPlusPlus &&
        (variable.isConstexpr() || (variable.mightBeUsableInConstantExpressions(context_) &&
                                    !initial->isValueDependent() && initial->isEvaluatable(context_))))
      why = "it is a constant";
    if (why.empty()) why = put(initial->getSourceRange(), WatchSite::Form::stored, kind, lvalue, match);
    if (!why.empty())
      say(variable.getLocation(), fmt::format("{} is not recorded here: {}", lvalue.written, why));
  }

  std::string not_a_number(QualType type) const {
    if (type->isAnyPointerType()) return "it is a pointer; what is assigned to what it points to is";
    return fmt::format("it is no number but of the type {}", type.getUnqualifiedType().getAsString());
  }

  // Why it cannot be, or nothing.
  std::string put(SourceRange tokens, WatchSite::Form form, const std::string& kind, const Lvalue& lvalue,
                  const Match& match) {
    const auto piece = places_.piece(tokens);
    if (!piece) return "it is assigned within a macro, or within what is given to one";
    if (places_.copied().count(piece->file) == 0) return "it is in a file that is not copied";
    WatchSite site;
    site.begin = piece->begin;
    site.end = piece->end;
    site.line = places_.note(tokens.getBegin(), "").line;
    site.form = form;
    site.kind = kind;
    site.name = match.name;
    site.variable = identity(lvalue);
    site.function = scope_.name;
    for (const Wanted& wanted : match.wanted) {
      const auto index = places_.piece(wanted.index->getSourceRange());
      if (!index || index->file != piece->file || index->begin < piece->begin || index->end > piece->end)
        return "its index is in a macro";
      if (!wanted.index->getType()->isIntegralOrEnumerationType() && !wanted.index->isTypeDependent())
        return "its index is no number";
      site.indices.push_back({index->begin, index->end, wanted.value});
    }
    if (!site.indices.empty()) {
      const auto* body = dyn_cast_or_null<CompoundStmt>(scope_.body);
      if (body == nullptr || body->getLBracLoc().isMacroID())
        return "the body of its function is no plain block";
      const auto begin = places_.sources().getDecomposedLoc(body->getLBracLoc());
      if (places_.path_of(begin.first) != piece->file)
        return "the body of its function begins in another file";
      site.body = begin.second + 1;
    }
    found_of(piece->file, found_).watches.push_back(std::move(site));
    return "";
  }

  // An argument by which a call can change what is watched.
  void handed_over(const Expr* argument, const ParmVarDecl* parameter, const FunctionDecl* callee) {
    const Expr* plain = argument->IgnoreParenCasts();
    const auto* address = dyn_cast<UnaryOperator>(plain);
    const bool takes_address = address != nullptr && address->getOpcode() == UO_AddrOf;
    const QualType type = parameter != nullptr ? parameter->getType() : QualType();
    bool writes = false;
    if (type.isNull())
      writes = takes_address || plain->getType()->isArrayType();
    else if (type->isLValueReferenceType() || type->isPointerType())
      writes = !type->getPointeeType().isConstQualified();
    if (!writes) return;
    const auto lvalue = lvalue_of(takes_address ? address->getSubExpr() : plain, places_);
    if (!lvalue) return;
    const auto [watch, match] = watching(*lvalue);
    if (!match) return;
    say(argument->getExprLoc(),
        fmt::format("{} is handed to {} by its address: what that assigns is not recorded", lvalue->written,
                    callee != nullptr ? name_of(*callee) : std::string("a function")));
  }

  ASTContext& context_;
  Places& places_;
  const FinderRequest& request_;
  Found& found_;
  std::vector<std::optional<WatchedName>> names_;
  Scope scope_;
  std::vector<SourceRange> fixed_;
};

}  // namespace

void find_watched(ASTContext& context, Places& places, const FinderRequest& request, Found& found) {
  WatchFinder(context, places, request, found).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace ww::instrument
