// A message library, as far as it can be told in data: how its programs are recognised and started, what its
// processes find in their environment, and how it works inside. One description a library, each in a header
// of its own (open_mpi.hpp); docs/libraries.md says what else belongs to one. Pulls in nothing, as the
// libraries that are loaded into other people's programs read it too.
#pragma once
#include <cstdint>

namespace ww {

// Whose choice of an algorithm a collective follows (patterns/choice.hpp). unknown: it is kept at the
// duration that was recorded.
enum class CollectiveRules : std::uint8_t { unknown, open_mpi_4, mpich_4 };

// When the library goes on with a message that needs both of its ends (above the eager threshold, or sent
// synchronously): while the rank is in one of its calls, or whatever the rank does, by a thread, a daemon or
// the network's hardware.
enum class Progress : std::uint8_t { inside_calls, always };

// Lists are separated by blanks.
struct Library {
  const char* name;   // in the names of our parts (libwhatwire-NAME.so) and in "mpi" of run.json
  const char* title;  // for people

  // Recognised by
  const char* sonames;  // what the names of its shared files begin with
  // Of programs that have it in their own code, if that can be recorded: functions and data that it defines (all of
  // them), a text that it alone has (a program's symbols may have been stripped), the section that those have whose
  // calls the recorder sees, and the pkg-config package that makes it.
  const char *static_symbols = "", *static_text = "", *wrap_section = "", *wrap_package = "";
  const char* version_begins;  // MPI_Get_library_version
  bool recorded = true;        // there are a recorder and the experiments for it
  const char* build_with;      // its compiler
  const char* packages;        // Debian's, that hold it

  // Started by. Whose a launcher is, its starter says (src/launch/starters).
  const char* launchers;     // that are tried when one is needed, best first; "": programs start themselves
  const char* daemon = "";   // that must run before
  const char* servers = "";  // programs of its own among the tasks, which go on when the user's have ended
  const char* hosts_option = "";     // takes NAME:COUNT,...
  const char* crowding_option = "";  // allows more ranks than cores; "": they always may be
  struct RankVariables {             // which of how many processes one is
    const char *number = nullptr, *size = nullptr, *size_on_host = nullptr;
  };
  RankVariables rank_variables = {};

  // Works by
  const char* settings;  // beginnings of environment variables that change what its messages cost
  const char* spawn_environment = nullptr;  // key of MPI_Info for the variables of what is spawned
  // The variable with the names, by ":", of those that what a program starts has from it; nullptr: what is started has all, or none.
  const char* exported_by = nullptr;
  // Calls that it makes inside of others are recorded too: they are the program's calls by other names (PVM's
  // pvm_psend packs and sends), whose time is not to be told twice.
  bool nested_calls = false;
  bool clock_after_end = true;  // MPI_Wtime may be called after MPI_Finalize
  CollectiveRules collectives = CollectiveRules::unknown;
  Progress progress = Progress::inside_calls;
  // From that size on a message to oneself makes its sender read whatever has come; 0: of no size. Measured by exchanges whose
  // request came before one: MPICH's UCX has them from 8 KiB on (8,176 bytes do not), Open MPI's ob1 has none.
  std::uint64_t own_messages_read_from_bytes = 0;
  // How often something small crosses, one after the other, of a message above the eager threshold beside its data (request,
  // reply, and what more its receiver waits for). Measured by what a delay of 1 ms adds: 3.0 ms in all under Open MPI's
  // TCP, 4.9 under MPICH's UCX, which puts the data, has that acknowledged, and then tells that they are there.
  int handshake_crossings = 2;
  // ... while two make a communicator, at most; of more members as often for each time that their number doubles. Measured as
  // above: MPI_Comm_split, which takes the most.
  int communicator_crossings = 0;

  constexpr bool starts_itself() const { return *launchers == '\0'; }  // its programs, each
};

}  // namespace ww
