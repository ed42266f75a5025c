#include "instrument/instrument.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "base/json_object.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "instrument/compile_units.hpp"
#include "instrument/fortran_check.hpp"
#include "instrument/rewrite.hpp"
#include "instrument/rewrite_fortran.hpp"

namespace ww::instrument {
namespace fs = std::filesystem;
namespace {

// A program of its own for each language, as each needs a compiler's library.
struct Finding {
  const char *program, *library, *packages;
};
constexpr Finding of_c = {"whatwire-instrument", "Clang's library",
                          "libclang-19-dev, libclang-cpp19-dev and llvm-19-dev"},
                  of_fortran = {"whatwire-instrument-fortran", "flang's parser",
                                "libflang-19-dev and llvm-19-dev"};
constexpr const char *header_folder = "whatwire", *headers[] = {"instrumented.h", "marker.h"};

// Names of sources and of nothing else: what a compiler leaves beside them is not ours.
extern const owned::ContentKind folder_kind;
constexpr owned::Entry copies_entries[] = {
    {"*.[cChH]"}, {"*.cc"},  {"*.hh"},  {"*.[ch]pp"}, {"*.[ch]xx"}, {"*.[ch]++"}, {"*.CPP"},
    {"*.inl"},    {"*.inc"}, {"*.ipp"}, {"*.tpp"},    {"*.tcc"},    {"*.[fF]"},   {"*.[fF][0-9][0-9]"},
    {"*.for"},    {"*.FOR"}, {"*.ftn"}, {"*.FTN"},    {"*.fpp"},    {"*.FPP"},    {"*", &folder_kind}};
constexpr owned::ContentKind folder_kind{"folder", copies_entries, false};
constexpr owned::ContentKind copies_kind{"instrumented", copies_entries};

// The tree that this program is in, built or installed.
fs::path installed() {
  return own_program().parent_path().parent_path();
}

Result<std::vector<fs::path>> real_sources(const std::vector<std::string>& given) {
  std::vector<fs::path> files;
  for (const std::string& name : given) {
    std::error_code error;
    const fs::path file = fs::canonical(name, error);
    if (error || !fs::is_regular_file(file, error))
      return fail("cannot read the source", name, "check that it is there and a file");
    if (!is_header(file) && !is_cplusplus(file) && !is_fortran(file) && file.extension() != ".c")
      return fail("not a source in C, C++ or Fortran by its ending", name,
                  "sources are called *.c, *.cc, *.cpp, *.cxx, *.f, *.f90, headers *.h, *.hpp and the like");
    if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  }
  return files;
}

// The units, and in `files` all that is copied: where none is named, what the database has.
Result<std::vector<CompileUnit>> units_of(const InstrumentOptions& options, std::vector<fs::path>& files) {
  std::vector<CompileUnit> units;
  std::string database = options.database;
  if (!database.empty()) {
    WW_TRY(units, units_of_database(fs::absolute(database), files));
    if (files.empty())
      for (const CompileUnit& unit : units)
        if (std::find(files.begin(), files.end(), unit.file) == files.end()) files.push_back(unit.file);
  }
  for (const fs::path& file : files) {
    if (is_header(file)) continue;
    const auto is_it = [&](const CompileUnit& unit) { return unit.file == file; };
    if (std::any_of(units.begin(), units.end(), is_it)) continue;
    if (!options.database.empty())
      return fail("not in the list of compile commands", file.string(),
                  "leave -p out, and give its compiler and flags behind --");
    if (options.compiler.empty())
      if (const fs::path found = database_for(file); !found.empty())
        if (auto known = units_of_database(found, {file}); known && !known->empty()) {
          units.insert(units.end(), known->begin(), known->end());
          continue;
        }
    units.push_back(unit_by_words(file, options.compiler));
  }
  if (units.empty())
    return fail("no source is compiled", files.empty() ? database : files.front().string(),
                "a header is read with what includes it: name such a source, too");
  return units;
}

Result<std::vector<Watch>> read_watches(const std::vector<std::string>& given) {
  std::vector<Watch> watches;
  for (const std::string& text : given) {
    const auto at = text.rfind('@');
    Watch watch{text.substr(0, at), at == std::string::npos ? "" : text.substr(at + 1)};
    if (watch.variable.empty() || (at != std::string::npos && watch.function.empty()))
      return wrong_usage("not VAR or VAR@FUNCTION", "--watch " + text, "as in --watch residual@solve");
    watches.push_back(std::move(watch));
  }
  return watches;
}

Result<Found> find(const FinderRequest& request, const Finding& how) {
  const fs::path finder = helper_program(how.program);
  if (std::error_code ignored; !fs::exists(finder, ignored))
    return fail(fmt::format("this whatwire was built without {}", how.library), finder.string(),
                fmt::format("install {}, and build it again", how.packages));
  const int file = memfd_create("whatwire-request", 0);
  const std::string text = json_text(nlohmann::json(request));
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written) {
    if (file >= 0) close(file);
    return fail("not enough memory for the request", finder.string());
  }
  const auto done = run({.arguments = {finder.string(), fmt::format("/proc/self/fd/{}", file)},
                         .output = Command::Output::capture,
                         .capture_errors = true,
                         .no_input = true});
  close(file);
  if (!done) return tl::unexpected(done.error());
  if (done->exit_code != 0)
    return fail(fmt::format("{} failed", how.library), printable_lines(done->errors.substr(0, 2000)),
                "please report it with the source");
  return read_found(done->output);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known, const char* kind) {
  if (known.empty()) return fmt::format("the sources have no {}", kind);
  if (const auto near = nearest_word(word, known)) return fmt::format("did you mean '{}'?", *near);
  constexpr std::size_t most = 12;
  const std::vector<std::string> some(known.begin(), known.begin() + std::min(most, known.size()));
  return fmt::format("there are: {}{}", fmt::join(some, ", "), known.size() > most ? ", ..." : "");
}

// Names that can be meant: with and without what stands in front.
std::vector<std::string> also_short(const std::vector<std::string>& names) {
  std::set<std::string> all(names.begin(), names.end());
  for (const std::string& name : names)
    if (const auto scope = name.rfind("::"); scope != std::string::npos) all.insert(name.substr(scope + 2));
  return {all.begin(), all.end()};
}

std::string plain(std::string pattern) {
  std::erase_if(pattern, [](char c) { return c == '*' || c == '?' || c == '!'; });
  return pattern;
}

Result<void> check_names(const InstrumentOptions& options, const FinderRequest& request, Found& found) {
  const std::vector<std::string> functions = also_short(found.functions);
  const auto known = [&](const std::string& pattern) {
    return std::any_of(found.functions.begin(), found.functions.end(),
                       [&](const std::string& name) { return pattern_matches(pattern, name); });
  };
  for (const std::string& pattern : options.functions) {
    const bool excludes = pattern.starts_with('!');
    if (known(excludes ? pattern.substr(1) : pattern)) continue;
    const std::string remedy = did_you_mean(plain(pattern), functions, "functions");
    if (!excludes) return fail("no function of these sources is called so", "--functions " + pattern, remedy);
    // perhaps one of a header that is not copied
    found.notes.push_back(
        {"", 0, fmt::format("--functions {} excludes none of these sources; {}", pattern, remedy)});
  }
  for (std::size_t i = 0; i < request.watches.size(); ++i) {
    const Watch& watch = request.watches[i];
    const std::string where = "--watch " + options.watches[i];
    if (!watch.function.empty() && !known(watch.function))
      return fail("no function of these sources is called so", where,
                  did_you_mean(plain(watch.function), functions, "functions"));
    if (std::find(found.matched.begin(), found.matched.end(), i) == found.matched.end())
      return fail(watch.function.empty() ? "no statement of these sources assigns it"
                                         : "no statement of that function assigns it",
                  where, did_you_mean(watch.variable, found.variables, "variables that are assigned"));
  }
  return {};
}

Result<void> check_units(const Found& found) {
  if (found.errors.empty()) return {};
  constexpr std::size_t most = 5;
  std::string lines;
  for (std::size_t i = 0; i < std::min(most, found.errors.size()); ++i)
    lines += "\n  " + to_string(found.errors[i]);
  const bool ours = found.errors.front().text.find("to be copied") != std::string::npos;
  return fail("the sources cannot be read as they are", lines + "\n",
              ours ? "" : "give the compiler and its flags behind --, as in: -- mpicc -O2 -Iinclude");
}

fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path folder = files.front().parent_path();
  for (const fs::path& file : files)
    while (fs::path(file.lexically_relative(folder)).begin()->string() == "..") folder = folder.parent_path();
  return folder;
}

