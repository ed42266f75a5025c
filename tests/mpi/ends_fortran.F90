! How a Fortran program may end: ends_fortran WAY. With mpif.h, `use mpi` and `use mpi_f08`.
program ends_fortran
#ifdef USE_F08
  use mpi_f08
#elif !defined USE_MPIF
  use mpi
#endif
  implicit none
#ifdef USE_MPIF
  include 'mpif.h'
#endif
  integer :: rank, ierr, one(1), zero
  character(len=32) :: way
  call get_command_argument(1, way)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  one = rank
  call mpi_bcast(one, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  print '(a)', 'before the end'
  flush (6)
  select case (way)
  case ('stop'); stop 3
  case ('error_stop'); error stop 4
  case ('abort'); call mpi_abort(MPI_COMM_WORLD, 5, ierr)
  case ('abort_self'); call mpi_abort(MPI_COMM_SELF, 6, ierr)
  case ('divide')  ! a run-time error of Fortran's library
    zero = len_trim(way) - 6
    open (unit=30 + zero, file='/nonexistent/file', status='old')
  case ('finalize'); call mpi_finalize(ierr); stop 7
  end select
end program
