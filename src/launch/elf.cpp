#include "launch/elf.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "base/subprocess.hpp"

namespace ww {
namespace {

// A program without an interpreter is complete in itself: no loader runs that would honour LD_PRELOAD.
Result<bool> has_interpreter(std::ifstream& file, const Elf64_Ehdr& header, const std::string& path) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment = {};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment))
      return fail("damaged executable", path);
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

// The loader itself tells what it would load, without running the program (as ldd does).
void list_libraries(const std::string& path, Executable& found) {
  const auto listed = run({.arguments = {path},
                           .environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}},
                           .output = Command::Output::capture,
                           .capture_errors = true,
                           .no_input = true,
                           .time_limit_s = 20});
  if (!listed) return;
  std::istringstream lines(listed->output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, file;  // "libmpi.so.40 => /usr/lib/libmpi.so.40 (0x...)"
    words >> name >> arrow >> file;
    if (name.empty()) continue;
    if (arrow != "=>") file = name;  // linked to by its path
    (line.find("not found") != std::string::npos ? found.missing_libraries : found.libraries).push_back(name);
  }
}

}  // namespace

Result<Executable> inspect_executable(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot read the program", path);
  Elf64_Ehdr header = {};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const auto length = file.gcount();
  Executable found;
  if (length >= 2 && std::memcmp(&header, "#!", 2) == 0) {
    found.kind = Executable::Kind::script;
    return found;
  }
  if (length < static_cast<std::streamsize>(sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return fail("not a program", path, "name an executable file or a script that begins with #!");
  if (header.e_ident[EI_CLASS] != ELFCLASS64)
    return fail("a 32-bit program", path, "build it for 64 bits; the recorder is a 64-bit library");
  file.clear();
  WW_TRY(const bool dynamic, has_interpreter(file, header, path));
  if (!dynamic) {
    found.kind = Executable::Kind::static_program;
    return found;
  }
  list_libraries(path, found);
  return found;
}

}  // namespace ww