// Where each source goes.
class Copies {
 public:
  Copies(fs::path directory, const std::vector<fs::path>& files)
      : directory_(std::move(directory)), folder_(common_folder(files)), files_(files) {}

  fs::path of(const fs::path& source) const { return directory_ / source.lexically_relative(folder_); }
  bool has(const fs::path& source) const {
    return std::find(files_.begin(), files_.end(), source) != files_.end();
  }

  Result<void> write(const FileSites& sites) const {
    WW_TRY(const std::string text, read_file(sites.path));
    const fs::path copy = of(sites.path);
    if (is_fortran(sites.path)) {
      std::error_code ignored;
      fs::create_directories(copy.parent_path(), ignored);
      return write_file(copy, rewritten_fortran(read_as_fortran(text), sites, sites.path));
    }
    CopyNames names;
    names.header = (directory_ / header_folder / headers[0]).lexically_relative(copy.parent_path()).string();
    names.source = sites.path;
    names.include = [&](const std::string& target) {
      return has(target) ? of(target).lexically_relative(copy.parent_path()).string() : target;
    };
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    return write_file(copy, rewritten(text, sites, names));
  }

  Result<void> write_headers() const {
    std::error_code error;
    fs::create_directories(directory_ / header_folder, error);
    for (const char* header : headers) {
      WW_TRY(const std::string text, read_file(installed() / "include" / "whatwire" / header));
      WW_CHECK(write_file(directory_ / header_folder / header, text));
    }
    return {};
  }

