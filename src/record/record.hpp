// Records one run of the user's program: starts it with the recorder preloaded, then makes the archive.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/new_result.hpp"
#include "base/result.hpp"
#include "base/subprocess.hpp"
#include "lab/name.hpp"
#include "launch/launch.hpp"
#include "record/record_selection.hpp"

namespace ww {

struct RecordOptions {
  RecordFilter selection;
  std::filesystem::path directory;                               // of the trace: NAME of base/new_result.hpp
  owned::Previous previous = owned::Previous::keep;              // what becomes of an older trace there
  std::optional<lab::LabName> lab;                               // run on the hosts of this lab
  std::vector<std::pair<std::string, std::string>> environment;  // for the ranks, beside the recorder's own
  Command::Output output = Command::Output::inherit;  // what becomes of the program's standard output
  bool daemons = false;  // on a lab: those of the program's library are recorded too
  std::filesystem::path
      daemons_dir;                // where daemons record that the user started for it; empty: there are none
  bool keep_interrupted = false;  // SIGINT and SIGTERM end the run, and what it did until then is the trace
  std::filesystem::path output_file;  // if set, standard output and error of the program go there instead
};

struct Recorded {
  std::filesystem::path directory;
  int exit_code = 0;  // of the launch line
  bool interrupted = false;
  double wall_s = 0;  // of the launch line, start-up included
  Diagnostics diagnostics;
  std::vector<std::string> said;  // what became of an older trace, for the user
};

// The trace is there even if the program failed (exit_code). Errors: the launch line cannot be started, no
// rank ever entered MPI_Init, the directory is not ours to replace; then nothing is left behind and an older
// trace is as it was. If only the archive could not be made, what was recorded stays, and the error says
// where.
Result<Recorded> record(const Launch& launch, const RecordOptions& options);

// For errors: what a program that failed printed into its output_file, its last lines, since the
// file goes with the run. `otherwise` if it printed nothing.
std::string what_it_printed(const std::filesystem::path& output_file, const std::string& otherwise);

// For errors: what to do about a program that ended with this code, whose output the user has seen (`shown`)
// or that printed nothing.
std::string what_may_help(int exit_code, bool shown);

// "./app" -> "app.ww" in the current directory.
std::filesystem::path default_trace_directory(const Launch& launch);

}  // namespace ww
