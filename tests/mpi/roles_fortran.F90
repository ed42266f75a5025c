! As roles.c, for Fortran: built with mpif.h, with "use mpi" and with "use mpi_f08", where handles and statuses are types
! and ierr may be left out. What it did goes to PREFIX.RANK.
#ifdef USE_F08
#define HANDLE(kind) type(kind)
#define STATUS_DECLARED(name) type(MPI_Status) :: name
#define OF_STATUS(field, name) name%field
#define OF_STATUS_AT(field, name, i) name(i)%field
#else
#define HANDLE(kind) integer
#define STATUS_DECLARED(name) integer :: name(MPI_STATUS_SIZE)
#define OF_STATUS(field, name) name(field)
#define OF_STATUS_AT(field, name, i) name(field, i)
#endif
module counting
  implicit none
  integer :: unit_number = 20, failures = 0
contains
  subroutine called(name)
    character(len=*), intent(in) :: name
    write (unit_number, '(a,a)') 'call MPI_', name
  end subroutine
  subroutine action(kind, bytes)
    character(len=*), intent(in) :: kind
    integer, intent(in) :: bytes
    write (unit_number, '(a,a,a,i0)') 'action ', kind, ' ', bytes
  end subroutine
  subroutine collective(name, given, got)
    character(len=*), intent(in) :: name
    integer, intent(in) :: given, got
    call called(name)
    write (unit_number, '(a,a,a,i0,a,i0)') 'collective MPI_', name, ' ', given, ' ', got
  end subroutine
  subroutine holds(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (.not. condition) then
      failures = failures + 1
      print '(a)', 'does not hold: '//what
    end if
  end subroutine
end module

program roles
#ifdef USE_MPIF
  use counting
  implicit none
  include 'mpif.h'
#elif defined USE_F08
  use mpi_f08
  use counting
  implicit none
#else
  use mpi
  use counting
  implicit none
#endif
  integer :: rank, ranks, other, ierr, i, got, found, done, shift, length, indices(4)
  HANDLE(MPI_Comm) :: copy, half
  HANDLE(MPI_Datatype) :: column, everywhere
  HANDLE(MPI_Request) :: requests(4)
  STATUS_DECLARED(status)
#ifdef USE_F08
  type(MPI_Status) :: statuses(4)
#else
  integer :: statuses(MPI_STATUS_SIZE, 4)
#endif
  integer :: numbers(64), in(16, 4), counts(2), places(2), matrix(4, 4), row(4)
  integer(kind=MPI_ADDRESS_KIND) :: address(1)
  double precision :: values(8), more(16), before
  logical :: flag
  character(len=512) :: prefix
  character(len=MPI_MAX_OBJECT_NAME) :: name

  call get_command_argument(1, prefix)
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  open (unit=unit_number, file=trim(prefix)//'.'//char(ichar('0') + rank), status='replace')
  call called('Init')
  call called('Comm_rank')
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  call called('Comm_size')
  call holds(ierr == MPI_SUCCESS .and. ranks == 2, 'two ranks')
  other = 1 - rank
  before = mpi_wtime()
  call called('Wtime')
  numbers = [(i, i=1, 64)]

  ! blocking
  if (rank == 0) then
    call mpi_send(numbers, 10, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
    call mpi_ssend(numbers, 11, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, ierr)
    call mpi_send(numbers, 0, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierr)
    call mpi_send(numbers, 7, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, ierr)
    call called('Send'); call called('Ssend'); call called('Send'); call called('Send')
    call action('send', 40); call action('send', 44); call action('send', 0); call action('send', 28)
  else
    numbers = 0
    call mpi_recv(numbers, 64, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call called('Recv'); call action('recv', 40)
    call holds(OF_STATUS(MPI_SOURCE, status) == 0 .and. OF_STATUS(MPI_TAG, status) == 1 .and. numbers(10) == 10, 'first message')
    call mpi_get_count(status, MPI_INTEGER, got, ierr)
    call called('Get_count')
    call holds(got == 10, 'its count')
    call mpi_recv(numbers, 64, MPI_INTEGER, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call called('Recv'); call action('recv', 44)
    call mpi_probe(0, 3, MPI_COMM_WORLD, status, ierr)
    call called('Probe'); call action('probe', 0)
    call mpi_recv(numbers, 64, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call called('Recv'); call action('recv', 0)
  end if

  ! a derived type, and one that is addressed from MPI_BOTTOM
  matrix = reshape([(i, i=1, 16)], [4, 4])
  call mpi_type_vector(4, 1, 4, MPI_INTEGER, column, ierr)
  call mpi_type_commit(column, ierr)
  call called('Type_vector'); call called('Type_commit')
  call mpi_sendrecv(matrix(2, 1), 1, column, other, 5, row, 4, MPI_INTEGER, other, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call called('Sendrecv'); call action('send', 16); call action('recv', 16)
  call holds(all(row == [2, 6, 10, 14]), 'the row')
  call mpi_get_address(matrix, address(1), ierr)
  call mpi_type_create_hindexed(1, [16], address, MPI_INTEGER, everywhere, ierr)
  call mpi_type_commit(everywhere, ierr)
  call called('Get_address'); call called('Type_create_hindexed'); call called('Type_commit')
  call mpi_sendrecv(MPI_BOTTOM, 1, everywhere, other, 6, in, 64, MPI_INTEGER, other, 6, MPI_COMM_WORLD, status, ierr)
  call called('Sendrecv'); call action('send', 64); call action('recv', 64)
  call holds(in(16, 1) == 16, 'from MPI_BOTTOM')
  call mpi_type_free(column, ierr)
  call mpi_type_free(everywhere, ierr)
  call called('Type_free'); call called('Type_free')

  ! non-blocking
  do i = 1, 2
    call mpi_irecv(in(1, 1), 16, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(1), ierr)
    call mpi_isend(numbers, 16, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, requests(2), ierr)
    call called('Irecv'); call called('Isend'); call action('irecv', 64); call action('isend', 64)
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call called('Waitall'); call action('irecv_done', 64); call action('isend_done', 64)
    call holds(requests(1) == MPI_REQUEST_NULL, 'the request is gone')
  end do
  call mpi_irecv(in(1, 1), 16, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), ierr)
  call mpi_isend(numbers, 3, MPI_INTEGER, other, 2, MPI_COMM_WORLD, requests(2), ierr)
  call called('Irecv'); call called('Isend'); call action('irecv', 64); call action('isend', 12)
  call mpi_waitall(2, requests, statuses, ierr)
  call called('Waitall'); call action('irecv_done', 12); call action('isend_done', 12)
  call holds(OF_STATUS_AT(MPI_SOURCE, statuses, 1) == other .and. OF_STATUS_AT(MPI_TAG, statuses, 1) == 2, 'statuses')
  do i = 1, 2
    call mpi_irecv(in(1, i), 16, MPI_INTEGER, other, 10 + i, MPI_COMM_WORLD, requests(i), ierr)
    call called('Irecv'); call action('irecv', 64)
  end do
  call mpi_iprobe(other, 77, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
  call called('Iprobe'); call action('probe_failed', 0)
  call holds(.not. flag, 'nothing to probe')
  call mpi_test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
  call called('Test'); call action('test_failed', 0)
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  call collective('Barrier', 0, 0)
  do i = 1, 2
    call mpi_isend(numbers, i, MPI_INTEGER, other, 10 + i, MPI_COMM_WORLD, requests(2 + i), ierr)
    call called('Isend'); call action('isend', 4 * i)
  end do
  call mpi_waitany(2, requests, found, status, ierr)
  done = merge(1, 2, requests(1) == MPI_REQUEST_NULL)
  shift = done - found
#if defined USE_F08 && defined USE_MPICH
  call holds(shift == 0 .or. shift == 1, 'the index counts from 1, or in the mpi_f08 of MPICH 4.0 from 0')
#else
  call holds(shift == 0, 'the index counts from 1')
#endif
  call called('Waitany'); call action('irecv_done', 4 * done)
  found = 0
  do while (found == 0)
    call mpi_testsome(2, requests, found, indices, MPI_STATUSES_IGNORE, ierr)
    call called('Testsome')
    if (found == 0) call action('test_failed', 0)
  end do
  call action('irecv_done', 4 * (indices(1) + shift))
  flag = .false.
  do while (.not. flag)
    call mpi_testall(2, requests(3:4), flag, MPI_STATUSES_IGNORE, ierr)
    call called('Testall')
    if (.not. flag) call action('test_failed', 0)
  end do
  call action('isend_done', 4); call action('isend_done', 8)

  ! collectives
  values = rank + 1
  call mpi_bcast(values, 4, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierr)
  call collective('Bcast', merge(32, 0, rank == 1), merge(0, 32, rank == 1))
  call holds(values(4) == 2, 'broadcast')
  values = rank + 1
  call mpi_allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  call collective('Allreduce', 16, 16)
  call holds(values(2) == 3, 'sum in place')
  if (rank == 0) then
    call mpi_gather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, more, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  else
    call mpi_gather(values, 2, MPI_DOUBLE_PRECISION, more, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  end if
  call collective('Gather', 16, merge(32, 0, rank == 0))
  counts = [1, 2]
  places = [0, 1]
  call mpi_allgatherv(values, counts(rank + 1), MPI_DOUBLE_PRECISION, more, counts, places, MPI_DOUBLE_PRECISION, &
                      MPI_COMM_WORLD, ierr)
  call collective('Allgatherv', 8 * counts(rank + 1), 24)
  call mpi_alltoall(more, 3, MPI_DOUBLE_PRECISION, more(9), 3, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
  call collective('Alltoall', 48, 48)
  call mpi_reduce(values, more, 3, MPI_DOUBLE_PRECISION, MPI_MAX, 1, MPI_COMM_WORLD, ierr)
  call collective('Reduce', 24, merge(24, 0, rank == 1))
  call mpi_iallreduce(values, more, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, requests(1), ierr)
  call collective('Iallreduce', 8, 8)
  call mpi_wait(requests(1), MPI_STATUS_IGNORE, ierr)
  call called('Wait'); call action('icollective_done', 8)

#ifdef USE_F08
  ! without ierr
  call mpi_isend(numbers, 2, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, requests(1))
  call mpi_probe(rank, 9, MPI_COMM_WORLD, status)
  call called('Isend'); call called('Probe'); call action('isend', 8); call action('probe', 8)
  call holds(OF_STATUS(MPI_SOURCE, status) == rank, 'probed without ierr')
  call mpi_recv(row, 4, MPI_INTEGER, rank, 9, MPI_COMM_WORLD, status)
  call called('Recv'); call action('recv', 8)
  call mpi_get_count(status, MPI_INTEGER, got)
  call mpi_wait(requests(1), MPI_STATUS_IGNORE)
  call called('Get_count'); call called('Wait'); call action('isend_done', 8)
  call holds(got == 2 .and. all(row(1:2) == numbers(1:2)) .and. requests(1) == MPI_REQUEST_NULL, 'received without ierr')
  call mpi_barrier(MPI_COMM_WORLD)
  call collective('Barrier', 0, 0)
#endif

  ! communicators, and strings with their hidden lengths
  call mpi_comm_dup(MPI_COMM_WORLD, copy, ierr)
  call collective('Comm_dup', 0, 0); call action('comm_made', 0)
  call mpi_comm_set_name(copy, 'a copy', ierr)
  call mpi_comm_get_name(copy, name, length, ierr)
  call called('Comm_set_name'); call called('Comm_get_name')
  call holds(name == 'a copy' .and. length == 6, 'the name')
  call mpi_bcast(numbers, 1, MPI_INTEGER, 0, copy, ierr)
  call collective('Bcast', merge(4, 0, rank == 0), merge(0, 4, rank == 0))
  call mpi_comm_split(copy, merge(MPI_UNDEFINED, 1, rank == 0), 0, half, ierr)
  call collective('Comm_split', 0, 0)
  if (half /= MPI_COMM_NULL) then
    call action('comm_made', 0)
    call mpi_comm_free(half, ierr)
    call collective('Comm_free', 0, 0)
  end if
  call mpi_comm_free(copy, ierr)
  call collective('Comm_free', 0, 0)
  call holds(mpi_wtime() >= before .and. ierr == MPI_SUCCESS, 'time goes on')
  call called('Wtime')

  call called('Finalize')
  close (unit_number)
  print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
  flush (6)
  call mpi_finalize(ierr)
  if (failures > 0) call exit(1)
  if (rank == 1) then
    call sleep(1)  ! mpirun ends the other ranks when one returns an error
    call exit(7)
  end if
end program