 private:
  fs::path directory_, folder_;
  const std::vector<fs::path>& files_;
};

// Does its compiler take it? Nothing is written. Where no compiler is known Clang's library is asked.
Result<std::string> refusal(const CompileUnit& unit, const fs::path& file) {
  if (unit.command.empty() || unit.command[0].starts_with('-')) {
    CompileUnit copy = unit;
    copy.file = file;
    WW_TRY(const Found found, is_fortran(file) ? find({{parsed_as_fortran(copy)}, {}, {}, {}}, of_fortran)
                                               : find({{parsed(copy)}, {}, {}, {}}, of_c));
    return found.errors.empty() ? "" : to_string(found.errors.front());
  }
  std::vector<std::string> line{"env", "-C", unit.directory.string()};
  line.insert(line.end(), unit.command.begin(), unit.command.end());
  line.insert(line.end(), {"-fsyntax-only", file.string()});
  WW_TRY(const Finished done, run({.arguments = line,
                                   .output = Command::Output::to_stderr,
                                   .capture_errors = true,
                                   .no_input = true}));
  if (done.exit_code == 0) return "";
  return done.errors.empty() ? fmt::format("exit code {}", done.exit_code) : done.errors.substr(0, 4000);
}

// What a compiler says of a copy, and of its source; nothing where it takes the copy.
Result<void> judged(const std::string& of_copy, const std::string& of_source) {
  if (of_copy.empty()) return {};
  if (!of_source.empty())
    return fail("the source does not compile", of_source, "give the compiler and its flags behind --");
  return fail("this is a defect of whatwire: the copy does not compile, and its source does", of_copy,
              "please report it; what these lines hold can be left out by ! patterns of --functions or "
              "VAR@FUNCTION of --watch");
}

