// A source that flang's parser has read, and where its statements stand in the file.
#pragma once
#include <flang/Parser/parsing.h>
#include <flang/Parser/provenance.h>

#include <optional>
#include <string>

#include "instrument/sites.hpp"

namespace ww::instrument {

struct ParsedSource {
  std::string path;
  Fortran::parser::AllSources sources;
  Fortran::parser::AllCookedSources cooked{sources};
  Fortran::parser::Parsing parsing{cooked};
  std::string text;       // as flang reads it: without carriage returns and byte order mark
  std::string read_from;  // where flang reads it; its path, or what has OpenMP's conditional lines as others
  bool fixed_form = false;

  // What is wrong with it, with its place; nothing if it could be read. The unit's arguments: those of find_in_fortran.
  std::optional<std::string> read(const ParsedUnit& unit);

  // Where a letter of the parser's own text stands in the file, or the name of the macro that it comes from; nothing if it comes from
  // an included file.
  std::optional<std::size_t> place(const char* at) const;
  // Nothing if it comes from a macro.
  std::optional<std::size_t> offset(const char* at) const;
  // Behind the last letter of a statement; behind the macro that it comes from, with its arguments.
  std::optional<std::size_t> behind(const char* last) const;
  unsigned line_of(std::size_t at) const;
};

}  // namespace ww::instrument
