#include "instrument/fortran/parsed_source.hpp"

#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "base/files.hpp"
#include "instrument/fortran_lines.hpp"

namespace ww::instrument {
namespace {

using Fortran::parser::Options;

Options options_of(const ParsedUnit& unit) {
  Options options;
  bool& fixed_form = options.isFixedForm;
  std::string ending = std::filesystem::path(unit.file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  fixed_form = ending == ".f" || ending == ".for" || ending == ".ftn" || ending == ".fpp";
  const auto folder = [&](const std::string& name) {
    return (std::filesystem::path(unit.directory) / name).lexically_normal().string();
  };
  options.searchDirectories.push_back(std::filesystem::path(unit.file).parent_path().string());
  for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
    const std::string& word = unit.arguments[i];
    const auto value = [&](std::size_t after) {
      return word.size() > after             ? word.substr(after)
             : i + 1 < unit.arguments.size() ? unit.arguments[++i]
                                             : "";
    };
    if (word == "-ffixed-form" || word == "-Mfixed" || word == "-fixed") fixed_form = true;
    if (word == "-ffree-form" || word == "-Mfree" || word == "-free") fixed_form = false;
    if (word.starts_with("-ffixed-line-length-")) {
      const std::string columns = word.substr(20);
      options.fixedFormColumns =
          columns == "none" || columns == "0" ? 1 << 20 : std::max(72, std::atoi(columns.c_str()));
    }
    if (word.starts_with("-I"))
      options.searchDirectories.push_back(folder(value(2)));
    else if (word.starts_with("-U"))
      options.predefinitions.emplace_back(value(2), std::nullopt);
    else if (word.starts_with("-D")) {
      const std::string text = value(2);
      const auto equals = text.find('=');
      options.predefinitions.emplace_back(text.substr(0, equals),
                                          equals == std::string::npos ? "1" : text.substr(equals + 1));
    }
  }
  using Feature = Fortran::common::LanguageFeature;
  options.features.Enable(Feature::BackslashEscapes, false);  // as GNU Fortran reads texts
  return options;
}

bool takes_openmp(const ParsedUnit& unit) {
  constexpr std::array flags = {"-fopenmp", "-qopenmp", "-fiopenmp", "-openmp", "-mp", "-qsmp=omp"};
  return std::any_of(unit.arguments.begin(), unit.arguments.end(), [&](const std::string& word) {
    return std::find(flags.begin(), flags.end(), word) != flags.end();
  });
}

// Of a file without a name; -1: there is none.
int file_with(const std::string& text) {
  const int file = memfd_create("whatwire-source", 0);
  if (file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size())) return file;
  if (file >= 0) close(file);
  return -1;
}

}  // namespace

std::optional<std::string> ParsedSource::read(const ParsedUnit& unit) {
  const Options options = options_of(unit);
  path = read_from = unit.file;
  fixed_form = options.isFixedForm;
  // flang itself would read the directives with them, and refuse what it does not know of those
  int conditional = -1;
  if (takes_openmp(unit))
    if (const auto original = read_file(path))
      if (conditional = file_with(with_conditional_lines(*original, fixed_form)); conditional >= 0)
        read_from = "/proc/self/fd/" + std::to_string(conditional);
  parsing.Prescan(read_from, options);
  if (conditional >= 0) close(conditional);
  if (!parsing.messages().AnyFatalError()) parsing.Parse(llvm::nulls());
  if (parsing.messages().AnyFatalError() || !parsing.parseTree() || !parsing.consumedWholeFile()) {
    std::string said;  // "PATH:LINE:COLUMN: error: ..."
    llvm::raw_string_ostream out(said);
    parsing.messages().Emit(out, cooked, false);
    out.flush();
    while (!said.empty() && said.back() == '\n') said.pop_back();
    for (std::size_t at = 0; read_from != path && (at = said.find(read_from, at)) != std::string::npos;)
      said.replace(at, read_from.size(), path);
    return said.empty() ? path + ": cannot be read" : said;
  }
  if (const auto first = sources.GetFirstFileProvenance())
    if (const Fortran::parser::SourceFile* const file = sources.GetSourceFile(first->start()))
      text.assign(file->content().data(), file->content().size());
  return std::nullopt;
}

std::optional<std::size_t> ParsedSource::place(const char* at) const {
  const auto range = cooked.GetProvenanceRange(Fortran::parser::CharBlock(at, 1));
  if (!range) return std::nullopt;
  std::size_t offset = 0;
  const Fortran::parser::SourceFile* const file = sources.GetSourceFile(range->start(), &offset);
  if (file == nullptr || file->path() != read_from || offset >= text.size()) return std::nullopt;
  return offset;
}

std::optional<std::size_t> ParsedSource::offset(const char* at) const {
  const auto found = place(at);
  const auto small = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return found && small(text[*found]) == small(*at) ? found : std::nullopt;
}

std::optional<std::size_t> ParsedSource::behind(const char* last) const {
  const auto found = place(last);
  if (!found) return std::nullopt;
  std::size_t end = *found + 1;
  const auto is_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  while (is_word(end)) ++end;
  if (is_word(end - 1) && end < text.size() && text[end] == '(') {
    int depth = 0;
    do {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    } while (++end < text.size() && depth > 0 && text[end] != '\n');
    if (depth > 0) return std::nullopt;
  }
  return end;
}

unsigned ParsedSource::line_of(std::size_t at) const {
  return 1 + static_cast<unsigned>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace ww::instrument
