// What stands where in sources that are to be instrumented, as plain values: what the finder
// (src/instrument/clang, a program of its own as it needs Clang's library) is asked, and what it answers.
// Paths are absolute and without links; offsets count bytes from the begin of a file, lines from 1.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::instrument {

// A translation unit: how Clang is to read it.
struct ParsedUnit {
  std::string file;
  std::string directory;               // where its flags' relative paths begin
  std::vector<std::string> arguments;  // Clang's, without the file
};

// VAR[@FUNCTION]
struct Watch {
  std::string variable;  // "residual", "p->x", "a[3]", "a[i]"
  std::string function;  // a pattern; empty: any
};

struct FinderRequest {
  std::vector<ParsedUnit> units;
  std::vector<std::string> copied;     // what is rewritten; nothing is looked for elsewhere
  std::vector<std::string> functions;  // patterns of fnmatch(3), those that begin with ! exclude
  std::vector<Watch> watches;
};

struct FunctionSite {
  std::size_t at = 0;  // behind the { of the body
  unsigned line = 0;
  std::string name;       // with namespaces and classes: "nas::finish"
  bool internal = false;  // another file may have another function of that name
  bool operator==(const FunctionSite&) const = default;
};

// An index that is compared with that of the watched element when the program runs.
struct IndexSite {
  std::size_t begin = 0, end = 0;  // the expression between [ and ]
  long wanted = 0;
  bool operator==(const IndexSite&) const = default;
};

// An expression that gives a watched variable a value.
struct WatchSite {
  enum class Form {
    assigned,      // x = 1, x += 1, ++x
    stored,        // the same of what no reference binds to (bit-fields); an initialiser
    stepped_up,    // x++
    stepped_down,  // x--
  };
  std::size_t begin = 0, end = 0;
  unsigned line = 0;
  Form form = Form::assigned;
  std::string kind;      // of its type: ww_stored_KIND in whatwire/instrumented.h, with what C++ deduces
  std::string name;      // as the source has it: "p->x"; of one element "a[3]"
  std::string variable;  // Clang's identity of the variable, or of the member
  std::string function;
  std::vector<IndexSite> indices;
  std::size_t body = 0;  // where its function's body begins, if there are indices
  bool operator==(const WatchSite&) const = default;
};

// The file name of an #include (or of __has_include) that means another file from another directory.
struct IncludeSite {
  std::size_t begin = 0, end = 0;  // with its quotes
  std::string target;
  bool operator==(const IncludeSite&) const = default;
};

// Of Fortran: a call in front of a statement, or behind it.
struct CallSite {
  enum class Kind { entered, left, assigned };
  Kind kind = Kind::entered;
  std::size_t which =
      0;  // of the file's functions (entered, left) or watches (assigned), whose name it gives
  std::size_t begin = 0, end = 0;  // the statement, behind its label
  std::size_t condition_end = 0;   // it is the action of a logical IF, behind whose ) this is; 0: it is none
  std::size_t label_begin = 0,
              label_end = 0;  // its label, which goes to a CONTINUE behind it: it ends a DO; 0: it stays
  std::string condition;      // assigned: it is recorded if this holds; empty: always
  std::string routine,
      value;  // assigned: of the library (interpose/marker/fortran_calls.c), and what it is given
  bool operator==(const CallSite&) const = default;
};

struct FileSites {
  std::string path;
  std::vector<FunctionSite> functions;
  std::vector<WatchSite> watches;
  std::vector<IncludeSite> includes;
  std::vector<CallSite> calls = {};  // of Fortran, where functions and watches only name them
  bool fixed_form = false;
};

// Something that is left out or not seen, in words.
struct Note {
  std::string file;
  unsigned line = 0;
  std::string text;
  bool operator==(const Note&) const = default;
};
std::string to_string(const Note& note);  // "file:line: text"

struct Found {
  std::vector<FileSites> files;  // one of each copied
  std::vector<Note> notes;
  std::vector<Note> errors;            // why a unit cannot be parsed, or be rewritten
  std::vector<std::string> functions;  // all names that are defined in copied files
  std::vector<std::string> variables;  // all that is assigned in them, as written
  std::vector<std::string> seen;       // files that are copied and were reached
  std::vector<std::size_t> matched;  // by number, watches that match something, if only what is not recorded
};

void to_json(nlohmann::json& json, const FinderRequest& request);
void to_json(nlohmann::json& json, const Found& found);
// Error: it is not what the other function made.
Result<FinderRequest> read_request(const std::string& text);
Result<Found> read_found(const std::string& text);

// By base/function_pattern.hpp; no patterns choose none.
bool chosen_by(const std::vector<std::string>& patterns, const std::string& function);
bool pattern_matches(const std::string& pattern, const std::string& function);

}  // namespace ww::instrument
