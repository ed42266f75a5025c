#include "launch/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/subprocess.hpp"
#include "launch/elf.hpp"
#include "launch/linked_in.hpp"
#include "launch/starter.hpp"

namespace ww::launch {
namespace {
namespace fs = std::filesystem;

template <class Is>
bool any_library(const Executable& program, Is is) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), is) ||
         std::any_of(program.missing_libraries.begin(), program.missing_libraries.end(), is);
}

bool is_of_some_mpi(const std::string& name) {
  return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_");
}

// One that cannot be recorded comes first: it may itself need one that can.
std::vector<const Library*> linked_to(const Executable& program) {
  std::vector<const Library*> found;
  for (const Library* one : libraries())
    if (any_library(program, [&](const std::string& name) { return library_in_file(name) == one; }))
      found.insert(one->recorded ? found.end() : found.begin(), one);
  return found;
}

}  // namespace

Result<void> check_exists(const std::string& word) {
  if (find_program(word)) return {};
  std::error_code ignored;
  if (!fs::exists(word, ignored))
    return fail("no such program", word,
                word.find('/') == std::string::npos
                    ? "it is not in PATH either; check what stands behind the launcher's options"
                    : "check the path behind the launcher's options");
  if (fs::is_directory(word, ignored))
    return fail("a directory, not a program", word, "check the path behind the launcher's options");
  // Without a slash a program is looked for in PATH only, by shells and launchers alike.
  const std::string path = word.find('/') == std::string::npos ? "./" + word : word;
  if (find_program(path))
    return fail("no such program in PATH", word,
                fmt::format("a program of this directory needs its path: {}", path));
  return fail("not an executable file", word,
              path == word
                  ? "make it executable: chmod +x " + word
                  : fmt::format("make it executable and name its path: chmod +x {0}, then {1}", word, path));
}

Result<const Library*> check_program(const std::string& word) {
  WW_CHECK(check_exists(word));
  const std::string path = *find_program(word);
  WW_TRY(const Executable program, inspect_executable(path));
  if (program.kind == Executable::Kind::static_program)
    return fail("a static program cannot be recorded", word,
                "link it dynamically (without -static), so that the recorder can be preloaded");
  auto linked = linked_to(program);
  if (const auto own = linked_in(path)) {
    if (!own->wrapped) return tl::unexpected(calls_unseen(*own->library, word));
    if (std::find(linked.begin(), linked.end(), own->library) == linked.end()) linked.push_back(own->library);
  }
  if (!linked.empty() && !linked.front()->recorded)
    return fail(fmt::format("linked to {} ({}), whose calls cannot be recorded", linked.front()->title,
                            linked.front()->sonames),
                word, fmt::format("link it to a library itself: {}", named_by(&Library::build_with)));
  if (linked.size() > 1)
    return fail(
        fmt::format("linked to both {} and {}", linked[0]->title, linked[1]->title), word,
        "build it and the libraries that it needs with one of them (ldd shows which library brings which)");
  if (linked.empty() && any_library(program, [](const std::string& name) {
        return name.starts_with("libmpi.so") || name.starts_with("libmpich.so");
      }))
    return fail("linked to an MPI that is not known here", word,
                fmt::format("build it with Open MPI 4 or MPICH 4: {}", named_by(&Library::build_with, ", ")));
  if (!program.missing_libraries.empty())
    return fail(fmt::format("needs {}, which is not found", program.missing_libraries.front()), word,
                "set LD_LIBRARY_PATH or install it");
  return linked.empty() ? nullptr : linked.front();
}

bool is_interpreter(const std::string& word) {
  const std::string name = fs::path(word).filename();
  for (const char* one :
       {"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh", "perl", "ruby", "julia", "Rscript", "octave",
        "octave-cli", "lua", "node", "gawk", "awk", "ipython", "ipython3"})
    if (name == one) return true;
  return (name.starts_with("python") || name.starts_with("pypy")) &&
         name.find_first_not_of("0123456789.", name.starts_with("python") ? 6 : 4) == std::string::npos;
}

int likelihood(const std::string& word) {
  const auto path = find_program(word);
  if (!path) return 0;
  if (is_interpreter(word) || wrapper_called(fs::path(word).filename().string()) != nullptr) return 3;
  if (const auto program = inspect_executable(*path); program && any_library(*program, is_of_some_mpi))
    return 4;
  return word.find('/') == std::string::npos ? 1 : 2;
}

}  // namespace ww::launch
