! The three bindings in one source: -DUSE_MPIF, nothing (use mpi) or -DUSE_F08, there with -DNO_IERROR also without ierror.
#ifdef USE_F08
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, n) type(MPI_Status) :: name(n)
#define OF(field, name) name%field
#define OF_AT(field, name, i) name(i)%field
#define STATUS_AT(name, i) name(i)
#else
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define OF(field, name) name(field)
#define OF_AT(field, name, i) name(field, i)
#define STATUS_AT(name, i) name(:, i)
#endif
#ifdef NO_IERROR
#define E_
#else
#define E_ , ierr
#endif
! A call that is counted: CALLS(Send)(buffer, ...).
#define CALLS(name) call called('name'); call MPI_/**/name
#define HOLDS(condition) call holds(condition, __LINE__)
