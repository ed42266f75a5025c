#include "instrument/fortran/procedures.hpp"

#include <flang/Parser/parse-tree-visitor.h>
#include <flang/Parser/parse-tree.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "instrument/fortran/declarations.hpp"
#include "instrument/fortran/parsed_source.hpp"
#include "instrument/fortran/specified.hpp"
#include "instrument/fortran/variable_text.hpp"
#include "instrument/fortran_lines.hpp"

namespace ww::instrument {
namespace {

using namespace Fortran::parser;
namespace common = Fortran::common;

// Among modules: no module can be called so.
std::string submodule_key(const std::string& name) {
  return "(submodule) " + name;
}

// A procedure or main program.
struct Unit {
  std::string name;
  bool computes_only = false;  // PURE, ELEMENTAL: nothing may be called there that does more
  Scope scope;
};

class Finder {
 public:
  Finder(ParsedSource& source, const FinderRequest& request, Declarations& declarations, Found& found)
      : source_(source), request_(request), declarations_(declarations), found_(found) {
    sites_.path = source.path;
    sites_.fixed_form = source.fixed_form;
  }

  FileSites run(const Program& program) {
    for (const ProgramUnit& unit : program.v)
      common::visit(
          common::visitors{
              [&](const common::Indirection<MainProgram>& one) { main(one.value()); },
              [&](const common::Indirection<Module>& one) { module(one.value()); },
              [&](const common::Indirection<Submodule>& one) { submodule(one.value()); },
              [&](const common::Indirection<FunctionSubprogram>& one) { function(one.value(), "", nullptr); },
              [&](const common::Indirection<SubroutineSubprogram>& one) {
                subroutine(one.value(), "", nullptr);
              },
              [&](const auto&) {}},
          unit.u);
    return std::move(sites_);
  }

  void note(std::size_t at, std::string text) {
    found_.notes.push_back({source_.path, source_.line_of(at), std::move(text)});
  }
  ParsedSource& source() { return source_; }

  Declarations& declarations() { return declarations_; }

  const char* behind_label(const CharBlock& block, bool labelled) const {
    const char* at = block.begin();
    if (labelled)
      while (at + 1 < block.end() && (std::isdigit(static_cast<unsigned char>(*at)) != 0 || *at == ' ')) ++at;
    return at;
  }

  // A statement of an execution part that a call goes to; nothing if it is not of this file's own text.
  std::optional<CallSite> at(const CharBlock& block, bool labelled) const {
    const auto begin = source_.offset(behind_label(block, labelled)), end = source_.behind(block.end() - 1);
    if (!begin || !end || *end <= *begin) return std::nullopt;
    CallSite site;
    site.begin = *begin;
    site.end = *end;
    return site;
  }

  // `scope`: where it stands, within the unit's.
  void assigned(const Unit& unit, const Scope& scope, const std::string& variable,
                std::optional<CallSite> site, const char* why_not) {
    const auto parts = parts_of(variable);
    if (parts.empty()) return;
    for (std::string name : {variable, bare(parts)})
      if (std::find(found_.variables.begin(), found_.variables.end(), name) == found_.variables.end())
        found_.variables.push_back(std::move(name));
    for (std::size_t i = 0; i < request_.watches.size(); ++i) {
      const Watch& watch = request_.watches[i];
      if (!watch.function.empty() && !pattern_matches(watch.function, unit.name)) continue;
      const auto matched = match(as_variable(watch.variable), variable);
      if (!matched) continue;
      found_.matched.push_back(i);
      if (site) record(unit, scope, variable, parts, *matched, *site, why_not);
      return;
    }
  }

