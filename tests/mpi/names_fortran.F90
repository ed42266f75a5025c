! Built as compilers other than gfortran write names (-fsecond-underscore: mpi_isend__, -fno-underscoring: mpi_isend). Debian's
! libraries know MPI_IN_PLACE by one name only, so it is not used. What it did goes to PREFIX.RANK, as roles_test.py reads it.
program names
  implicit none
  include 'mpif.h'
  integer :: rank, other, ierr, sent(4), got(4), requests(2)
  character(len=512) :: prefix
  call get_command_argument(1, prefix)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  sent = rank + 1
  got = 0
  call mpi_irecv(got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
  call mpi_isend(sent, 3, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierr)
  call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call mpi_sendrecv(sent, 2, MPI_INTEGER, other, 6, got, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call mpi_allgather(sent, 2, MPI_INTEGER, got, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  open (unit=20, file=trim(prefix)//'.'//char(ichar('0') + rank), status='replace')
  write (20, '(a)') 'call MPI_Init', 'call MPI_Comm_rank', 'call MPI_Irecv', 'action irecv 16', 'call MPI_Isend', &
    'action isend 12', 'call MPI_Waitall', 'action irecv_done 12', 'action isend_done 12', 'call MPI_Sendrecv', &
    'action send 8', 'action recv 8', 'call MPI_Allgather', 'collective MPI_Allgather 8 16', 'call MPI_Finalize'
  close (20)
  print '(a,i0,a,i0)', 'rank ', rank, ' got ', got(2)
  flush (6)
  call mpi_finalize(ierr)
  if (rank == 1) then
    call sleep(1)  ! mpirun ends the other ranks when one returns an error
    stop 7
  end if
end program
