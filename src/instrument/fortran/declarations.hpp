// What sources declare of their names, as far as their text says it: no module of a compiler is read.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ww::instrument {

struct Declared {
  enum class Type {
    unknown,
    integer,
    real,
    logical,
    other
  };  // other: what is no number: complex, character, derived
  Type type = Type::unknown;
  bool is_array = false;
};

// Of one program unit or module.
struct Scope {
  std::map<std::string, Declared> names;
  std::vector<std::string> used;  // modules
  bool says_implicit = false;     // IMPLICIT of any kind: the default rule does not hold
  const Scope* host = nullptr;
};

class Declarations {
 public:
  // Modules of all sources, by name; kept by the caller.
  std::map<std::string, Scope> modules;
  // What interfaces declare of arguments, by the procedure's name: those of a MODULE PROCEDURE stand nowhere else.
  std::map<std::string, Scope> interfaces;
  // Of derived types of all sources: of a name that several have differently nothing is known.
  void component(const std::string& name, const Declared& declared);
  std::optional<Declared> component(const std::string& name) const;

  // Nothing: no source says what it is.
  std::optional<Declared> of(const std::string& name, const Scope& scope) const;

 private:
  std::optional<Declared> in(const std::string& name, const Scope& scope, int depth) const;
  // Whether all of its modules, and its host's, are known.
  bool is_whole(const Scope& scope, int depth) const;
  std::map<std::string, Declared> components_;
};

}  // namespace ww::instrument
