#include "instrument/clang/lvalue.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <cctype>
#include <charconv>

namespace ww::instrument {
namespace {

using namespace clang;

bool add(Lvalue& lvalue, const Expr* expression, Places& places);

// A member of what a pointer points to is the pointer's member.
void add_member(Lvalue& lvalue, std::string name, const ValueDecl* declared) {
  if (!lvalue.steps.empty() && lvalue.steps.back().kind == AccessStep::Kind::pointed_to)
    lvalue.steps.pop_back();
  lvalue.steps.push_back({AccessStep::Kind::member, std::move(name), nullptr, declared});
}

void begin(Lvalue& lvalue, const ValueDecl* declared) {
  lvalue.root = declared->getNameAsString();
  PrintingPolicy policy(declared->getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  llvm::raw_string_ostream out(lvalue.qualified);
  declared->printQualifiedName(out, policy);
  lvalue.declared = declared;
}

bool add_operator_call(Lvalue& lvalue, const CXXOperatorCallExpr* call, Places& places) {
  if (call->getNumArgs() == 0 || !add(lvalue, call->getArg(0), places)) return false;
  switch (call->getOperator()) {
    case OO_Subscript:
    case OO_Call: {
      std::string text;
      for (unsigned i = 1; i < call->getNumArgs(); ++i)
        text += (i > 1 ? "," : "") + places.written(call->getArg(i)->getSourceRange());
      lvalue.steps.push_back(
          {AccessStep::Kind::index, text, call->getNumArgs() == 2 ? call->getArg(1) : nullptr, nullptr});
      return true;
    }
    case OO_Star:
      lvalue.steps.push_back({AccessStep::Kind::pointed_to, "", nullptr, nullptr});
      return true;
    case OO_Arrow:
      return true;
    default:
      return false;
  }
}

bool add(Lvalue& lvalue, const Expr* expression, Places& places) {
  expression = expression->IgnoreParenCasts();
  if (const auto* cleanups = dyn_cast<ExprWithCleanups>(expression))
    return add(lvalue, cleanups->getSubExpr(), places);
  if (const auto* made = dyn_cast<MaterializeTemporaryExpr>(expression))
    return add(lvalue, made->getSubExpr(), places);
  if (const auto* name = dyn_cast<DeclRefExpr>(expression)) {
    begin(lvalue, name->getDecl());
    return true;
  }
  if (const auto* member = dyn_cast<MemberExpr>(expression)) {
    if (isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
      begin(lvalue, member->getMemberDecl());
      return true;
    }
    if (!add(lvalue, member->getBase(), places)) return false;
    if (!member->getMemberDecl()->getNameAsString().empty())  // of an anonymous union or structure
      add_member(lvalue, member->getMemberDecl()->getNameAsString(), member->getMemberDecl());
    return true;
  }
  if (const auto* member = dyn_cast<CXXDependentScopeMemberExpr>(expression)) {
    const std::string name = member->getMember().getAsString();
    if (member->isImplicitAccess() || isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
      lvalue.root = lvalue.qualified = name;
      return true;
    }
    if (!add(lvalue, member->getBase(), places)) return false;
    add_member(lvalue, name, nullptr);
    return true;
  }
  if (const auto* element = dyn_cast<ArraySubscriptExpr>(expression)) {
    if (!add(lvalue, element->getLHS(), places)) return false;
    lvalue.steps.push_back({AccessStep::Kind::index, places.written(element->getRHS()->getSourceRange()),
                            element->getRHS(), nullptr});
    return true;
  }
  if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
    if (!add(lvalue, unary->getSubExpr(), places)) return false;
    if (unary->getOpcode() == UO_Deref) {
      lvalue.steps.push_back({AccessStep::Kind::pointed_to, "", nullptr, nullptr});
      return true;
    }
    return unary->isIncrementDecrementOp();  // *p++
  }
  if (const auto* sum = dyn_cast<BinaryOperator>(expression))  // *(a + i)
    return sum->isAdditiveOp() && sum->getLHS()->getType()->isAnyPointerType() &&
           add(lvalue, sum->getLHS(), places);
  if (const auto* call = dyn_cast<CXXOperatorCallExpr>(expression))
    return add_operator_call(lvalue, call, places);
  if (const auto* call = dyn_cast<CXXMemberCallExpr>(expression)) {  // v.at(i), v.back()
    if (call->getMethodDecl() == nullptr || !add(lvalue, call->getImplicitObjectArgument(), places))
      return false;
    const bool at = call->getMethodDecl()->getNameAsString() == "at" && call->getNumArgs() == 1;
    lvalue.steps.push_back({AccessStep::Kind::index,
                            at ? places.written(call->getArg(0)->getSourceRange())
                               : call->getMethodDecl()->getNameAsString() + "()",
                            at ? call->getArg(0) : nullptr, nullptr});
    return true;
  }
  return false;
}

std::optional<long> number_in(llvm::StringRef text) {
  long value = 0;
  const auto [end, problem] = std::from_chars(text.begin(), text.end(), value);
  if (problem != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

// The value of an index that is a number in the source: 3, 3u, 0x3.
std::optional<long> literal(const AccessStep& step) {
  if (step.index == nullptr) return number_in(step.text);
  const auto* number = dyn_cast<IntegerLiteral>(step.index->IgnoreParenImpCasts());
  if (number == nullptr || number->getValue().getActiveBits() > 62) return std::nullopt;
  return static_cast<long>(number->getValue().getZExtValue());
}

std::string to_text(const AccessStep& step) {
  switch (step.kind) {
    case AccessStep::Kind::member:
      return "." + step.text;
    case AccessStep::Kind::index:
      return "[" + step.text + "]";
    case AccessStep::Kind::pointed_to:
      break;
  }
  return "[0]";
}

}  // namespace

std::optional<Lvalue> lvalue_of(const Expr* expression, Places& places) {
  Lvalue lvalue;
  lvalue.written = places.written(expression->getSourceRange());
  if (!add(lvalue, expression, places)) return std::nullopt;
  if (lvalue.written.empty()) {  // within a macro
    lvalue.written = lvalue.root;
    for (const AccessStep& step : lvalue.steps) lvalue.written += to_text(step);
  }
  return lvalue;
}

std::optional<WatchedName> watched_name(const std::string& text) {
  WatchedName watched;
  watched.written = without_space(text);
  llvm::StringRef rest = watched.written;
  std::size_t stars = 0;
  while (rest.consume_front("*")) ++stars;
  rest.consume_front("this->");
  const auto word = [](llvm::StringRef from) {
    return from.take_while(
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
  };
  while (true) {
    const llvm::StringRef name = word(rest);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return std::nullopt;
    watched.root += name.str();
    rest = rest.drop_front(name.size());
    if (!rest.consume_front("::")) break;
    watched.root += "::";
  }
  while (!rest.empty()) {
    if (rest.consume_front("->") || rest.consume_front(".")) {
      const llvm::StringRef name = word(rest);
      if (name.empty()) return std::nullopt;
      watched.steps.push_back({AccessStep::Kind::member, name.str(), nullptr, nullptr});
      rest = rest.drop_front(name.size());
    } else if (rest.front() == '[' || rest.front() == '(') {
      const char open = rest.front(), close = open == '[' ? ']' : ')';
      std::size_t end = 0;
      for (int depth = 0; end < rest.size(); ++end) {
        depth += rest[end] == open ? 1 : rest[end] == close ? -1 : 0;
        if (depth == 0) break;
      }
      if (end >= rest.size()) return std::nullopt;
      watched.steps.push_back({AccessStep::Kind::index, rest.substr(1, end - 1).str(), nullptr, nullptr});
      rest = rest.drop_front(end + 1);
    } else {
      return std::nullopt;
    }
  }
  for (; stars > 0; --stars) watched.steps.push_back({AccessStep::Kind::pointed_to, "", nullptr, nullptr});
  return watched;
}

std::optional<Match> match(const WatchedName& watched, const Lvalue& lvalue) {
  if (watched.written == lvalue.written) return Match{true, {}, lvalue.written};
  if (watched.root != lvalue.root && watched.root != lvalue.qualified) return std::nullopt;
  if (watched.steps.size() > lvalue.steps.size()) return std::nullopt;
  Match found;
  for (std::size_t i = 0; i < watched.steps.size(); ++i) {
    const AccessStep &asked = watched.steps[i], &there = lvalue.steps[i];
    if (asked.kind != there.kind) return std::nullopt;
    if (asked.kind == AccessStep::Kind::pointed_to || asked.text.empty() || asked.text == there.text)
      continue;
    if (asked.kind != AccessStep::Kind::index) return std::nullopt;
    const auto number = number_in(asked.text), literally = literal(there);
    if (!number || there.index == nullptr || (literally && *literally != *number)) return std::nullopt;
    if (!literally) found.wanted.push_back({there.index, *number});
  }
  found.whole = watched.steps.size() == lvalue.steps.size();
  found.name = lvalue.written;
  if (!found.wanted.empty()) {  // one element: as the user asked for it
    found.name = watched.written;
    for (std::size_t i = watched.steps.size(); i < lvalue.steps.size(); ++i)
      found.name += to_text(lvalue.steps[i]);
  }
  return found;
}

}  // namespace ww::instrument
