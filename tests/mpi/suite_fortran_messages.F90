! As suite_messages.c, in Fortran: every mode, to oneself, to nobody, of no size, derived types and MPI_BOTTOM, array sections,
! indexes that count from 1, ignored statuses, persistent requests, matched probes, what is taken back, characters.
#include "suite_fortran.inc"
program suite_fortran_messages
#ifdef USE_F08
  use, intrinsic :: iso_c_binding, only: c_ptr
#endif
#include "suite_fortran_use.inc"
  integer :: right, left, i, ierr, provided, my_rank, of_ranks
  integer :: numbers(4096), into(4096)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided E_)
  call MPI_Comm_rank(MPI_COMM_WORLD, my_rank E_)
  call MPI_Comm_size(MPI_COMM_WORLD, of_ranks E_)
  call begun(my_rank, of_ranks)
  call called('Init_thread')
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  numbers = [(i, i=1, 4096)]
  call persistent_indexes() ! first, while the recorder has seen no index
  call modes()
  call to_oneself_and_nobody()
  call types()
  call sections()
  call indexes()
  call persistent()
  call probes()
  call characters()
#ifdef LARGE
  call large()
#endif
  CALLS(Pcontrol)(0)
  call ended()
  call MPI_Finalize(ierr)
  call leave(6)
contains
  subroutine modes()
    character(len=1), save :: room(1048576)
    HANDLE(MPI_Request) :: requests(8)
    integer :: size_of, k
#ifdef USE_F08
    type(c_ptr) :: back
#else
    integer(kind=MPI_ADDRESS_KIND) :: back
#endif
    size_of = 1048576
    CALLS(Buffer_attach)(room, size_of E_)
    do k = 1, 4
      CALLS(Irecv)(into(1000*(k - 1) + 1:), 1000, MPI_INTEGER, left, k, MPI_COMM_WORLD, requests(k) E_)
    end do
    CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
    CALLS(Send)(numbers, 10, MPI_INTEGER, right, 1, MPI_COMM_WORLD E_); call sent(right, 1, 40)
    CALLS(Bsend)(numbers, 11, MPI_INTEGER, right, 2, MPI_COMM_WORLD E_); call sent(right, 2, 44)
    CALLS(Rsend)(numbers, 12, MPI_INTEGER, right, 3, MPI_COMM_WORLD E_); call sent(right, 3, 48)
    CALLS(Ssend)(numbers, 13, MPI_INTEGER, right, 4, MPI_COMM_WORLD E_); call sent(right, 4, 52)
    CALLS(Waitall)(4, requests, MPI_STATUSES_IGNORE E_)
    call received(left, 1, 40); call received(left, 2, 44); call received(left, 3, 48); call received(left, 4, 52)
    HOLDS(into(10) == 10 .and. into(3013) == 13)
    do k = 1, 4
      CALLS(Irecv)(into(1000*(k - 1) + 1), 1000, MPI_INTEGER, left, k, MPI_COMM_WORLD, requests(k) E_)
    end do
    CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
    CALLS(Isend)(numbers, 900, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(5) E_); call sent(right, 1, 3600)
    CALLS(Ibsend)(numbers, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(6) E_); call sent(right, 2, 4)
    CALLS(Irsend)(numbers, 2, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(7) E_); call sent(right, 3, 8)
    CALLS(Issend)(numbers, 3, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(8) E_); call sent(right, 4, 12)
    CALLS(Waitall)(8, requests, MPI_STATUSES_IGNORE E_)
    call received(left, 1, 3600); call received(left, 2, 4); call received(left, 3, 8); call received(left, 4, 12)
    HOLDS(all([(requests(k) == MPI_REQUEST_NULL, k=1, 8)]))
    CALLS(Sendrecv)(numbers, 5, MPI_INTEGER, right, 5, into, 4096, MPI_INTEGER, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 5, 20); call received(left, 5, 20)
    CALLS(Sendrecv_replace)(into, 6, MPI_INTEGER, right, 6, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 6, 24); call received(left, 6, 24)
    CALLS(Buffer_detach)(back, size_of E_)
  end subroutine

  subroutine to_oneself_and_nobody()
    HANDLE(MPI_Request) :: requests(6)
    STATUS(state)
    STATUSES(states, 6)
    integer :: k, got
    do k = 0, 2
      CALLS(Isend)(numbers, k, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, requests(1) E_); call sent(rank, 7, 4*k)
      CALLS(Recv)(into, 8, MPI_INTEGER, rank, 7, MPI_COMM_WORLD, state E_); call received(rank, 7, 4*k)
      CALLS(Get_count)(state, MPI_INTEGER, got E_)
      HOLDS(got == k .and. OF(MPI_SOURCE, state) == rank .and. OF(MPI_TAG, state) == 7)
      CALLS(Wait)(requests(1), MPI_STATUS_IGNORE E_)
    end do
    CALLS(Isend)(numbers, 2, MPI_INTEGER, 0, 7, MPI_COMM_SELF, requests(1) E_); call sent(rank, 7, 8)
    CALLS(Recv)(into, 8, MPI_INTEGER, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE E_); call received(rank, 7, 8)
    CALLS(Wait)(requests(1), state E_)
    CALLS(Isend)(numbers, 0, MPI_DOUBLE_PRECISION, right, 8, MPI_COMM_WORLD, requests(1) E_); call sent(right, 8, 0)
    CALLS(Recv)(into, 0, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, state E_); call received(left, 8, 0)
    HOLDS(OF(MPI_SOURCE, state) == left .and. OF(MPI_TAG, state) == 8)
    CALLS(Wait)(requests(1), MPI_STATUS_IGNORE E_)
    CALLS(Send)(numbers, 9, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD E_)
    CALLS(Recv)(into, 9, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, state E_)
    HOLDS(OF(MPI_SOURCE, state) == MPI_PROC_NULL)
    do k = 1, 3
      CALLS(Isend)(numbers, 9, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(k) E_)
      CALLS(Irecv)(into, 9, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, requests(k + 3) E_)
    end do
    CALLS(Waitall)(6, requests, states E_)