Result<void> check_copies(const std::vector<CompileUnit>& units, const Copies& copies) {
  std::vector<CompileUnit> fortran;
  std::vector<fs::path> sources, copied;
  for (const CompileUnit& unit : units) {
    if (is_fortran(unit.file) && !unit.command.empty() && !unit.command[0].starts_with('-')) {
      fortran.push_back(unit);
      sources.push_back(unit.file);
      copied.push_back(copies.of(unit.file));
      continue;
    }
    WW_TRY(std::string problem, refusal(unit, copies.of(unit.file)));
    if (problem.empty()) continue;
    WW_TRY(std::string before, refusal(unit, unit.file));
    const std::string where = unit.file.string() + ":\n";
    WW_CHECK(judged(where + problem, before.empty() ? before : where + before));
  }
  WW_TRY(const std::string problem, fortran_refusal(fortran, copied));
  if (problem.empty()) return {};
  WW_TRY(const std::string before, fortran_refusal(fortran, sources));
  return judged(problem, before);
}

// Each language's sources by its own program, and what they found together.
Result<Found> find_in_all(const FinderRequest& what, const std::vector<CompileUnit>& units,
                          const std::vector<fs::path>& files) {
  Found all;
  for (const Finding* const how : {&of_c, &of_fortran}) {
    FinderRequest request = what;
    for (const CompileUnit& unit : units)
      if (is_fortran(unit.file) == (how == &of_fortran))
        request.units.push_back(how == &of_fortran ? parsed_as_fortran(unit) : parsed(unit));
    for (const fs::path& file : files)
      if (is_fortran(file) == (how == &of_fortran)) request.copied.push_back(file.string());
    if (request.units.empty()) continue;
    WW_TRY(Found found, find(request, *how));
    const auto add = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    add(all.files, found.files);
    add(all.notes, found.notes);
    add(all.errors, found.errors);
    add(all.functions, found.functions);
    add(all.variables, found.variables);
    add(all.seen, found.seen);
    add(all.matched, found.matched);
  }
  return all;
}

template <class Range, class Of>
std::vector<std::string> names_in(const Range& sites, Of of) {
  std::set<std::string> names;
  for (const auto& site : sites) names.insert(of(site));
  return {names.begin(), names.end()};
}

}  // namespace

Result<Instrumented> instrument(const InstrumentOptions& options) {
  WW_TRY(std::vector<fs::path> files, real_sources(options.sources));
  FinderRequest request;
  WW_TRY(request.watches, read_watches(options.watches));
  request.functions = options.functions;
  WW_TRY(const std::vector<CompileUnit> units, units_of(options, files));
  WW_TRY(Found found, find_in_all(request, units, files));
  WW_CHECK(check_units(found));
  WW_CHECK(check_names(options, request, found));
  tell_apart(found.files);

  WW_TRY(owned::NewResult result, owned::NewResult::begin(options.directory, copies_kind, options.previous));
  const Copies copies(result.directory(), files);
  if (!std::all_of(files.begin(), files.end(), is_fortran)) WW_CHECK(copies.write_headers());
  Instrumented done;
  for (const FileSites& sites : found.files) {
    WW_CHECK(copies.write(sites));
    done.files.push_back({sites.path, copies.of(sites.path).lexically_relative(result.directory()).string(),
                          names_in(sites.functions, [](const FunctionSite& site) { return site.name; }),
                          names_in(sites.watches, [](const WatchSite& site) { return site.name; }),
                          sites.watches.size()});
  }
  for (const fs::path& file : files)
    if (std::find(found.seen.begin(), found.seen.end(), file.string()) == found.seen.end())
      found.notes.push_back(
          {file.string(), 0, "no source that is named includes it, and so it is not copied"});
  WW_CHECK(check_copies(units, copies));
  WW_TRY(done.said, result.publish());
  done.directory = result.name();
  for (InstrumentedFile& file : done.files) file.copy = (done.directory / file.copy).string();
  done.notes = std::move(found.notes);
  done.link_flags = shell_quoted({"-L" + (installed() / "lib").string()}) + " -lwhatwire-marker";
  return done;
}

}  // namespace ww::instrument
