#include "cli/folder_choices.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <fstream>

#include "base/text.hpp"
#include "launch/check.hpp"
#include "trace/directory.hpp"

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

constexpr int most_levels = 4;
constexpr std::size_t most_entries = 20'000, most_programs = 200, most_settings = 100;
constexpr std::size_t most_of_settings = 64 << 10;

std::string beginning_of(const fs::path& file, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary);
  std::string text(bytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return text;
}

// Neither what tools keep for themselves, of which CMake tries programs too, nor a trace.
bool is_looked_into(const fs::path& folder) {
  const std::string name = folder.filename().string();
  for (const char* other : {"CMakeFiles", "node_modules", "__pycache__", "site-packages"})
    if (name == other) return false;
  std::error_code ignored;
  return !name.starts_with('.') && !is_unified(folder) && !has_spool(folder) &&
         !fs::exists(folder / "study.json", ignored);
}

bool is_shared_library(const std::string& name) {
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

}  // namespace

FolderChoices choices_below(const fs::path& folder) {
  FolderChoices found;
  std::size_t entries = 0;
  std::deque<std::pair<fs::path, int>> folders = {{"", 0}};  // relative, and how deep
  std::error_code ignored;
  for (; !folders.empty(); folders.pop_front()) {
    const auto [within, level] = folders.front();
    std::vector<fs::directory_entry> here;
    for (auto at =
             fs::directory_iterator(folder / within, fs::directory_options::skip_permission_denied, ignored);
         at != fs::directory_iterator(); at.increment(ignored)) {
      if (++entries > most_entries) break;
      here.push_back(*at);
    }
    std::sort(here.begin(), here.end());
    for (const fs::directory_entry& entry : here) {
      const fs::path path = within / entry.path().filename();
      const std::string name = path.string(), file_name = path.filename().string();
      if (printable(name) != name) continue;
      if (entry.is_directory(ignored)) {
        if (entry.is_symlink(ignored) || !is_looked_into(entry.path())) continue;
        if (level + 1 < most_levels)
          folders.emplace_back(path, level + 1);
        else
          found.left_out = true;
        continue;
      }
      if (!entry.is_regular_file(ignored) || !place_below(folder, name)) continue;
      if (file_name.ends_with(".toml") && found.settings.size() < most_settings &&
          beginning_of(entry.path(), most_of_settings).find("[record]") != std::string::npos)
        found.settings.push_back(name);
      if (access(entry.path().c_str(), X_OK) != 0 || is_shared_library(file_name)) continue;
      const std::string begin = beginning_of(entry.path(), 4);
      const bool is_script = begin.starts_with("#!");
      if (!is_script && begin != "\177ELF") continue;
      if (found.programs.size() >= most_programs) {
        found.left_out = true;
        continue;
      }
      FolderChoices::Program program{"./" + name, is_script ? "script" : "program of no library known here",
                                     false};
      if (!is_script) {
        const auto library = launch::check_program(program.path);
        if (!library) program.kind = library.error().what;
        if (library && *library != nullptr) {
          program.kind = (*library)->title;
          program.known = true;
        }
      }
      found.programs.push_back(std::move(program));
    }
  }
  found.left_out = found.left_out || entries > most_entries;
  std::stable_partition(found.programs.begin(), found.programs.end(),
                        [](const FolderChoices::Program& one) { return one.known; });
  return found;
}

Result<fs::path> place_below(const fs::path& folder, const std::string& name) {
  const fs::path given(name);
  const auto refused = [&](const char* what) {
    return wrong_usage(what, printable(name),
                       fmt::format("name a place below {}, as runs/app.ww", folder.string()));
  };
  if (name.empty()) return refused("no name");
  if (printable(name) != name) return refused("a name with characters that cannot be shown");
  if (given.is_absolute() ||
      std::any_of(given.begin(), given.end(), [](const fs::path& part) { return part == ".."; }))
    return refused("outside of the folder in which whatwire view was started");
  const fs::path plain = given.lexically_normal();
  if (plain == "." || plain.empty()) return refused("the folder itself");
  std::error_code problem;
  const fs::path root = fs::canonical(folder, problem), real = fs::weakly_canonical(folder / plain, problem);
  const auto [end, other] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (problem || end != root.end() || other == real.end())
    return refused("outside of the folder in which whatwire view was started, by a link");
  return folder / plain;
}

}  // namespace ww::cli
