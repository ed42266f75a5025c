// Files opened through MPI: from handle to the id that the records carry.
#pragma once
#include "interpose/mpi/comms.hpp"

namespace ww::interpose {

// A program's string: with its length in Fortran, where blanks at the end are none of it, with a 0 at the end
// in C.
struct Text {
  const char* at;
  int64_t length;  // -1: up to the 0
};

struct KnownFile {
  uint32_t id;     // also of the communicator of those who opened it, which is the file's own
  uint64_t split;  // serial of the split collective operation that is open (MPI allows one at a time)
};

// Never fails: a file that is not known (opened by a call that is not followed) is defined now, with a
// diagnostic.
KnownFile& known_file(MPI_File file);
uint32_t file_opened(MPI_File file, const Text& name, int mode);  // defines it; its id
uint32_t file_closed(MPI_File file);      // the handle may be reused from now on; its id
uint32_t file_deleted(const Text& name);  // an id for the name, which no file that is open has

}  // namespace ww::interpose
