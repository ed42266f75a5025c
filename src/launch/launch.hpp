// The user's launch line, understood: where the programs stand in it and whether the recorder can reach them.
// "mpirun -n 4 ./app -x 3", "mpirun -n 1 ./a : -n 3 ./b", "env X=1 srun ./app", "mpirun -n 2 numactl -l
// ./app",
// "./app".
//
// The program is the first word that is no option of the launcher and belongs to none. Which words belong to
// an option is known from its starter's data (starter.hpp); of an option that is not listed there, the
// launcher is asked (its --help); of one that it does not tell either, both readings are tried: the word
// behind it that can be run as a program (best one that is linked to an MPI) is the program. Where two
// readings are as good, the line is refused with both of them: a `--` in front of the program, or --program
// N, says which.
#pragma once
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "library/libraries.hpp"

namespace ww {

struct Launch {
  struct Program {
    std::size_t begin = 0;  // of what the launcher starts: a wrapper (numactl, env) or the program itself
    std::size_t at = 0;     // the program
    std::size_t end = 0;    // behind its last argument
  };
  std::vector<std::string> line;  // as the user wrote it
  // What is started: the line, with the command of `sh -c` and the lines of an appfile in their places.
  std::vector<std::string> words;
  std::vector<Program> programs;        // where in the words (several joined by ":")
  std::optional<std::size_t> launcher;  // where in the words; none of a single process or a script
  // Programs that start the one behind them, in front of the launcher or of a program.
  struct Wrapper {
    std::size_t begin = 0, end = 0;
    bool changes_environment = false;  // env
    bool measured = true;              // a measurement needs it too
  };
  std::vector<Wrapper> wrappers;
  // By what the programs are linked to or, of scripts and interpreters, by the launcher. nullptr: seen only
  // when they run.
  const Library* library = nullptr;

  const std::string& program() const { return words[programs.front().at]; }
  // What results are named after: the program's file, or the script's that an interpreter runs.
  std::string name() const;
  // The line with other programs in the places of its programs and their arguments, to be measured: wrappers
  // that end or slow down what they start are left out.
  std::vector<std::string> with_program(const std::vector<std::string>& program) const;
  // The line with every program started under these variables, wherever its launcher puts it.
  std::vector<std::string> with_environment(
      const std::vector<std::pair<std::string, std::string>>& variables) const;

 private:
  bool is_separator(std::size_t at) const;
  std::vector<std::string> as_started() const;
};

// A word of its own in a launch line, in front of a program: here it is (--program N).
inline constexpr const char* program_mark = "\001program";

// Errors: nothing to run, a missing program, two readings, a static program, a program of an MPI that is not
// known here, programs of two libraries, a launcher of another MPI than the programs', each with the remedy.
Result<Launch> understand(const std::vector<std::string>& line);

// Where the launcher stands in a line or in the beginning of one: behind `env X=1`, `timeout 60`. 0 if none.
std::size_t launcher_in(const std::vector<std::string>& line);

// The line with what begins at its launcher changed: `env X=1 mpirun ...` on the hosts of a lab.
Result<std::vector<std::string>> change_launcher(
    const std::vector<std::string>& line,
    const std::function<Result<std::vector<std::string>>(std::vector<std::string>)>& change);

}  // namespace ww
