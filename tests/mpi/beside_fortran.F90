! One-sided communication and file I/O in Fortran: built with mpif.h, with "use mpi" and with "use mpi_f08". What it does is
! in beside_fortran_test.py.
#ifdef USE_USE_MPI_F08
#define HANDLE(kind) type(kind)
#else
#define HANDLE(kind) integer
#endif
program beside
#ifdef USE_USE_MPI_F08
  use mpi_f08
  implicit none
#elif defined USE_MPIF
  implicit none
  include 'mpif.h'
#else
  use mpi
  implicit none
#endif
  integer :: rank, ranks, other, ierr, i, data(16), failures
  integer, volatile :: into(16), memory(16)  ! changed by others and between the calls
  integer(kind=MPI_ADDRESS_KIND) :: bytes, place
  integer(kind=MPI_OFFSET_KIND) :: offset
  HANDLE(MPI_Win) :: window
  HANDLE(MPI_File) :: file
  HANDLE(MPI_Request) :: request
  HANDLE(MPI_Group) :: world, one
  character(len=512) :: prefix

  call get_command_argument(1, prefix)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  other = 1 - rank
  failures = 0
  data = [(i, i=1, 16)]
  memory = 0
  bytes = 64
  place = 2

  call mpi_win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window, ierr)
  call mpi_win_set_name(window, 'ghost cells', ierr)
  call mpi_win_fence(0, window, ierr)
  call mpi_put(data, 3, MPI_INTEGER, other, place, 3, MPI_INTEGER, window, ierr)
  call mpi_win_fence(0, window, ierr)
  if (memory(3) /= 1 .or. memory(5) /= 3) failures = failures + 1
  call mpi_win_lock(MPI_LOCK_SHARED, other, 0, window, ierr)
  call mpi_rget(into, 2, MPI_INTEGER, other, place, 2, MPI_INTEGER, window, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  call mpi_win_flush(other, window, ierr)
  place = 8
  call mpi_fetch_and_op(data(5), into(9), MPI_INTEGER, other, place, MPI_SUM, window, ierr)
  call mpi_win_unlock(other, window, ierr)
  if (into(2) /= 2 .or. into(9) /= 0) failures = failures + 1
  call mpi_comm_group(MPI_COMM_WORLD, world, ierr)
  call mpi_group_incl(world, 1, [other], one, ierr)
  call mpi_win_post(one, 0, window, ierr)
  call mpi_win_start(one, 0, window, ierr)
  call mpi_accumulate(data, 4, MPI_INTEGER, other, place, 4, MPI_INTEGER, MPI_SUM, window, ierr)
  call mpi_win_complete(window, ierr)
  call mpi_win_wait(window, ierr)
  if (memory(9) /= 6) failures = failures + 1
  call mpi_win_free(window, ierr)

  call mpi_file_open(MPI_COMM_WORLD, trim(prefix)//'.file  ', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
  offset = 40 * rank
  call mpi_file_write_at(file, offset, data, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call mpi_file_write_at_all(file, offset, data, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  offset = offset + 8
  into = 0
  call mpi_file_iread_at(file, offset, into, 2, MPI_INTEGER, request, ierr)
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  if (into(1) /= 3 .or. into(2) /= 4) failures = failures + 1
  call mpi_file_read_all_begin(file, into, 1, MPI_INTEGER, ierr)
  call mpi_file_read_all_end(file, into, MPI_STATUS_IGNORE, ierr)
  call mpi_file_close(file, ierr)
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) call mpi_file_delete(trim(prefix)//'.file', MPI_INFO_NULL, ierr)
  print '(a,i0,a,i0)', 'rank ', rank, ' failures ', failures
  call mpi_finalize(ierr)
end program