 private:
  // Behind !$omp atomic stand the statements that it has, and no others.
  bool is_atomic(std::size_t begin) const {
    std::size_t from = begin;
    for (int lines = 0; lines < 4 && from > 0; ++lines) {
      const std::size_t newline = source_.text.rfind('\n', from - 1);
      from = newline == std::string::npos ? 0 : newline;
    }
    const std::string before = as_variable(source_.text.substr(from, begin - from));
    const auto atomic = before.rfind("$ompatomic");
    return atomic != std::string::npos && before.find("$ompend", atomic) == std::string::npos &&
           (before.find("capture", atomic) != std::string::npos ||
            before.find("compare", atomic) != std::string::npos);
  }
  void record(const Unit& unit, const Scope& scope, const std::string& variable,
              const std::vector<VariablePart>& parts, const VariableMatch& matched, CallSite site,
              const char* why_not) {
    const auto leave_out = [&](const char* why) {
      note(site.begin, fmt::format("'{}' is not recorded here: {}", variable, why));
    };
    if (unit.computes_only) return leave_out("nothing may be called in a pure or elemental procedure");
    if (why_not != nullptr) return leave_out(why_not);
    if (is_atomic(site.begin) || is_in_workshare(source_.text, site.begin, source_.fixed_form))
      return leave_out("OpenMP prescribes what stands behind it");
    if (variable.find_first_of("'\"") != std::string::npos) return leave_out("its subscripts hold a text");
    const VariablePart& last = parts.back();
    const auto declared =
        parts.size() == 1 ? declarations_.of(last.name, scope) : declarations_.component(last.name);
    using Type = Declared::Type;
    const Type type = declared ? declared->type : Type::unknown;
    if (type == Type::other) return leave_out("it is no number");
    const auto is_section = [](const VariablePart& part) {
      return std::any_of(part.subscripts.begin(), part.subscripts.end(), [](const std::string& one) {
        return one.empty() || one.find(':') != std::string::npos;
      });
    };
    if (std::any_of(parts.begin(), parts.end(), is_section) ||
        (declared && declared->is_array && !last.is_subscripted && type != Type::unknown))
      return leave_out("all of an array is assigned at once");
    const auto is_array = [&](const std::string& name) {
      const auto one = declarations_.of(name, scope);
      const auto component = declarations_.component(name);
      return (one && one->is_array) || (component && component->is_array) || name == parts.front().name;
    };
    if (!is_plain(variable, is_array))
      return leave_out("its subscripts call a function, which would be called once more");
    for (const auto& [subscript, wanted] : matched.indices)
      site.condition +=
          fmt::format("{}({}) == {}", site.condition.empty() ? "" : " .and. ", subscript, wanted);
    if (type == Type::unknown && site.condition.empty())
      site.condition = fmt::format("size(shape({})) == 0", variable);
    site.kind = CallSite::Kind::assigned;
    site.which = sites_.watches.size();
    const bool is_real = type == Type::real || type == Type::unknown;
    site.routine = is_real ? "wwvaluereal" : "wwvalueinteger";
    // not dble, which is quadruple precision where a flag makes all reals double
    site.value = is_real ? fmt::format("real({}, selected_real_kind(15, 307))", variable)
                 : type == Type::integer
                     ? fmt::format("int({}, selected_int_kind(18))", variable)
                     : fmt::format("int(merge(1, 0, {}), selected_int_kind(18))", variable);
    WatchSite watch;
    watch.begin = site.begin;
    watch.end = site.end;
    watch.line = source_.line_of(site.begin);
    watch.kind = site.routine;
    watch.name = matched.name;
    watch.variable = unit.scope.names.contains(parts.front().name) ? unit.name + " " + parts.front().name
                                                                   : parts.front().name;
    watch.function = unit.name;
    sites_.watches.push_back(std::move(watch));
    sites_.calls.push_back(std::move(site));
  }

