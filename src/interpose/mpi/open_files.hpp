// Files opened through MPI: from handle to the id that the records carry.
#pragma once
#include "interpose/mpi/comms.hpp"
#include "interpose/mpi/language.hpp"

namespace ww::interpose {

struct KnownFile {
  uint32_t id;     // also of the communicator of those who opened it, which is the file's own
  uint64_t split;  // serial of the split collective operation that is open (MPI allows one at a time)
};

// Never fails: a file that is not known (opened by a call that is not followed) is defined now, with a
// diagnostic.
KnownFile& known_file(MPI_File file);
uint32_t file_opened(MPI_File file, const Text& name, int mode, Origin origin);  // defines it; its id
// Around the call that closes it, as with communicators. False: it is not known.
bool hide_file(MPI_File file, KnownFile& hidden);
void file_closed(MPI_File file);
void file_stays(MPI_File file, const KnownFile& hidden);
uint32_t file_deleted(const Text& name);  // an id for the name, which no file that is open has

}  // namespace ww::interpose
