// What the wrappers of file I/O record: opening and closing, and of every operation what was asked for, what
// was really transferred (as the status says) and where, if the program said so.
#pragma once
#include "interpose/mpi/completion.hpp"
#include "interpose/mpi/open_files.hpp"

namespace ww::interpose {

using spool::FileCall;

inline int32_t low_half(uint64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value));
}
inline int32_t high_half(uint64_t value) {
  return static_cast<int32_t>(static_cast<uint32_t>(value >> 32));
}

inline void put_file(Frame& frame, FileCall what, uint32_t file, uint8_t flags) {
  frame.put(Kind::file, 0, 0, spool::no_peer, static_cast<int32_t>(what), file, flags);
}

template <class L, class Call>
int opens_file(uint16_t id, MPI_Comm comm, const Text& name, int mode, const typename L::File* file,
               Call&& call) {
  return succeeding(id, call, [&](Frame& frame) {
    put_file(frame, FileCall::opened, file_opened(L::file(*file), name, mode, made_from(comm)),
             spool::flag_collective);
  });
}

template <class L, class Call>
int closes_file(uint16_t id, const typename L::File* file, Call&& call) {
  Frame frame(id);
  const MPI_File handle = frame.on() ? file_at<L>(file) : MPI_FILE_NULL;
  KnownFile hidden{unknown_comm, 0};
  const bool known = hide_file(handle, hidden);
  frame.waits();
  const int rc = call();
  if (known && rc == MPI_SUCCESS) file_closed(handle);
  if (known && rc != MPI_SUCCESS) file_stays(handle, hidden);
  if (!frame.leave()) return rc;
  if (known && rc == MPI_SUCCESS)
    put_file(frame, FileCall::closed, hidden.id, spool::flag_collective);
  else
    frame.put_call();
  return rc;
}

template <class Call>
int deletes_file(uint16_t id, const Text& name, Call&& call) {
  return succeeding(id, call,
                    [&](Frame& frame) { put_file(frame, FileCall::deleted, file_deleted(name), 0); });
}

template <class L, class Call>
int file_access(uint16_t id, Kind kind, uint8_t flags, int64_t offset, int64_t count, MPI_Datatype type,
                MPI_File file, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  frame.waits();
  const int rc = call(used);
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    const uint64_t wanted = bytes_of(count, type);
    frame.put(kind, read_status_at(used).bytes, static_cast<uint64_t>(offset), low_half(wanted),
              high_half(wanted), known_file(file).id, flags);
  } else {
    frame.put_call();
  }
  return rc;
}

inline uint64_t put_begun(Frame& frame, Kind kind, uint8_t flags, int64_t offset, uint64_t wanted,
                          uint32_t file) {
  const uint64_t serial = new_serial(), place = static_cast<uint64_t>(offset);
  frame.put(kind, wanted, serial, low_half(place), high_half(place), file, flags);
  return serial;
}

template <class L, class Call>
int file_begin(uint16_t id, Kind kind, uint8_t flags, int64_t offset, int64_t count, MPI_Datatype type,
               MPI_File file, const typename L::Request* request, Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    const uint32_t known = known_file(file).id;
    const uint64_t serial = put_begun(frame, kind, flags, offset, bytes_of(count, type), known);
    // Completed with its status, which says the bytes, whether the program wants one or not.
    opened(L::request(*request),
           {serial, 0, spool::no_peer, 0, known, static_cast<uint8_t>(kind), spool::flag_wildcard});
  } else {
    frame.put_call();
  }
  return rc;
}

template <class Call>
int file_split_begin(uint16_t id, Kind kind, int64_t offset, int64_t count, MPI_Datatype type, MPI_File file,
                     Call&& call) {
  Frame frame(id);
  const int rc = call();
  if (!frame.leave()) return rc;
  if (rc == MPI_SUCCESS) {
    KnownFile& known = known_file(file);
    known.split = put_begun(frame, kind, spool::flag_joint, offset, bytes_of(count, type), known.id);
  } else {
    frame.put_call();
  }
  return rc;
}

template <class L, class Call>
int file_split_end(uint16_t id, MPI_File file, typename L::Status* status, Call&& call) {
  Frame frame(id);
  typename L::Status ours;
  auto* used = status_for(frame, L::ignored(status), status, &ours);
  frame.waits();
  const int rc = call(used);
  if (!frame.leave()) return rc;
  KnownFile* known = rc == MPI_SUCCESS ? &known_file(file) : nullptr;
  if (known != nullptr && known->split != 0) {
    frame.put(Kind::file_done, read_status_at(used).bytes, known->split, spool::no_peer, 0, known->id, 0);
    known->split = 0;
  } else {
    frame.put_call();
  }
  return rc;
}

}  // namespace ww::interpose