  void main(const MainProgram& program) {
    const auto& statement = std::get<std::optional<Statement<ProgramStmt>>>(program.t);
    procedure(statement ? small(statement->statement.v) : "main", {}, program,
              std::get<Statement<EndProgramStmt>>(program.t), nullptr, "");
  }
  void function(const FunctionSubprogram& one, const std::string& within, const Scope* host) {
    const auto& statement = std::get<Statement<FunctionStmt>>(one.t).statement;
    const std::string name = small(std::get<Name>(statement.t));
    const auto& suffix = std::get<std::optional<Suffix>>(statement.t);
    procedure(within + name, std::get<std::list<PrefixSpec>>(statement.t), one,
              std::get<Statement<EndFunctionStmt>>(one.t), host,
              suffix && suffix->resultName ? small(*suffix->resultName) : name);
  }
  void subroutine(const SubroutineSubprogram& one, const std::string& within, const Scope* host) {
    const auto& statement = std::get<Statement<SubroutineStmt>>(one.t).statement;
    procedure(within + small(std::get<Name>(statement.t)), std::get<std::list<PrefixSpec>>(statement.t), one,
              std::get<Statement<EndSubroutineStmt>>(one.t), host, "");
  }
  void separate(const SeparateModuleSubprogram& one, const std::string& within, const Scope* host) {
    const auto& statement = std::get<Statement<MpSubprogramStmt>>(one.t).statement;
    procedure(within + small(statement.v), {}, one, std::get<Statement<EndMpSubprogramStmt>>(one.t), host,
              "");
  }
  void contained(const std::optional<ModuleSubprogramPart>& part, const std::string& within,
                 const Scope* host) {
    if (!part) return;
    for (const ModuleSubprogram& one : std::get<std::list<ModuleSubprogram>>(part->t))
      common::visit(common::visitors{[&](const common::Indirection<FunctionSubprogram>& f) {
                                       function(f.value(), within, host);
                                     },
                                     [&](const common::Indirection<SubroutineSubprogram>& s) {
                                       subroutine(s.value(), within, host);
                                     },
                                     [&](const common::Indirection<SeparateModuleSubprogram>& s) {
                                       separate(s.value(), within, host);
                                     },
                                     [](const auto&) {}},
                    one.u);
  }
  void module(const Module& one) {
    const std::string name = small(std::get<Statement<ModuleStmt>>(one.t).statement.v);
    contained(std::get<std::optional<ModuleSubprogramPart>>(one.t),
              name + "::", &declarations_.modules[name]);
  }
  void submodule(const Submodule& one) {
    const auto& statement = std::get<Statement<SubmoduleStmt>>(one.t).statement;
    const std::string name = small(std::get<Name>(statement.t));
    contained(std::get<std::optional<ModuleSubprogramPart>>(one.t),
              name + "::", &declarations_.modules[submodule_key(name)]);
  }

  // `result`: the variable of a function's value, which its prefix may give a type.
  template <class Procedure, class End>
  void procedure(const std::string& name, const std::list<PrefixSpec>& prefix, const Procedure& of,
                 const End& end, const Scope* host, const std::string& result);

  ParsedSource& source_;
  const FinderRequest& request_;
  Declarations& declarations_;
  Found& found_;
  FileSites sites_;
};

struct Statements;
void find_mistaken(Statements& statements, const SpecificationPart& part);

// The statements of an execution part.
struct Statements {
  Finder& finder;
  Unit& unit;
  std::set<Label> ends_loop = {};
  const CharBlock* first = nullptr;
  bool first_labelled = false, has_entry = false, unreachable_exit = false;
  std::vector<CallSite> exits = {};
  int concurrent = 0;            // DO CONCURRENT around what is looked at
  std::set<Label> gone_to = {};  // by anything but a DO
  std::list<Scope> inner = {};   // of BLOCKs and ASSOCIATEs
  const Scope* scope = &unit.scope;

  template <class T>
  bool Pre(const T&) {
    return true;
  }
  template <class T>
  void Post(const T&) {}
  template <class T>
  bool Pre(const Statement<T>& statement) {
    if (first == nullptr) {
      first = &statement.source;
      first_labelled = statement.label.has_value();
    }
    if constexpr (std::is_same_v<T, common::Indirection<EntryStmt>>) has_entry = true;
    if constexpr (std::is_same_v<T, ActionStmt>) {
      auto site = finder.at(statement.source, statement.label.has_value());
      if (site && statement.label && is_only_of_loops(*statement.label))
        if (const auto label = finder.source().offset(statement.source.begin())) {
          site->label_begin = *label;
          site->label_end = *label + std::to_string(*statement.label).size();
        }
      look(statement.statement, statement.source, statement.label, site);
    }
    return true;
  }

