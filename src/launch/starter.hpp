// Programs that start the program behind them: launchers of MPI (mpirun, srun) and wrappers (env, timeout,
// numactl). Each is described by data: what it is called and how many words belong to each of its options.
// A list of options need not be complete: what it lacks, the launcher's --help says (ask.hpp), and what that
// lacks is read by what of the line can be run (launch.cpp).
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "library/libraries.hpp"

namespace ww::launch {

enum class Syntax {
  names,   // -name and --name are one option, its values are the words behind it (Open MPI, Hydra)
  getopt,  // GNU's: -n4, -n 4, -lu, --long=4, --long 4, and unambiguous beginnings of long names
};

// Lists are separated by blanks.
struct Starter {
  const char* title;   // for messages: "Slurm's srun"
  const char* called;  // file names; a name may stand for several starters (mpirun)
  Syntax syntax = Syntax::getopt;
  const char* alone = "";  // options without a word of their own, or with one that "=" attaches
  const char* one = "";    // options that take the word behind them
  const char* two = "";    // options that take two
  const char* pair = "";   // options that take NAME=VALUE or NAME VALUE

  // Of launchers.
  const Library* library = nullptr;  // whose programs it starts; nullptr: those of any, or of none known here
  bool joins = false;                // several programs, separated by ":"
  const char* listing = "";  // options whose word is a file that holds the rest of the line, a program a line
  const char* elsewhere = "";    // options that name the programs in a file of another kind
  const char* signature = "";    // what its --version says and no other launcher's of the same name
  const char* help = "--help";   // the words that make it list its options
  bool help_tells_flags = true;  // an option that the help shows without a value takes none

  // Of wrappers.
  const char* verbs = "";    // words that may stand before its options: "stat" of perf stat
  int operands = 0;          // words of its own between its options and the program: timeout DURATION
  bool assignments = false;  // NAME=VALUE words before the program (env)
  bool measured = true;      // affects where and how a program runs, so that a measurement needs it too
};

std::span<const Starter* const> launchers();
std::span<const Starter> wrappers();

// By the name of its file. Several launchers are called mpirun.
std::vector<const Starter*> launchers_called(std::string_view name);
const Starter* wrapper_called(std::string_view name);

// How many words behind this option word belong to it, the next being `next`; nothing if it is not listed.
std::optional<int> words_of(const Starter& starter, std::string_view option, std::string_view next);

// One file each, in starters/.
extern const Starter openmpi, hydra, intel, prrte, srun, aprun, pals, mpt, flux, jsrun, ibrun;

}  // namespace ww::launch
