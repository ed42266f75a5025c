// What is assigned to, as a name and the ways from it: `s.x`, `p->x`, `a[i]`, `*p`.
#pragma once
#include <clang/AST/Expr.h>

#include <optional>
#include <string>
#include <vector>

#include "instrument/clang/places.hpp"

namespace ww::instrument {

struct AccessStep {
  enum class Kind { member, index, pointed_to };
  Kind kind = Kind::member;
  std::string text;                    // of the member, or of the index as written
  const clang::Expr* index = nullptr;  // of an index that is one expression
  const clang::ValueDecl* declared = nullptr;
};

// `p->x` is the member x of p, as `(*p).x` is; `this->x` is x.
struct Lvalue {
  std::string root;       // "residual"
  std::string qualified;  // "nas::residual"
  const clang::ValueDecl* declared = nullptr;
  std::vector<AccessStep> steps;
  std::string written;  // without space
};

// Nothing: it does not begin with a name (a call's result, a choice of two).
std::optional<Lvalue> lvalue_of(const clang::Expr* expression, Places& places);

// VAR as the user gave it. Nothing: it is no such thing.
struct WatchedName {
  std::string root;
  std::vector<AccessStep> steps;
  std::string written;
};
std::optional<WatchedName> watched_name(const std::string& text);

// An index of the watched element that is a number where the source has another expression.
struct Wanted {
  const clang::Expr* index = nullptr;
  long value = 0;
};
struct Match {
  bool whole = false;  // it is the variable itself, and not a part of it
  std::vector<Wanted> wanted;
  std::string name;  // for the curve
};
// Whether assigning to it changes what is watched: it, or a member or element of it.
std::optional<Match> match(const WatchedName& watched, const Lvalue& lvalue);

}  // namespace ww::instrument
