#include "instrument/compile_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "base/files.hpp"
#include "base/subprocess.hpp"

namespace ww::instrument {
namespace fs = std::filesystem;
namespace {

bool ends_with_one_of(const fs::path& file, std::initializer_list<std::string_view> endings) {
  const std::string ending = file.extension().string();
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

bool is_cplusplus_compiler(const std::string& compiler) {
  const std::string name = fs::path(compiler).filename().string();
  for (const char* part : {"++", "cxx", "mpicpp", "mpiCC", "icpx", "mpiicpc"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

fs::path real(const fs::path& file, const fs::path& directory) {
  std::error_code error;
  const fs::path found = fs::canonical(file.is_absolute() ? file : directory / file, error);
  return error ? fs::path() : found;
}

std::string said_by(const std::vector<std::string>& command) {
  const auto done = run({.arguments = command,
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true,
                         .time_limit_s = 20});
  return done && done->exit_code == 0 ? done->output : "";
}

std::vector<std::string> asked(const std::vector<std::string>& command) {
  return shell_line(said_by(command)).words;
}

// As flags, those of a GNU compiler with these flags; nothing of others.
std::vector<std::string> macros_of(const CompileUnit& unit) {
  std::vector<std::string> line{"env", "-C", unit.directory.string()};
  line.insert(line.end(), unit.command.begin(), unit.command.end());
  line.insert(line.end(), {"-cpp", "-E", "-dM", "-x", "f95-cpp-input", "/dev/null"});
  std::istringstream said(said_by(line));
  std::vector<std::string> flags;
  for (std::string one; std::getline(said, one);) {
    constexpr std::string_view define = "#define ";
    const auto name_end = one.find(' ', define.size());
    if (!one.starts_with(define) || one.find('(') < name_end) continue;
    flags.push_back("-D" + one.substr(define.size(), name_end - define.size()) + "=" +
                    (name_end == std::string::npos ? "" : one.substr(name_end + 1)));
  }
  return flags;
}

bool is_preprocessed(const CompileUnit& unit) {
  const std::string ending = unit.file.extension().string();
  return std::any_of(ending.begin(), ending.end(), [](unsigned char c) { return std::isupper(c) != 0; }) ||
         ending == ".fpp" ||
         std::find(unit.command.begin(), unit.command.end(), "-cpp") != unit.command.end();
}

// Flags with a value of their own: of those that end in =, or of letters, in the same word; else in the next.
constexpr std::array with_value{"-I",      "-D",         "-U",        "-include",  "-imacros", "-isystem",
                                "-iquote", "-idirafter", "-isysroot", "--sysroot", "-x",       "-target"};
constexpr std::array beginning{"-std=", "-m", "-O", "--sysroot=", "--target="};
constexpr std::array whole{"-ansi",          "-pthread",        "-nostdinc",
                           "-nostdinc++",    "-undef",          "-fopenmp",
                           "-fexceptions",   "-fno-exceptions", "-fshort-enums",
                           "-fsigned-char",  "-funsigned-char", "-fshort-wchar",
                           "-fno-builtin",   "-ffreestanding",  "-fms-extensions",
                           "-fgnu89-inline", "-fcoroutines-ts", "-fno-rtti",
                           "-fchar8_t",      "-fno-char8_t",    "-fno-operator-names",
                           "-fPIC",          "-fPIE",           "-fpic",
                           "-ffast-math",    "-fwrapv",         "-fno-threadsafe-statics"};

}  // namespace

bool is_header(const fs::path& file) {
  return ends_with_one_of(
      file, {".h", ".H", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".inc", ".ipp", ".tpp", ".tcc"});
}

bool is_fortran(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array endings = {".f", ".for", ".ftn", ".fpp", ".f90", ".f95", ".f03", ".f08", ".f18"};
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

bool is_cplusplus(const fs::path& file) {
  return ends_with_one_of(file, {".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP"});
}

std::vector<std::string> compiling_only(const std::vector<std::string>& command, const fs::path& file,
                                        const fs::path& directory) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-o" || word == "-MF" || word == "-MT" || word == "-MQ") {
      ++i;
      continue;
    }
    if (word == "-c" || word == "-S" || word == "-E" || word == "--" || word.starts_with("-M") ||
        (word.starts_with("-o") && word.size() > 2 && !word.starts_with("-op")))
      continue;
    if (i > 0 && !word.starts_with('-') && real(word, directory) == file) continue;
    kept.push_back(word);
  }
  return kept;
}

std::vector<std::string> reading_flags(const std::vector<std::string>& flags) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    const auto valued = std::find_if(with_value.begin(), with_value.end(),
                                     [&](const char* name) { return flag.starts_with(name); });
    if (valued != with_value.end()) {
      kept.push_back(flag);
      if (flag == *valued && i + 1 < flags.size()) kept.push_back(flags[++i]);
    } else if (std::any_of(beginning.begin(), beginning.end(),
                           [&](const char* name) { return flag.starts_with(name); }) ||
               std::find(whole.begin(), whole.end(), flag) != whole.end()) {
      // which processor it is for changes what a few headers declare; Clang need not know all of GCC's names
      if (flag.starts_with("-mtune=") || flag.starts_with("-mcmodel")) continue;
      kept.push_back(flag);
    }
  }
  return kept;
}

Result<std::vector<CompileUnit>> units_of_database(const fs::path& directory,
                                                   const std::vector<fs::path>& files) {
  const fs::path database = directory / "compile_commands.json";
  WW_TRY(const std::string text, read_file(database));
  const nlohmann::json entries = nlohmann::json::parse(text, nullptr, false);
  const auto damaged = [&] {
    return fail("not a list of compile commands", database.string(), "make it again, as cmake and bear do");
  };
  if (!entries.is_array()) return damaged();
  std::vector<CompileUnit> units;
  for (const nlohmann::json& entry : entries) {
    if (!entry.is_object() || !entry.value("file", nlohmann::json()).is_string()) return damaged();
    fs::path where = directory;
    if (entry.contains("directory") && entry["directory"].is_string())
      where = directory / entry["directory"].get<std::string>();
    CompileUnit unit{real(entry["file"].get<std::string>(), where), where, {}};
    if (unit.file.empty() || is_header(unit.file)) continue;
    if (!files.empty() && std::find(files.begin(), files.end(), unit.file) == files.end()) continue;
    std::vector<std::string> words;
    if (entry.contains("arguments") && entry["arguments"].is_array()) {
      for (const nlohmann::json& word : entry["arguments"])
        if (word.is_string()) words.push_back(word.get<std::string>());
    } else if (entry.contains("command") && entry["command"].is_string()) {
      words = shell_line(entry["command"].get<std::string>()).words;
    }
    // ccache and the like, in front of the compiler
    while (words.size() > 1 && (words[0].ends_with("ccache") || words[0].ends_with("distcc")))
      words.erase(words.begin());
    if (words.empty()) return damaged();
    unit.command = compiling_only(words, unit.file, where);
    units.push_back(std::move(unit));
  }
  return units;
}

fs::path database_for(const fs::path& file) {
  for (fs::path at = file.parent_path();; at = at.parent_path()) {
    std::error_code ignored;
    for (const fs::path& place : {at, at / "build"})
      if (fs::exists(place / "compile_commands.json", ignored)) return place;
    if (at == at.root_path() || at.empty()) return {};
  }
}

CompileUnit unit_by_words(const fs::path& file, const std::vector<std::string>& words) {
  CompileUnit unit{file, fs::current_path(), words};
  if (words.empty() || words[0].starts_with('-')) {
    for (const char* compiler : is_fortran(file)     ? std::array{"mpif90", "gfortran"}
                                : is_cplusplus(file) ? std::array{"mpicxx", "c++"}
                                                     : std::array{"mpicc", "cc"}) {
      if (!find_program(compiler)) continue;
      unit.command.insert(unit.command.begin(), compiler);
      break;
    }
  }
  unit.command = compiling_only(unit.command, file, unit.directory);
  return unit;
}

ParsedUnit parsed_as_fortran(const CompileUnit& unit) {
  ParsedUnit out{unit.file.string(), unit.directory.string(), unit.command};
  if (unit.command.empty() || unit.command[0].starts_with('-')) return out;
  out.arguments.erase(out.arguments.begin());
  if (fs::path(unit.command[0]).filename().string().find("mpi") != std::string::npos)
    for (const std::string& flag : asked({unit.command[0], "-show"}))
      if (flag.starts_with("-I")) out.arguments.push_back(flag);
  if (is_preprocessed(unit)) {
    const std::vector<std::string> macros = macros_of(unit);
    out.arguments.insert(out.arguments.begin(), macros.begin(), macros.end());
  }
  return out;
}

ParsedUnit parsed(const CompileUnit& unit) {
  ParsedUnit out{unit.file.string(), unit.directory.string(), reading_flags(unit.command)};
  const bool compiler_is_known = !unit.command.empty() && !unit.command[0].starts_with('-');
  const std::string compiler = compiler_is_known ? unit.command[0] : "cc";
  const std::string name = fs::path(compiler).filename().string();
  if (compiler_is_known && is_cplusplus_compiler(compiler) && !is_cplusplus(unit.file))
    out.arguments.insert(out.arguments.begin(), {"-x", "c++"});  // as g++ takes x.c
  if (compiler_is_known && name.find("mpi") != std::string::npos) {
    for (std::string flag : reading_flags(asked({compiler, "-show"}))) {
      if (flag.starts_with("-I")) flag.replace(0, 2, "-isystem");  // the MPI's headers are not the program's
      out.arguments.push_back(std::move(flag));
    }
  }
  // omp.h and its like, where Clang brings none
  const std::string gnu = is_cplusplus_compiler(compiler) ? "g++" : "gcc";
  if (const auto headers = asked({gnu, "-print-file-name=include"});
      headers.size() == 1 && headers[0] != "include")
    out.arguments.insert(out.arguments.end(), {"-idirafter", headers[0]});
  return out;
}

}  // namespace ww::instrument
