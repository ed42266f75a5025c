#include "instrument/fortran/declarations.hpp"

#include <algorithm>

namespace ww::instrument {
namespace {

constexpr int deepest = 32;  // modules that use one another

}  // namespace

void Declarations::component(const std::string& name, const Declared& declared) {
  const auto [at, is_new] = components_.emplace(name, declared);
  if (!is_new && (at->second.type != declared.type || at->second.is_array != declared.is_array))
    at->second = {Declared::Type::unknown, true};
}

std::optional<Declared> Declarations::component(const std::string& name) const {
  const auto found = components_.find(name);
  if (found == components_.end()) return std::nullopt;
  return found->second;
}

std::optional<Declared> Declarations::in(const std::string& name, const Scope& scope, int depth) const {
  if (depth > deepest) return std::nullopt;
  if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
  for (const std::string& module : scope.used)
    if (const auto known = modules.find(module); known != modules.end())
      if (const auto found = in(name, known->second, depth + 1)) return found;
  return scope.host != nullptr ? in(name, *scope.host, depth + 1) : std::nullopt;
}

bool Declarations::is_whole(const Scope& scope, int depth) const {
  if (depth > deepest) return false;
  const auto is_known = [&](const std::string& module) {
    const auto known = modules.find(module);
    return known != modules.end() && is_whole(known->second, depth + 1);
  };
  return std::all_of(scope.used.begin(), scope.used.end(), is_known) &&
         (scope.host == nullptr || is_whole(*scope.host, depth + 1));
}

std::optional<Declared> Declarations::of(const std::string& name, const Scope& scope) const {
  if (const auto found = in(name, scope, 0)) {
    if (found->type != Declared::Type::unknown || name.empty()) return found;
  }
  bool says_implicit = false;
  for (const Scope* one = &scope; one != nullptr; one = one->host)
    says_implicit = says_implicit || one->says_implicit;
  if (says_implicit || !is_whole(scope, 0)) return in(name, scope, 0);
  const auto dimensioned = in(name, scope, 0);  // DIMENSION A(10), without a type
  return Declared{name[0] >= 'i' && name[0] <= 'n' ? Declared::Type::integer : Declared::Type::real,
                  dimensioned && dimensioned->is_array};
}

}  // namespace ww::instrument
