// The two languages of the wrappers. C passes handles as pointers and numbers by value; Open MPI's Fortran
// passes integers that PMPI_*_f2c turns into handles, statuses as arrays of integers with the C layout,
// indexes from 1, and its own addresses for MPI_STATUS_IGNORE and MPI_IN_PLACE. Everything after this file is
// written once for both.
#pragma once
#include <mpi.h>
#include <stdint.h>
#include <string.h>

namespace ww::interpose {

// Addresses of Fortran's sentinels, found when first asked for; nullptr in programs without Fortran.
const void* fortran_status_ignore();
const void* fortran_statuses_ignore();
const void* fortran_in_place();

// The function behind a Fortran wrapper: in the library that the program loaded: pmpi_NAME_ or pmpi_NAME_f08_
// of Open MPI, pmpir_NAME_f08_ of MPICH.
void* fortran_function(const char* name);

// What the indexes of completed requests count from.
#ifdef OPEN_MPI
inline int fortran_first_index() {
  return 1;
}
// Its Fortran hands out neither statuses nor null requests when some of them failed.
inline constexpr bool fortran_statuses_of_failed_call = false;
#else
int fortran_first_index();
inline constexpr bool fortran_statuses_of_failed_call = true;
#endif

struct C {
  using Request = MPI_Request;
  using Status = MPI_Status;
  using Comm = MPI_Comm;
  using Type = MPI_Datatype;
  using Message = MPI_Message;
  using Info = MPI_Info;
  using Win = MPI_Win;
  using File = MPI_File;
  static int first_index() { return 0; }
  static constexpr bool statuses_of_failed_call = true;
  static MPI_Request request(Request r) { return r; }
  static MPI_Comm comm(Comm c) { return c; }
  static MPI_Datatype type(Type t) { return t; }
  static MPI_Message message(Message m) { return m; }
  static MPI_Info info(Info i) { return i; }
  static Info of_info(MPI_Info i) { return i; }
#if MPI_VERSION >= 4
  using Session = MPI_Session;
  static MPI_Session session(Session s) {
    return s;
  }
#endif
  static MPI_Win win(Win w) {
    return w;
  }
  static MPI_File file(File f) {
    return f;
  }
  static MPI_Group group(MPI_Group g) {
    return g;
  }
  static MPI_Op op(MPI_Op o) {
    return o;
  }
  static bool ignored(const Status* s) {
    return s == MPI_STATUS_IGNORE;
  }  // MPI_STATUSES_IGNORE is the same address
  static bool in_place(const void* buffer) {
    return buffer == MPI_IN_PLACE;
  }
};

struct FortranStatus {
  MPI_Fint word[sizeof(MPI_Status) / sizeof(MPI_Fint)];
};
static_assert(sizeof(FortranStatus) == sizeof(MPI_Status), "a Fortran status has the layout of the C status");

struct Fortran {
  using Request = MPI_Fint;
  using Status = FortranStatus;
  using Comm = MPI_Fint;
  using Type = MPI_Fint;
  using Message = MPI_Fint;
  using Info = MPI_Fint;
  using Win = MPI_Fint;
  using File = MPI_Fint;
  static int first_index() { return fortran_first_index(); }
  static constexpr bool statuses_of_failed_call = fortran_statuses_of_failed_call;
  static MPI_Request request(Request r) { return PMPI_Request_f2c(r); }
  static MPI_Comm comm(Comm c) { return PMPI_Comm_f2c(c); }
  static MPI_Datatype type(Type t) { return PMPI_Type_f2c(t); }
  static MPI_Message message(Message m) { return PMPI_Message_f2c(m); }
  static MPI_Info info(Info i) { return PMPI_Info_f2c(i); }
  static Info of_info(MPI_Info i) { return PMPI_Info_c2f(i); }
#if MPI_VERSION >= 4
  using Session = MPI_Fint;
  static MPI_Session session(Session s) {
    return PMPI_Session_f2c(s);
  }
#endif
  static MPI_Win win(Win w) {
    return PMPI_Win_f2c(w);
  }
  static MPI_File file(File f) {
    return PMPI_File_f2c(f);
  }
  static MPI_Group group(MPI_Fint g) {
    return PMPI_Group_f2c(g);
  }
  static MPI_Op op(MPI_Fint o) {
    return PMPI_Op_f2c(o);
  }
  static bool ignored(const Status* s) {
    return s == fortran_status_ignore() || s == fortran_statuses_ignore();
  }
  static bool in_place(const void* buffer) {
    return buffer != nullptr && buffer == fortran_in_place();
  }
};

// A program's string: with its length in Fortran, where blanks at the end are none of it, with a 0 at the end
// in C.
struct Text {
  const char* at;
  int64_t length;  // -1: up to the 0
};

// What a program's address holds. A program may give an address of nothing: what the library says of that is
// the program's to see, so nobody here looks before the library has, except by these.
template <class L>
inline MPI_Request request_at(const typename L::Request* at) {
  return __builtin_expect(at != nullptr, 1) ? L::request(*at) : MPI_REQUEST_NULL;
}
template <class L>
inline MPI_Comm comm_at(const typename L::Comm* at) {
  return at != nullptr ? L::comm(*at) : MPI_COMM_NULL;
}
template <class L>
inline MPI_Message message_at(const typename L::Message* at) {
  return at != nullptr ? L::message(*at) : MPI_MESSAGE_NULL;
}
template <class L>
inline MPI_Win win_at(const typename L::Win* at) {
  return at != nullptr ? L::win(*at) : MPI_WIN_NULL;
}
template <class L>
inline MPI_File file_at(const typename L::File* at) {
  return at != nullptr ? L::file(*at) : MPI_FILE_NULL;
}
inline bool holds_true(const int* flag) {
  return flag != nullptr && *flag != 0;
}

// What a status says. Both MPIs keep the received bytes in the status itself.
struct Received {
  int32_t source, tag;
  uint64_t bytes;
  bool cancelled;
};
template <class Status>
inline Received read_status(const Status& status);
// Of a status of the program, after the call: MPICH's file operations take a null one for none.
template <class Status>
inline Received read_status_at(const Status* status) {
  return __builtin_expect(status != nullptr, 1) ? read_status(*status) : Received{MPI_PROC_NULL, 0, 0, false};
}
template <class Status>
inline Received read_status(const Status& status) {
  MPI_Status s;
  memcpy(&s, &status, sizeof s);  // a Fortran status is aligned for integers only
#ifdef OPEN_MPI
  return {s.MPI_SOURCE, s.MPI_TAG, s._ucount, s._cancelled != 0};
#else  // MPICH: 63 bits of a count, and whether the operation was cancelled
  const auto high = static_cast<uint32_t>(s.count_hi_and_cancelled);
  return {s.MPI_SOURCE, s.MPI_TAG, static_cast<uint64_t>(high >> 1) << 32 | static_cast<uint32_t>(s.count_lo),
          (high & 1) != 0};
#endif
}

}  // namespace ww::interpose
