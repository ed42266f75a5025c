! The part of MPI's Fortran interface that the kernels of examples/nas use, said by PVM's calls (mpi.h).
module mpi
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  private
  integer, parameter, public :: MPI_COMM_WORLD = 0, MPI_PROC_NULL = -2, MPI_REQUEST_NULL = 0
  integer, parameter, public :: MPI_DOUBLE_PRECISION = 4, MPI_INTEGER8 = 5, MPI_SUM = 1, MPI_MAX = 2
  integer, parameter, public :: MPI_STATUS_IGNORE(1) = 0, MPI_STATUSES_IGNORE(1, 1) = 0
  public :: MPI_Init, MPI_Finalize, MPI_Comm_rank, MPI_Comm_size, MPI_Wtime, MPI_Send, MPI_Recv, MPI_Isend, MPI_Irecv, &
            MPI_Waitall, MPI_Barrier, MPI_Allreduce, MPI_Gather

  interface
    subroutine MPI_Init(ierr) bind(c, name='ww_f_init')
      import c_int
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Finalize(ierr) bind(c, name='ww_f_finalize')
      import c_int
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Comm_rank(comm, rank, ierr) bind(c, name='ww_f_comm_rank')
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: rank, ierr
    end subroutine
    subroutine MPI_Comm_size(comm, ranks, ierr) bind(c, name='ww_f_comm_size')
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: ranks, ierr
    end subroutine
    real(c_double) function MPI_Wtime() bind(c, name='MPI_Wtime')
      import c_double
    end function
    subroutine MPI_Send(values, n, type, to, tag, comm, ierr) bind(c, name='ww_f_send')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: values
      type(*), dimension(*), intent(in) :: values
      integer(c_int), intent(in) :: n, type, to, tag, comm
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Recv(values, n, type, from, tag, comm, status, ierr) bind(c, name='ww_f_recv')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: values
      type(*), dimension(*), intent(inout) :: values
      integer(c_int), intent(in) :: n, type, from, tag, comm, status(*)
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Isend(values, n, type, to, tag, comm, request, ierr) bind(c, name='ww_f_isend')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: values
      type(*), dimension(*), intent(in) :: values
      integer(c_int), intent(in) :: n, type, to, tag, comm
      integer(c_int), intent(out) :: request, ierr
    end subroutine
    subroutine MPI_Irecv(values, n, type, from, tag, comm, request, ierr) bind(c, name='ww_f_irecv')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: values
      type(*), dimension(*), intent(inout) :: values
      integer(c_int), intent(in) :: n, type, from, tag, comm
      integer(c_int), intent(out) :: request, ierr
    end subroutine
    subroutine MPI_Waitall(n, requests, statuses, ierr) bind(c, name='ww_f_waitall')
      import c_int
      integer(c_int), intent(in) :: n, statuses(*)
      integer(c_int), intent(inout) :: requests(*)
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Barrier(comm, ierr) bind(c, name='ww_f_barrier')
      import c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Allreduce(own, all, n, type, op, comm, ierr) bind(c, name='ww_f_allreduce')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: own
      type(*), dimension(*), intent(in) :: own
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: all
      type(*), dimension(*), intent(inout) :: all
      integer(c_int), intent(in) :: n, type, op, comm
      integer(c_int), intent(out) :: ierr
    end subroutine
    subroutine MPI_Gather(own, n, type, all, each, all_type, root, comm, ierr) bind(c, name='ww_f_gather')
      import c_int
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: own
      type(*), dimension(*), intent(in) :: own
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: all
      type(*), dimension(*), intent(inout) :: all
      integer(c_int), intent(in) :: n, type, each, all_type, root, comm
      integer(c_int), intent(out) :: ierr
    end subroutine
  end interface
end module mpi