#ifndef USE_MPICH
    HOLDS(OF_AT(MPI_SOURCE, states, 5) == MPI_PROC_NULL) ! MPICH 4.0 leaves it as it was, without the recorder too
#endif
    CALLS(Sendrecv)(numbers, 9, MPI_INTEGER, right, 9, into, 9, MPI_INTEGER, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 9, 36)
    CALLS(Sendrecv)(numbers, 9, MPI_INTEGER, MPI_PROC_NULL, 9, into, 9, MPI_INTEGER, left, 9, MPI_COMM_WORLD, state E_)
    call received(left, 9, 36)
  end subroutine

  subroutine types()
    HANDLE(MPI_Datatype) :: column, part, shifted, everywhere, pair, copy
    integer(kind=MPI_ADDRESS_KIND) :: address(1), two(2), lower, extent
    integer :: matrix(8, 8), row(64), k
    matrix = reshape([(k, k=1, 64)], [8, 8])
    CALLS(Type_vector)(8, 1, 8, MPI_INTEGER, column E_)
    CALLS(Type_commit)(column E_)
    CALLS(Type_create_subarray)(2, [8, 8], [3, 2], [1, 4], MPI_ORDER_FORTRAN, MPI_INTEGER, part E_)
    CALLS(Type_commit)(part E_)
    lower = 0; extent = 64
    CALLS(Type_create_resized)(MPI_INTEGER, lower, extent, shifted E_)
    CALLS(Type_commit)(shifted E_)
    CALLS(Get_address)(matrix, address(1) E_)
    CALLS(Type_create_hindexed)(1, [16], address, MPI_INTEGER, everywhere E_)
    CALLS(Type_commit)(everywhere E_)
    two = [0, 8]
    CALLS(Type_create_struct)(2, [1, 2], two, [MPI_CHARACTER, MPI_DOUBLE_PRECISION], pair E_)
    CALLS(Type_commit)(pair E_)
    do k = 1, 2
      CALLS(Sendrecv)(matrix(2, 1), 1, column, right, 1, row, 8, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 1, 32); call received(left, 1, 32)
      HOLDS(row(8) == 58)
      CALLS(Sendrecv)(matrix, 1, part, right, 2, row, 64, MPI_INTEGER, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 2, 24); call received(left, 2, 24)
      HOLDS(row(1) == matrix(2, 5) .and. row(6) == matrix(4, 6))
      CALLS(Sendrecv)(numbers, 4, shifted, right, 3, into, 4, shifted, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 3, 16); call received(left, 3, 16)
      CALLS(Sendrecv)(MPI_BOTTOM, 1, everywhere, right, 4, row, 64, MPI_INTEGER, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 4, 64); call received(left, 4, 64)
      HOLDS(row(16) == 16)
      CALLS(Sendrecv)(numbers, 3, pair, right, 5, into, 3, pair, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 5, 51); call received(left, 5, 51)
      ! a type whose handle may be that of the freed one, and whose size is another
      CALLS(Type_contiguous)(5 + k, MPI_INTEGER2, copy E_)
      CALLS(Type_commit)(copy E_)
      CALLS(Sendrecv)(numbers, 2, copy, right, 6, into, 2, copy, left, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
      call sent(right, 6, 4*(5 + k)); call received(left, 6, 4*(5 + k))
      CALLS(Type_free)(copy E_)
    end do
    CALLS(Recv)(MPI_BOTTOM, 0, everywhere, MPI_PROC_NULL, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    CALLS(Type_free)(column E_)
    CALLS(Type_free)(part E_)
    CALLS(Type_free)(shifted E_)
    CALLS(Type_free)(everywhere E_)
    CALLS(Type_free)(pair E_)
  end subroutine

  ! What is not contiguous is copied by the compiler or, where choice buffers are descriptors, described by a type of MPI's own.
  subroutine sections()
    integer :: matrix(6, 6), got(6, 6), k
    double precision :: cube(4, 4, 4), plane(4, 4)
    HANDLE(MPI_Request) :: requests(4)
    matrix = reshape([(k, k=1, 36)], [6, 6])
    got = 0
    CALLS(Sendrecv)(matrix(2, :), 6, MPI_INTEGER, right, 1, got(3, :), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 1, 24); call received(left, 1, 24)
    HOLDS(all(got(3, :) == matrix(2, :)) .and. got(4, 1) == 0)
    cube = 7
    CALLS(Isend)(cube(:, :, 2), 16, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, requests(1) E_); call sent(right, 2, 128)
    CALLS(Recv)(plane, 16, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_); call received(left, 2, 128)
    CALLS(Wait)(requests(1), MPI_STATUS_IGNORE E_)
    HOLDS(all(plane == 7))
#ifdef USE_F08
    if (MPI_SUBARRAYS_SUPPORTED) then
      got = 0
      CALLS(Irecv)(got(1:6:2, 2), 3, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1) E_)
      CALLS(Irecv)(got(5, 1:5:2), 3, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, requests(2) E_)
      CALLS(Isend)(matrix(2:6:2, 3), 3, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(3) E_); call sent(right, 3, 12)
      CALLS(Isend)(matrix(1, 6:1:-2), 3, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(4) E_); call sent(right, 4, 12)
      CALLS(Waitall)(4, requests, MPI_STATUSES_IGNORE E_)
      call received(left, 3, 12); call received(left, 4, 12)
      HOLDS(all(got(1:6:2, 2) == matrix(2:6:2, 3)) .and. got(2, 2) == 0)
      HOLDS(all(got(5, 1:5:2) == matrix(1, 6:1:-2)))
      CALLS(Bcast)(got(1, :), 6, MPI_INTEGER, 0, MPI_COMM_WORLD E_)
      call collective('Bcast', merge(24, 0, rank == 0), merge(0, 24, rank == 0))
    end if
#endif
#if defined USE_F08 && defined USE_MPICH
    if (MPI_SUBARRAYS_SUPPORTED) return ! MPICH's type of a section is none that MPI_SUM is defined for
#endif
    CALLS(Allreduce)(matrix(1, :), got(1, :), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD E_); call collective('Allreduce', 24, 24)
    HOLDS(all(got(1, :) == ranks*matrix(1, :)))
  end subroutine

  ! MPICH 4.0's mpi_f08 gives indexes that count from 0 (its waitany and so on): the program tells by what is gone.
  integer function shift_of(requests, index)
    HANDLE(MPI_Request), intent(in) :: requests(:)
    integer, intent(in) :: index
    shift_of = 0
    if (index < 1) then
      shift_of = 1
    else if (requests(index) /= MPI_REQUEST_NULL) then
      shift_of = 1
    end if
#if !defined USE_F08 || !defined USE_MPICH
    HOLDS(shift_of == 0)
#endif
  end function

  ! MPICH 4.0's mpif.h and `use mpi` add the 1 of Fortran to MPI_UNDEFINED too.
  logical function undefined(index)
    integer, intent(in) :: index
    undefined = index == MPI_UNDEFINED
#ifdef USE_MPICH
    undefined = undefined .or. index == MPI_UNDEFINED + 1
#endif
  end function

  subroutine indexes()
    HANDLE(MPI_Request) :: requests(8)
    STATUS(state)
    STATUSES(states, 8)
    integer :: k, index, done, indices(8), open_ones, shift
    logical :: flag
    do k = 1, 4
      CALLS(Irecv)(into(16*k), 16, MPI_INTEGER, left, k, MPI_COMM_WORLD, requests(k) E_)
    end do
    CALLS(Testall)(4, requests, flag, MPI_STATUSES_IGNORE E_)
    HOLDS(.not. flag)
    CALLS(Testany)(4, requests, index, flag, MPI_STATUS_IGNORE E_)
    HOLDS(.not. flag .and. undefined(index))
    CALLS(Testsome)(4, requests, done, indices, MPI_STATUSES_IGNORE E_)
    HOLDS(done == 0)
    CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
    ! the third, alone
    CALLS(Isend)(numbers, 3, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(7) E_); call sent(right, 3, 12)
    CALLS(Waitany)(4, requests, index, state E_); call received(left, 3, 12)
    shift = 3 - index
    HOLDS(requests(3) == MPI_REQUEST_NULL .and. OF(MPI_TAG, state) == 3 .and. shift == shift_of(requests(:4), index))
    CALLS(Wait)(requests(7), MPI_STATUS_IGNORE E_)
    CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
    ! the fourth by a test, without a status
    CALLS(Isend)(numbers, 4, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(8) E_); call sent(right, 4, 16)
    flag = .false.
    do while (.not. flag)
      CALLS(Testany)(4, requests, index, flag, MPI_STATUS_IGNORE E_)
    end do
    call received(left, 4, 16)
    HOLDS(requests(4) == MPI_REQUEST_NULL .and. index == 4 - shift)
    CALLS(Wait)(requests(8), MPI_STATUS_IGNORE E_)
    CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
    do k = 1, 2
      CALLS(Isend)(numbers, k, MPI_INTEGER, right, k, MPI_COMM_WORLD, requests(4 + k) E_); call sent(right, k, 4*k)
    end do
    open_ones = 2
    do while (open_ones > 0)
      if (open_ones == 2) then
        CALLS(Waitsome)(4, requests, done, indices, states E_)
      else
        CALLS(Testsome)(4, requests, done, indices, MPI_STATUSES_IGNORE E_)
      end if
      do k = 1, done
        call received(left, indices(k) + shift, 4*(indices(k) + shift))
      end do
      open_ones = open_ones - done
    end do
    CALLS(Waitany)(4, requests, index, MPI_STATUS_IGNORE E_)
    HOLDS(undefined(index))
    CALLS(Testany)(4, requests, index, flag, MPI_STATUS_IGNORE E_)
    HOLDS(flag .and. undefined(index))
    CALLS(Waitsome)(4, requests, done, indices, MPI_STATUSES_IGNORE E_)
    HOLDS(done == MPI_UNDEFINED)
    CALLS(Testsome)(4, requests, done, indices, states E_)
    HOLDS(done == MPI_UNDEFINED)
    flag = .false.
    do while (.not. flag)
      CALLS(Test)(requests(5), flag, state E_)
    end do
    flag = .false.
    do while (.not. flag)
      CALLS(Testall)(2, requests(5:6), flag, states E_)
    end do
    ! from anyone, completed without statuses
    CALLS(Irecv)(into, 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1) E_)
    CALLS(Irecv)(into(17), 16, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(2) E_)
    CALLS(Isend)(numbers, 3, MPI_INTEGER, right, 33, MPI_COMM_WORLD, requests(3) E_); call sent(right, 33, 12)
    CALLS(Isend)(numbers, 4, MPI_INTEGER, right, 34, MPI_COMM_WORLD, requests(4) E_); call sent(right, 34, 16)
    CALLS(Waitall)(4, requests, MPI_STATUSES_IGNORE E_); call received(left, 33, 12); call received(left, 34, 16)
    ! taken back
    CALLS(Irecv)(into, 16, MPI_INTEGER, left, 77, MPI_COMM_WORLD, requests(1) E_)
    CALLS(Cancel)(requests(1) E_)
    CALLS(Wait)(requests(1), state E_)
    CALLS(Test_cancelled)(state, flag E_)
    HOLDS(flag)
    ! a send that nobody waits for
    CALLS(Isend)(numbers, 2, MPI_INTEGER, right, 41, MPI_COMM_WORLD, requests(1) E_); call sent(right, 41, 8)
    CALLS(Request_free)(requests(1) E_)
    HOLDS(requests(1) == MPI_REQUEST_NULL)
    CALLS(Recv)(into, 2, MPI_INTEGER, left, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_); call received(left, 41, 8)
  end subroutine

  subroutine persistent()
    character(len=1), save :: room(100000)
    HANDLE(MPI_Request) :: requests(8)
    STATUSES(states, 8)
    integer :: round, k, size_of
    logical :: flag
