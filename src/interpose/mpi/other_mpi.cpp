// A script can start a program of another MPI than the one that was expected of it. Its calls would reach our
// wrappers with handles that they cannot even pass on (a pointer does not fit into MPICH's integers). So
// before its main, the program is started again without us, and the reader is told.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/environment.hpp"
#include "interpose/core/notes.hpp"
#include "interpose/core/preload.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/mpi/own_library.hpp"

namespace ww::interpose {
namespace {

constexpr const char* left_alone =
    "WW_LEFT_ALONE";  // so that it is not started for ever, should we be loaded again

void leave_programs_of_other_mpis(int, char** argv, char**) {
  if (getenv(environment::spool_dir) == nullptr && getenv(environment::dilation) == nullptr) return;
  char version[8192] = "";  // MPICH's MPI_MAX_LIBRARY_VERSION_STRING; Open MPI's is less
  int length = 0;
  note_program(environment::loaded_file);
  // Of the library that the program is linked to: it comes before ours in the order of the loader.
  if (PMPI_Get_library_version(version, &length) != MPI_SUCCESS || getenv(left_alone) != nullptr ||
      strncmp(version, own_library.version_begins, strlen(own_library.version_begins)) == 0)
    return;
  note(environment::other_mpi_file, version, strcspn(version, ",\n"));
  char own_file[64];
  snprintf(own_file, sizeof own_file, "libwhatwire-%s.so", own_library.name);
  leave_preload(own_file);
  setenv(left_alone, "1", 1);
  execv("/proc/self/exe", argv);
}
// Functions of a library that a program opens by itself are found in that library, not in those preloaded.
__attribute__((destructor)) void note_what_was_not_seen() {
  int initialised = 0;
  if (getenv(environment::spool_dir) != nullptr && !seen_in_use() &&
      PMPI_Initialized(&initialised) == MPI_SUCCESS && initialised != 0)
    note_program(environment::init_unseen_file);
}

// A constructor that the link-time optimiser does not merge with others, which would lose its arguments.
__attribute__((section(".init_array"),
               used)) void (*const before_main)(int, char**, char**) = leave_programs_of_other_mpis;

}  // namespace
}  // namespace ww::interpose