  // A label that no statement but DO names can go to a CONTINUE behind the calls.
  bool is_only_of_loops(Label label) const { return ends_loop.contains(label) && !gone_to.contains(label); }
  Scope& open_scope() {
    inner.emplace_back().host = scope;
    scope = &inner.back();
    return inner.back();
  }
  bool Pre(const BlockConstruct& block) {
    Specified specified(open_scope(), finder.declarations());
    const SpecificationPart& part = std::get<BlockSpecificationPart>(block.t).v;
    Walk(part, specified);
    find_mistaken(*this, part);
    return true;
  }
  void Post(const BlockConstruct&) { scope = scope->host; }
  // What a name stands for there is not followed: nothing is known of it, whatever it is outside.
  Scope& open_hiding() {
    Scope& there = open_scope();
    there.says_implicit = true;
    return there;
  }
  bool Pre(const AssociateConstruct& construct) {
    const auto& statement = std::get<Statement<AssociateStmt>>(construct.t).statement;
    Scope& there = open_hiding();
    for (const Association& one : std::get<std::list<Association>>(statement.t))
      there.names[small(std::get<Name>(one.t))] = {};
    return true;
  }
  void Post(const AssociateConstruct&) { scope = scope->host; }
  bool Pre(const SelectTypeConstruct& construct) {
    const auto& statement = std::get<Statement<SelectTypeStmt>>(construct.t).statement;
    const auto& selector = std::get<Selector>(statement.t).u;
    const auto* const expression = std::get_if<Expr>(&selector);
    const CharBlock selected =
        expression != nullptr ? expression->source : std::get<Variable>(selector).GetSource();
    const auto& name = std::get<1>(statement.t);
    open_hiding().names[name ? small(*name) : as_variable(selected.ToString())] = {};
    return true;
  }
  void Post(const SelectTypeConstruct&) { scope = scope->host; }
  bool Pre(const DoConstruct& loop) {
    concurrent += loop.IsDoConcurrent();
    return true;
  }
  void Post(const DoConstruct& loop) { concurrent -= loop.IsDoConcurrent(); }
  void Post(const WhereStmt& where) { masked(std::get<AssignmentStmt>(where.t)); }
  void Post(const ForallAssignmentStmt& one) {
    if (const auto* const assignment = std::get_if<AssignmentStmt>(&one.u)) masked(*assignment);
  }
  void Post(const WhereBodyConstruct& one) {
    if (const auto* const assignment = std::get_if<Statement<AssignmentStmt>>(&one.u))
      masked(assignment->statement);
  }
  void masked(const AssignmentStmt& assignment) {
    const CharBlock source = std::get<Variable>(assignment.t).GetSource();
    finder.assigned(unit, *scope, as_variable(source.ToString()), finder.at(source, false),
                    "it is assigned under a mask");
  }

