// What a specification part says of names, from flang's tree (declarations.hpp).
#pragma once
#include <flang/Parser/parse-tree-visitor.h>
#include <flang/Parser/parse-tree.h>

#include <list>
#include <string>
#include <variant>

#include "instrument/fortran/declarations.hpp"
#include "instrument/fortran/variable_text.hpp"

namespace ww::instrument {

inline std::string small(const Fortran::parser::Name& name) {
  return as_variable(name.ToString());
}

namespace tree = Fortran::parser;

// The types, dimensions and modules that a specification part says.
class Specified {
 public:
  Specified(Scope& scope, Declarations& all) : scope_(scope), all_(all) {}
  template <class T>
  bool Pre(const T&) {
    return true;
  }
  template <class T>
  void Post(const T&) {}

  static Declared::Type type_of(const tree::DeclarationTypeSpec& spec) {
    const auto* const intrinsic = std::get_if<tree::IntrinsicTypeSpec>(&spec.u);
    if (intrinsic == nullptr) return Declared::Type::other;
    if (std::holds_alternative<tree::IntegerTypeSpec>(intrinsic->u)) return Declared::Type::integer;
    if (std::holds_alternative<tree::IntrinsicTypeSpec::Logical>(intrinsic->u))
      return Declared::Type::logical;
    const bool is_real = std::holds_alternative<tree::IntrinsicTypeSpec::Real>(intrinsic->u) ||
                         std::holds_alternative<tree::IntrinsicTypeSpec::DoublePrecision>(intrinsic->u);
    return is_real ? Declared::Type::real : Declared::Type::other;
  }

  // Of other procedures.
  bool Pre(const tree::InterfaceBody::Function& body) {
    keep(small(std::get<tree::Name>(std::get<tree::Statement<tree::FunctionStmt>>(body.t).statement.t)),
         body);
    return false;
  }
  bool Pre(const tree::InterfaceBody::Subroutine& body) {
    keep(small(std::get<tree::Name>(std::get<tree::Statement<tree::SubroutineStmt>>(body.t).statement.t)),
         body);
    return false;
  }
  bool Pre(const tree::DerivedTypeDef& type) {
    for (const auto& statement : std::get<std::list<tree::Statement<tree::ComponentDefStmt>>>(type.t)) {
      const auto* const data = std::get_if<tree::DataComponentDefStmt>(&statement.statement.u);
      if (data == nullptr) continue;
      const Declared::Type of = type_of(std::get<tree::DeclarationTypeSpec>(data->t));
      bool dimensioned = false;
      for (const auto& attribute : std::get<std::list<tree::ComponentAttrSpec>>(data->t))
        dimensioned = dimensioned || std::holds_alternative<tree::ComponentArraySpec>(attribute.u);
      for (const auto& one : std::get<std::list<tree::ComponentOrFill>>(data->t))
        if (const auto* const component = std::get_if<tree::ComponentDecl>(&one.u))
          all_.component(
              small(std::get<tree::Name>(component->t)),
              {of,
               dimensioned || std::get<std::optional<tree::ComponentArraySpec>>(component->t).has_value()});
    }
    return false;
  }
  bool Pre(const tree::TypeDeclarationStmt& statement) {
    const Declared::Type type = type_of(std::get<tree::DeclarationTypeSpec>(statement.t));
    bool dimensioned = false;
    for (const auto& attribute : std::get<std::list<tree::AttrSpec>>(statement.t))
      dimensioned = dimensioned || std::holds_alternative<tree::ArraySpec>(attribute.u);
    for (const auto& entity : std::get<std::list<tree::EntityDecl>>(statement.t)) {
      Declared& one = scope_.names[small(std::get<tree::ObjectName>(entity.t))];
      one.type = type;
      one.is_array =
          one.is_array || dimensioned || std::get<std::optional<tree::ArraySpec>>(entity.t).has_value();
    }
    return false;
  }
  void Post(const tree::DimensionStmt::Declaration& one) {
    scope_.names[small(std::get<tree::Name>(one.t))].is_array = true;
  }
  void Post(const tree::CommonBlockObject& one) {
    if (std::get<std::optional<tree::ArraySpec>>(one.t))
      scope_.names[small(std::get<tree::Name>(one.t))].is_array = true;
  }
  void Post(const tree::ObjectDecl& one) {  // ALLOCATABLE, TARGET
    if (std::get<std::optional<tree::ArraySpec>>(one.t))
      scope_.names[small(std::get<tree::ObjectName>(one.t))].is_array = true;
  }
  void Post(const tree::UseStmt& use) {
    // renamed, a name means what another is called: then nothing is known of the module
    bool renames = false;
    if (const auto* const list = std::get_if<std::list<tree::Rename>>(&use.u)) renames = !list->empty();
    if (const auto* const list = std::get_if<std::list<tree::Only>>(&use.u))
      for (const tree::Only& one : *list) renames = renames || std::holds_alternative<tree::Rename>(one.u);
    scope_.used.push_back(renames ? "(renamed)" : small(use.moduleName));
  }
  void Post(const tree::ImplicitStmt&) { scope_.says_implicit = true; }

 private:
  template <class Body>
  void keep(const std::string& name, const Body& body) {
    Specified arguments(all_.interfaces[name], all_);
    tree::Walk(std::get<Fortran::common::Indirection<tree::SpecificationPart>>(body.t).value(), arguments);
  }
  Scope& scope_;
  Declarations& all_;
};

}  // namespace ww::instrument
