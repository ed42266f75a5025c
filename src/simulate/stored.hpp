// A trace's program kept in a file beside the trace (traces.otf2 -> traces.wwp), which the next prediction
// maps instead of reading, matching and compiling the trace again.
#pragma once
#include <filesystem>
#include <optional>

#include "simulate/program.hpp"

namespace ww::simulate {

// Where the program of the trace with this anchor file is kept.
std::filesystem::path stored_beside(const std::filesystem::path& anchor);

// `made_from`: what fingerprint() says of the files that the program was compiled from. Leaves the old file
// or the whole new one.
Result<void> save(const Program& program, std::uint64_t made_from, const std::filesystem::path& file);
// Takes as long for any size: what the columns say is not looked at, check() does. Nothing if there is no
// such file, if it was made from other files, by another whatwire, or is cut short.
std::optional<Program> map_stored(const std::filesystem::path& file, std::uint64_t made_from);
// Every number in the columns points at something. Reads all of them.
Result<void> check(const Program& program);

// Of the files of an archive and what is beside it, by name, size and time of writing, and of this whatwire:
// another one may compile otherwise.
std::uint64_t fingerprint(const std::filesystem::path& anchor);

struct Opened {
  Program program;
  std::optional<Trace> trace;  // if it was asked for, or had to be loaded
  bool mapped = false;
};

// TRACE as users name it. Maps its program, or loads and compiles the trace and stores the program, where its
// directory can be written. Program::load_s: what all of that took. Errors: those of load_trace and compile.
Result<Opened> open_program(const std::filesystem::path& trace, bool with_trace);

}  // namespace ww::simulate
