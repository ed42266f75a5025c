// How sources are compiled: from a compile_commands.json, from a compiler and flags behind "--", or by the MPI's
// compiler wrapper that PATH has.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "instrument/sites.hpp"

namespace ww::instrument {

struct CompileUnit {
  std::filesystem::path file;       // absolute, without links
  std::filesystem::path directory;  // where the compiler is started
  // The compiler and its flags, without the file, without what it writes and where; empty: no compiler is known.
  std::vector<std::string> command;
};

// By its ending. Headers are read with what includes them.
bool is_header(const std::filesystem::path& file);
bool is_cplusplus(const std::filesystem::path& file);
bool is_fortran(const std::filesystem::path& file);

// Without the file, -o, -c and what writes dependencies.
std::vector<std::string> compiling_only(const std::vector<std::string>& command,
                                        const std::filesystem::path& file,
                                        const std::filesystem::path& directory);
// What of a compiler's flags matters to how a source is read, in Clang's words.
std::vector<std::string> reading_flags(const std::vector<std::string>& flags);

// The units of a directory's compile_commands.json, of all files or of these.
Result<std::vector<CompileUnit>> units_of_database(const std::filesystem::path& directory,
                                                   const std::vector<std::filesystem::path>& files);
// The nearest compile_commands.json above a file, or beside it in build/; empty: there is none.
std::filesystem::path database_for(const std::filesystem::path& file);

// What is behind "--": a compiler and flags, flags alone, or nothing.
CompileUnit unit_by_words(const std::filesystem::path& file, const std::vector<std::string>& words);

// Of Fortran: folders of included files, macros, form; an MPI's compiler wrapper is asked for what it adds, a GNU compiler for its macros.
ParsedUnit parsed_as_fortran(const CompileUnit& unit);
// Asks an MPI's compiler wrapper for the flags that it adds, and a GNU compiler where its own headers are.
ParsedUnit parsed(const CompileUnit& unit);

}  // namespace ww::instrument
