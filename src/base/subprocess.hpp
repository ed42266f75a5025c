// Runs other programs: the user's launch lines, ip, mpirun.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace ww {

struct Command {
  std::vector<std::string> arguments;                                 // arguments[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to ours
  enum class Output { inherit, capture, to_stderr };
  Output output = Output::inherit;  // what becomes of its standard output
  bool capture_errors = false;      // its standard error is captured too (else inherited)
  bool no_input = false;            // standard input is /dev/null (else inherited)
  std::optional<double> time_limit_s =
      {};                            // then SIGTERM, a second later SIGKILL, to its whole process group
  bool end_when_interrupted = true;  // if not, an interruption is no error but Finished::interrupted
};

struct Finished {
  int exit_code = 0;  // of a process ended by a signal: 128 + signal
  int signal = 0;     // 0 if it exited
  bool timed_out = false;
  bool interrupted = false;
  double elapsed_s = 0;
  double cpu_s = 0;         // user + system of it and its waited-for children
  std::string output = {};  // captured standard output
  std::string errors = {};  // captured standard error
};

// Waits for the end. SIGINT and SIGTERM that reach us meanwhile are passed on to the child
// (interruption.hpp), and its end is an error then; nor is anything started after one. Signals belong to the
// process: threads that call it at once take turns. Error: the program cannot be started.
Result<Finished> run(const Command& command);

// The path of an executable as a shell would find it, or nothing.
std::optional<std::string> find_program(const std::string& name);

// The words of a line as a shell parts it: at blanks and line ends, by quotes and backslashes. Not `plain`: a shell would do more, as there is
// something that it expands or obeys, or a quote is open.
struct ShellLine {
  std::vector<std::string> words;
  bool plain = true;
};
ShellLine shell_line(const std::string& line);

// As a shell would need it written.
std::string shell_quoted(const std::vector<std::string>& arguments);

}  // namespace ww
