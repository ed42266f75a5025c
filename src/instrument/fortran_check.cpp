#include "instrument/fortran_check.hpp"

#include <fmt/format.h>

#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"

namespace ww::instrument {
namespace fs = std::filesystem;
namespace {

constexpr owned::Entry module_entries[] = {{"*"}};
constexpr owned::ContentKind modules_kind{"modules", module_entries};

// As if started where the unit is compiled: folders of included files by their whole names, none for modules.
std::vector<std::string> elsewhere(const CompileUnit& unit) {
  std::vector<std::string> words;
  const auto whole = [&](const std::string& name) {
    return (unit.directory / name).lexically_normal().string();
  };
  for (std::size_t i = 0; i < unit.command.size(); ++i) {
    const std::string& word = unit.command[i];
    const bool is_include = word.starts_with("-I"),
               is_module = word.starts_with("-J") || word == "-module" || word == "-module-dir";
    if (!is_include && !is_module) {
      words.push_back(word);
      continue;
    }
    const bool is_apart = word == "-I" || word == "-J" || word.starts_with("-module");
    if (is_apart && ++i == unit.command.size()) break;
    words.push_back("-I" + whole(is_apart ? unit.command[i] : word.substr(2)));
  }
  words.push_back("-I" + unit.directory.string());
  words.push_back("-I" + unit.file.parent_path().string());
  return words;
}

}  // namespace

Result<std::string> fortran_refusal(const std::vector<CompileUnit>& units,
                                    const std::vector<fs::path>& files) {
  if (units.empty()) return std::string();
  WW_TRY(const auto folder, owned::TemporaryFolder::make("modules", modules_kind));
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < units.size(); ++i) left.push_back(i);
  while (!left.empty()) {
    std::vector<std::size_t> refused;
    std::string said;
    bool only_modules = false;
    for (const std::size_t i : left) {
      std::vector<std::string> line{"env", "-C", folder.path().string()};
      const std::vector<std::string> words = elsewhere(units[i]);
      line.insert(line.end(), words.begin(), words.end());
      line.insert(line.end(), {"-fsyntax-only", files[i].string()});
      WW_TRY(const Finished done, run({.arguments = line,
                                       .output = Command::Output::to_stderr,
                                       .capture_errors = true,
                                       .no_input = true}));
      if (done.exit_code == 0) continue;
      refused.push_back(i);
      // where modules are missing it may be as the source that has them was refused
      const bool misses_module = done.errors.find(".mod") != std::string::npos;
      if (said.empty() || (only_modules && !misses_module)) {
        only_modules = misses_module;
        said =
            files[i].string() + ":\n" +
            (done.errors.empty() ? fmt::format("exit code {}", done.exit_code) : done.errors.substr(0, 4000));
      }
    }
    if (refused.size() == left.size()) return said;
    left = std::move(refused);
  }
  return std::string();
}

}  // namespace ww::instrument
