#include "interpose/mpi/language.hpp"

#include <dlfcn.h>

#include "interpose/mpi/completion.hpp"

namespace ww::interpose {

namespace {

struct Sentinel {
  const char* name;
  const void* at;
  bool searched;
};

const void* find(Sentinel& sentinel) {
  if (!__atomic_load_n(&sentinel.searched, __ATOMIC_ACQUIRE)) {
    sentinel.at = dlsym(RTLD_DEFAULT, sentinel.name);
    __atomic_store_n(&sentinel.searched, true, __ATOMIC_RELEASE);
  }
  return sentinel.at;
}

}  // namespace

#ifdef OPEN_MPI
#define WW_STATUS_IGNORE "mpi_fortran_status_ignore_"
#define WW_STATUSES_IGNORE "mpi_fortran_statuses_ignore_"
#define WW_IN_PLACE "mpi_fortran_in_place_"
const char* const fortran_libraries[] = {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};
#else  // mpi_f08 only: the rest goes through C
#define WW_STATUS_IGNORE "MPIR_F08_MPI_STATUS_IGNORE_OBJ"
#define WW_STATUSES_IGNORE "MPIR_F08_MPI_STATUSES_IGNORE_OBJ"
#define WW_IN_PLACE "MPIR_F08_MPI_IN_PLACE"
const char* const fortran_libraries[] = {"libmpichfort.so.12"};
#endif

bool is_truncation(int rc) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  return error_class == MPI_ERR_TRUNCATE;
}

bool is_in_status(int rc) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

const void* fortran_status_ignore() {
  static Sentinel sentinel{WW_STATUS_IGNORE, nullptr, false};
  return find(sentinel);
}
const void* fortran_statuses_ignore() {
  static Sentinel sentinel{WW_STATUSES_IGNORE, nullptr, false};
  return find(sentinel);
}
const void* fortran_in_place() {
  static Sentinel sentinel{WW_IN_PLACE, nullptr, false};
  return find(sentinel);
}

void* fortran_function(const char* name) {
  void* function = dlsym(RTLD_DEFAULT, name);
  if (function != nullptr) return function;
  // A program that loaded the Fortran library privately (a plug-in): it is in memory, but not in the global
  // scope.
  for (const char* file : fortran_libraries) {
    void* library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    function = dlsym(library, name);
    dlclose(library);
    if (function != nullptr) return function;
  }
  return nullptr;
}

#ifndef OPEN_MPI
// MPICH 4.0's mpi_f08 forgets to add the 1 of Fortran (its waitany, waitsome, testany, testsome), later ones
// do not. It is asked for the index of a request that is complete, once; a request to nobody always is.
int fortran_first_index() {
  static int known = -1;
  const int first = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (first >= 0) return first;
  using Waitany = void(const MPI_Fint*, MPI_Fint*, MPI_Fint*, FortranStatus*, MPI_Fint*);
  auto* waitany = reinterpret_cast<Waitany*>(fortran_function("pmpir_waitany_f08_"));
  MPI_Request request = MPI_REQUEST_NULL;
  if (waitany == nullptr ||
      PMPI_Irecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request) != MPI_SUCCESS)
    return 1;
  const MPI_Fint count = 1;
  MPI_Fint handle = PMPI_Request_c2f(request), index = 1, error = MPI_SUCCESS;
  FortranStatus status;
  waitany(&count, &handle, &index, &status, &error);
  const int told = index == 0 ? 0 : 1;
  __atomic_store_n(&known, told, __ATOMIC_RELAXED);
  return told;
}
#endif

}  // namespace ww::interpose