  void look(const ActionStmt& action, const CharBlock& block, const std::optional<Label>& label,
            std::optional<CallSite> site) {
    const bool is_last = label && ends_loop.contains(*label) && !(site && site->label_end != 0);
    if (const auto* const condition = std::get_if<common::Indirection<IfStmt>>(&action.u)) {
      const auto& inner = std::get<UnlabeledStatement<ActionStmt>>(condition->value().t);
      auto where = finder.at(inner.source, false);
      const char* close = inner.source.begin() - 1;
      while (close > block.begin() && *close != ')') --close;
      const auto offset = finder.source().offset(close);
      if (where && offset && site) {
        where->condition_end = *offset + 1;
        where->label_begin = site->label_begin;
        where->label_end = site->label_end;
      } else {
        where.reset();
      }
      look(inner.statement, inner.source, label, where);
      return;
    }
    if (const auto* const assignment = std::get_if<common::Indirection<AssignmentStmt>>(&action.u)) {
      const std::string variable =
          as_variable(std::get<Variable>(assignment->value().t).GetSource().ToString());
      finder.assigned(unit, *scope, variable, site,
                      concurrent > 0 ? "nothing may be called in a DO CONCURRENT"
                      : is_last ? "it is the last statement of a DO with a label; end the loop with CONTINUE"
                                : nullptr);
      return;
    }
    if (std::holds_alternative<common::Indirection<ReturnStmt>>(action.u)) {
      if (!site || is_last)
        unreachable_exit = true;
      else
        exits.push_back(*site);
    }
  }
};

struct LoopLabels {
  std::set<Label>& labels;
  std::set<Label>& gone_to;
  template <class T>
  bool Pre(const T&) {
    return true;
  }
  template <class T>
  void Post(const T&) {}
  void Post(const LabelDoStmt& loop) { labels.insert(std::get<Label>(loop.t)); }
  void Post(const NonLabelDoStmt& loop) {
    if (const auto& label = std::get<std::optional<Label>>(loop.t)) labels.insert(*label);
  }
  void Post(const GotoStmt& one) { gone_to.insert(one.v); }
  void Post(const ComputedGotoStmt& one) { add(std::get<std::list<Label>>(one.t)); }
  void Post(const AssignedGotoStmt& one) { add(std::get<std::list<Label>>(one.t)); }
  void Post(const ArithmeticIfStmt& one) {
    gone_to.insert({std::get<1>(one.t), std::get<2>(one.t), std::get<3>(one.t)});
  }
  void Post(const AssignStmt& one) { gone_to.insert(std::get<Label>(one.t)); }
  void Post(const AltReturnSpec& one) { gone_to.insert(one.v); }
  void Post(const ErrLabel& one) { gone_to.insert(one.v); }
  void Post(const EndLabel& one) { gone_to.insert(one.v); }
  void Post(const EorLabel& one) { gone_to.insert(one.v); }
  void add(const std::list<Label>& all) { gone_to.insert(all.begin(), all.end()); }
};

// Statement functions that are assignments to elements of an array, in front of all other statements: only their names tell.
struct Mistaken {
  Statements& statements;
  template <class T>
  bool Pre(const T&) {
    return true;
  }
  template <class T>
  void Post(const T&) {}
  bool Pre(const Statement<common::Indirection<StmtFunctionStmt>>& statement) {
    const std::string name = small(std::get<Name>(statement.statement.value().t));
    const auto declared = statements.finder.declarations().of(name, *statements.scope);
    if (!declared || !declared->is_array) return false;
    if (statements.first == nullptr) {
      statements.first = &statement.source;
      statements.first_labelled = statement.label.has_value();
    }
    std::string text = as_variable(statement.source.ToString());
    text.erase(0, text.find(name));
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (text[i] == '=' && depth == 0) {
        text.resize(i);
        break;
      }
    }
    statements.finder.assigned(statements.unit, *statements.scope, text,
                               statements.finder.at(statement.source, statement.label.has_value()), nullptr);
    return false;
  }
};

void find_mistaken(Statements& statements, const SpecificationPart& part) {
  Mistaken mistaken{statements};
  Walk(part, mistaken);
}

template <class Procedure, class End>
void Finder::procedure(const std::string& name, const std::list<PrefixSpec>& prefix, const Procedure& of,
                       const End& end, const Scope* host, const std::string& result) {
  Unit unit;
  unit.name = name;
  unit.scope.host = host;
  bool impure = false;
  for (const PrefixSpec& one : prefix) {
    unit.computes_only = unit.computes_only || std::holds_alternative<PrefixSpec::Pure>(one.u) ||
                         std::holds_alternative<PrefixSpec::Elemental>(one.u);
    impure = impure || std::holds_alternative<PrefixSpec::Impure>(one.u);
    if (const auto* const type = std::get_if<DeclarationTypeSpec>(&one.u))
      unit.scope.names[result] = {Specified::type_of(*type), false};
  }
  if constexpr (std::is_same_v<Procedure, SeparateModuleSubprogram>) {
    // Its arguments are declared where its interface is, and hide what the module has; without it nothing is known of any name.
    const auto declared = declarations_.interfaces.find(name.substr(name.rfind(':') + 1));
    if (declared == declarations_.interfaces.end())
      unit.scope.host = nullptr;
    else
      unit.scope.names = declared->second.names;
    unit.scope.says_implicit = true;
  }
  unit.computes_only = unit.computes_only && !impure;
  Specified specified(unit.scope, declarations_);
  Walk(std::get<SpecificationPart>(of.t), specified);
  found_.functions.push_back(name);

  Statements statements{*this, unit};
  LoopLabels loops{statements.ends_loop, statements.gone_to};
  Walk(std::get<ExecutionPart>(of.t), loops);
  find_mistaken(statements, std::get<SpecificationPart>(of.t));
  Walk(std::get<ExecutionPart>(of.t), statements);

  const auto& internal = std::get<std::optional<InternalSubprogramPart>>(of.t);
  std::optional<CallSite> last = at(end.source, end.label.has_value());
  if (internal) {
    const auto& contains = std::get<Statement<ContainsStmt>>(internal->t);
    last = at(contains.source, contains.label.has_value());
  }
  if (chosen_by(request_.functions, name)) {
    std::optional<CallSite> entered =
        statements.first != nullptr ? at(*statements.first, statements.first_labelled) : last;
    const auto where = last ? last->begin : 0;
    if (unit.computes_only) {
      note(where,
           fmt::format("'{}' is no region: nothing may be called in a pure or elemental procedure", name));
    } else if (statements.has_entry) {
      note(where, fmt::format("'{}' is no region: it has an ENTRY", name));
    } else if (!entered || !last || statements.unreachable_exit) {
      note(where, fmt::format("'{}' is no region: it begins or ends in an included file, in a macro or in "
                              "the last statement of a DO with a label",
                              name));
    } else {
      const std::size_t function = sites_.functions.size();
      sites_.functions.push_back({entered->begin, source_.line_of(entered->begin), name, false});
      entered->kind = CallSite::Kind::entered;
      entered->condition_end = 0;
      entered->which = function;
      sites_.calls.push_back(*entered);
      statements.exits.push_back(*last);
      for (CallSite& exit : statements.exits) {
        exit.kind = CallSite::Kind::left;
        exit.which = function;
        sites_.calls.push_back(exit);
      }
    }
  }
  if (!internal) return;
  const std::string within = name + "::";
  for (const InternalSubprogram& one : std::get<std::list<InternalSubprogram>>(internal->t))
    common::visit(common::visitors{[&](const common::Indirection<FunctionSubprogram>& f) {
                                     function(f.value(), within, &unit.scope);
                                   },
                                   [&](const common::Indirection<SubroutineSubprogram>& s) {
                                     subroutine(s.value(), within, &unit.scope);
                                   },
                                   [](const auto&) {}},
                  one.u);
}

}  // namespace