#ifdef USE_F08
    type(c_ptr) :: back
#else
    integer(kind=MPI_ADDRESS_KIND) :: back
#endif
    CALLS(Buffer_attach)(room, 100000 E_)
    do k = 1, 4
      CALLS(Recv_init)(into(16*k), 16, MPI_INTEGER, merge(left, MPI_ANY_SOURCE, k < 4), 10 + k, MPI_COMM_WORLD, requests(k) E_)
    end do
    CALLS(Send_init)(numbers, 1, MPI_INTEGER, right, 11, MPI_COMM_WORLD, requests(5) E_)
    CALLS(Ssend_init)(numbers, 2, MPI_INTEGER, right, 12, MPI_COMM_WORLD, requests(6) E_)
    CALLS(Bsend_init)(numbers, 3, MPI_INTEGER, right, 13, MPI_COMM_WORLD, requests(7) E_)
    CALLS(Rsend_init)(numbers, 4, MPI_INTEGER, right, 14, MPI_COMM_WORLD, requests(8) E_)
    do round = 1, 3
      CALLS(Startall)(4, requests E_)
      CALLS(Barrier)(MPI_COMM_WORLD E_); call collective('Barrier', 0, 0)
      do k = 5, 8
        CALLS(Start)(requests(k) E_); call sent(right, 6 + k, 4*(k - 4))
      end do
      if (round == 2) then
        CALLS(Waitall)(8, requests, states E_)
        HOLDS(OF_AT(MPI_SOURCE, states, 4) == left)
      else if (round == 3) then
        flag = .false.
        do while (.not. flag)
          CALLS(Testall)(8, requests, flag, MPI_STATUSES_IGNORE E_)
        end do
      else
        CALLS(Waitall)(8, requests, MPI_STATUSES_IGNORE E_)
      end if
      do k = 1, 4
        call received(left, 10 + k, 4*k)
      end do
      HOLDS(requests(1) /= MPI_REQUEST_NULL)
    end do
    do k = 1, 8
      CALLS(Request_free)(requests(k) E_)
    end do
    CALLS(Buffer_detach)(back, size_of E_)
  end subroutine

  ! Requests that stay: which of them is done is told by the index alone, and the tag tells the program.
  subroutine persistent_indexes()
    HANDLE(MPI_Request) :: requests(3), sends(3)
    STATUS(state)
    STATUSES(states, 3)
    integer :: k, round, index, done, indices(3), left_over
    logical :: flag
    do k = 1, 3
      CALLS(Recv_init)(into(16*k), 16, MPI_INTEGER, left, 20 + k, MPI_COMM_WORLD, requests(k) E_)
    end do
    do round = 1, 4
      CALLS(Startall)(3, requests E_)
      do k = 3, 1, -1
        CALLS(Isend)(numbers, k + round, MPI_INTEGER, right, 20 + k, MPI_COMM_WORLD, sends(k) E_)
        call sent(right, 20 + k, 4*(k + round))
        if (round > 2) cycle
        if (round == 1) then
          CALLS(Waitany)(3, requests, index, state E_)
        else
          flag = .false.
          do while (.not. flag)
            CALLS(Testany)(3, requests, index, flag, state E_)
          end do
        end if
        HOLDS(OF(MPI_SOURCE, state) == left)
        call received(left, OF(MPI_TAG, state), 4*(OF(MPI_TAG, state) - 20 + round))
      end do
      left_over = merge(3, 0, round > 2)
      do while (left_over > 0)
        if (round == 3) then
          CALLS(Waitsome)(3, requests, done, indices, states E_)
        else
          CALLS(Testsome)(3, requests, done, indices, states E_)
        end if
        do k = 1, done
          call received(left, OF_AT(MPI_TAG, states, k), 4*(OF_AT(MPI_TAG, states, k) - 20 + round))
        end do
        left_over = left_over - done
      end do
      CALLS(Waitall)(3, sends, MPI_STATUSES_IGNORE E_)
    end do
    do k = 1, 3
      CALLS(Request_free)(requests(k) E_)
    end do
  end subroutine

  subroutine probes()
    HANDLE(MPI_Message) :: matched
    HANDLE(MPI_Request) :: request, sends(3)
    STATUS(state)
    integer :: k, got
    logical :: flag
    do k = 1, 3
      CALLS(Isend)(numbers, k, MPI_INTEGER, right, 49 + k, MPI_COMM_WORLD, sends(k) E_); call sent(right, 49 + k, 4*k)
    end do
    CALLS(Probe)(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, state E_)
    HOLDS(OF(MPI_SOURCE, state) == left)
    CALLS(Probe)(left, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    CALLS(Recv)(into, 1, MPI_INTEGER, left, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_); call received(left, 50, 4)
    CALLS(Mprobe)(MPI_ANY_SOURCE, 51, MPI_COMM_WORLD, matched, MPI_STATUS_IGNORE E_)
    CALLS(Mrecv)(into, 2, MPI_INTEGER, matched, MPI_STATUS_IGNORE E_); call received(left, 51, 8)
    HOLDS(matched == MPI_MESSAGE_NULL)
    flag = .false.
    do while (.not. flag)
      CALLS(Improbe)(left, MPI_ANY_TAG, MPI_COMM_WORLD, flag, matched, state E_)
    end do
    CALLS(Imrecv)(into, 9, MPI_INTEGER, matched, request E_)
    CALLS(Wait)(request, state E_); call received(left, 52, 12)
    CALLS(Get_count)(state, MPI_INTEGER, got E_)
    HOLDS(OF(MPI_TAG, state) == 52 .and. got == 3)
    CALLS(Mprobe)(MPI_PROC_NULL, 1, MPI_COMM_WORLD, matched, state E_)
    HOLDS(matched == MPI_MESSAGE_NO_PROC)
    CALLS(Mrecv)(into, 9, MPI_INTEGER, matched, state E_)
    CALLS(Waitall)(3, sends, MPI_STATUSES_IGNORE E_)
    CALLS(Iprobe)(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE E_)
    HOLDS(.not. flag)
  end subroutine

  ! Characters come with hidden lengths behind ierror.
  subroutine characters()
    character(len=12) :: text, parts(3)
    character(len=MPI_MAX_PROCESSOR_NAME) :: processor
    character(len=9) :: value
    HANDLE(MPI_Info) :: info
    integer :: length
    logical :: flag, truth(4)
    text = 'ranks speak!'
    parts = ''
    CALLS(Sendrecv)(text, 12, MPI_CHARACTER, right, 60, parts, 36, MPI_CHARACTER, left, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 60, 12); call received(left, 60, 12)
    HOLDS(parts(1) == text .and. parts(2) == '')
    CALLS(Sendrecv)(text(7:11), 5, MPI_CHARACTER, right, 61, parts(2), 12, MPI_CHARACTER, left, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
    call sent(right, 61, 5); call received(left, 61, 5)
    HOLDS(parts(2) == 'speak')
    truth = [.true., .false., rank == 0, .true.]
    CALLS(Bcast)(truth, 4, MPI_LOGICAL, 0, MPI_COMM_WORLD E_); call collective('Bcast', merge(16, 0, rank == 0), merge(0, 16, rank == 0))
    HOLDS(truth(3) .and. .not. truth(2))
    CALLS(Get_processor_name)(processor, length E_)
    HOLDS(length > 0 .and. len_trim(processor) == length)
    CALLS(Info_create)(info E_)
    CALLS(Info_set)(info, 'a key', 'its value' E_)
    CALLS(Info_get)(info, 'a key', 9, value, flag E_)
    HOLDS(flag .and. value == 'its value')
    CALLS(Info_get)(info, 'another', 9, value, flag E_)
    HOLDS(.not. flag)
    CALLS(Info_free)(info E_)
  end subroutine

#ifdef LARGE
  ! More bytes than an integer counts: 2 GiB and 1 MiB, from rank 0 to rank 1.
  subroutine large()
    integer(kind=1), allocatable :: memory(:)
    integer(kind=8), parameter :: bytes = 2049_8*1048576_8
    HANDLE(MPI_Datatype) :: block
    CALLS(Type_contiguous)(1048576, MPI_BYTE, block E_)
    CALLS(Type_commit)(block E_)
    if (rank < 2) then
      allocate (memory(bytes))
      memory(bytes) = 0
      if (rank == 0) then
        memory(bytes) = 42
        CALLS(Send)(memory, 2049, block, 1, 21, MPI_COMM_WORLD E_)
        call message('sent', 1, 21, bytes)
      else
        CALLS(Recv)(memory, 2049, block, 0, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE E_)
        call message('received', 0, 21, bytes)
        HOLDS(memory(bytes) == 42)
      end if
      deallocate (memory)
    end if
    CALLS(Type_free)(block E_)
  end subroutine
#endif
end program
