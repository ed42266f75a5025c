#include "launch/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/subprocess.hpp"
#include "launch/elf.hpp"
#include "launch/starter.hpp"

namespace ww::launch {
namespace {
namespace fs = std::filesystem;

bool needs(const Executable& program, std::string_view library) {
  const auto matches = [&](const std::string& name) { return name.starts_with(library); };
  return std::any_of(program.libraries.begin(), program.libraries.end(), matches) ||
         std::any_of(program.missing_libraries.begin(), program.missing_libraries.end(), matches);
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

Result<Mpi> check_program(const std::string& word) {
  WW_CHECK(check_exists(word));
  WW_TRY(const Executable program, inspect_executable(*find_program(word)));
  if (program.kind == Executable::Kind::static_program)
    return fail("a static program cannot be recorded", word,
                "link it dynamically (without -static), so that the recorder can be preloaded");
  const bool open_mpi = needs(program, "libmpi.so.40"), mpich = needs(program, "libmpich.so.12");
  if (open_mpi && mpich)
    return fail(
        "linked to both Open MPI and MPICH", word,
        "build it and the libraries that it needs with one of them (ldd shows which library brings which)");
  if (!open_mpi && !mpich && (needs(program, "libmpi.so") || needs(program, "libmpich.so")))
    return fail("linked to an MPI that is not known here", word,
                "build it with Open MPI 4 or MPICH 4: mpicc.openmpi, mpicc.mpich");
  if (!program.missing_libraries.empty())
    return fail(fmt::format("needs {}, which is not found", program.missing_libraries.front()), word,
                "set LD_LIBRARY_PATH or install it");
  return open_mpi ? Mpi::openmpi : mpich ? Mpi::mpich : Mpi::unknown;
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
  if (const auto program = inspect_executable(*path);
      program &&
      (needs(*program, "libmpi.so") || needs(*program, "libmpich.so") || needs(*program, "libmpi_")))
    return 4;
  return word.find('/') == std::string::npos ? 1 : 2;
}

}  // namespace ww::launch