Found find_in_fortran(const FinderRequest& request) {
  Found found;
  Declarations declarations;
  std::vector<std::unique_ptr<ParsedSource>> sources;
  for (const ParsedUnit& unit : request.units) {
    auto source = std::make_unique<ParsedSource>();
    if (const auto problem = source->read(unit)) {
      found.errors.push_back({"", 0, *problem});
      continue;
    }
    const auto& tree = source->parsing.parseTree();
    for (const ProgramUnit& one : tree->v) {
      const auto specify = [&](Scope& scope, const SpecificationPart& part) {
        Specified specified(scope, declarations);
        Walk(part, specified);
      };
      if (const auto* const module = std::get_if<common::Indirection<Module>>(&one.u)) {
        const Module& of = module->value();
        specify(declarations.modules[small(std::get<Statement<ModuleStmt>>(of.t).statement.v)],
                std::get<SpecificationPart>(of.t));
      } else if (const auto* const submodule = std::get_if<common::Indirection<Submodule>>(&one.u)) {
        const Submodule& of = submodule->value();
        const auto& statement = std::get<Statement<SubmoduleStmt>>(of.t).statement;
        const auto& [ancestor, parent] = std::get<ParentIdentifier>(statement.t).t;
        Scope& scope = declarations.modules[submodule_key(small(std::get<Name>(statement.t)))];
        specify(scope, std::get<SpecificationPart>(of.t));
        scope.used.push_back(parent ? submodule_key(small(*parent)) : small(ancestor));
      }
    }
    sources.push_back(std::move(source));
  }
  for (const auto& source : sources) {
    found.seen.push_back(source->path);
    found.files.push_back(Finder(*source, request, declarations, found).run(*source->parsing.parseTree()));
  }
  return found;
}

}  // namespace ww::instrument
