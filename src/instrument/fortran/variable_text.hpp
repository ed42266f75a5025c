// A variable of Fortran as its text has it: "a(i,j)%x", in small letters and without blanks.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ww::instrument {

struct VariablePart {
  std::string name;
  std::vector<std::string> subscripts;
  bool is_subscripted = false;
};
// Of "a(i,j)%x": a with its two subscripts, x. Nothing where the text is none.
std::vector<VariablePart> parts_of(const std::string& text);
// Without what is between parentheses: "a%x".
std::string bare(const std::vector<VariablePart>& parts);
// Small letters, no blanks; "->" is "%".
std::string as_variable(std::string text);

// How a watched VAR means an assigned variable.
struct VariableMatch {
  std::string name;                                   // of the curve
  std::vector<std::pair<std::string, long>> indices;  // subscripts that have to be these
};
// VAR is a name (all of that variable, its elements and components), "s%x" (that component, of any element), "a(i)" (as it is
// written), or "a(3)" (that element, whatever its subscripts are called).
std::optional<VariableMatch> match(const std::string& watched, const std::string& assigned);

// Whether asking for its value again calls nothing but functions of Fortran's own that only compute. `is_array`: of a name.
template <class IsArray>
bool is_plain(const std::string& text, IsArray is_array);

// Names in front of a parenthesis within a text.
std::vector<std::string> called_names(const std::string& text);
bool is_computing_intrinsic(const std::string& name);

template <class IsArray>
bool is_plain(const std::string& text, IsArray is_array) {
  for (const std::string& name : called_names(text))
    if (!is_computing_intrinsic(name) && !is_array(name)) return false;
  return true;
}

}  // namespace ww::instrument
