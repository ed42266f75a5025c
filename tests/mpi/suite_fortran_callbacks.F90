! What MPI calls back in Fortran: operations, attributes, error handlers, generalized requests; and calls that fail under
! MPI_ERRORS_RETURN, whose ierror is what it is without the recorder.
#include "suite_fortran.inc"
module callbacks
#ifdef USE_F08
  use mpi_f08
#elif !defined USE_MPIF
  use mpi
#endif
  implicit none
#ifdef USE_MPIF
  include 'mpif.h'
#endif
  integer :: errors_seen = 0, class_seen = 0, copies = 0, deletes = 0, queries = 0, frees = 0
contains
#ifdef USE_F08
  subroutine larger(in, inout, n, kind_of)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: n
    type(MPI_Datatype) :: kind_of
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [n])
    call c_f_pointer(inout, b, [n])
    b = max(a, b)
  end subroutine
#else
  subroutine larger(in, inout, n, kind_of)
    integer :: n, kind_of, in(n), inout(n)
    inout = max(in, inout)
  end subroutine
#endif
  subroutine copied(comm, keyval, extra, in, out, flag, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    copies = copies + 1
    out = in + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine deleted(comm, keyval, value, extra, ierror)
    HANDLE(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deletes = deletes + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handles_error(comm, code)
    HANDLE(MPI_Comm) :: comm
    integer :: code, ierr
    errors_seen = errors_seen + 1
    call MPI_Error_class(code, class_seen, ierr) ! inside of a call: not counted
  end subroutine
  subroutine queried(extra, state, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    STATUS(state)
    integer :: ierror
    queries = queries + 1
    call MPI_Status_set_elements(state, MPI_BYTE, int(extra), ierror)
    call MPI_Status_set_cancelled(state, .false., ierror)
    OF(MPI_SOURCE, state) = MPI_UNDEFINED
    OF(MPI_TAG, state) = MPI_UNDEFINED
    ierror = MPI_SUCCESS
  end subroutine
  subroutine freed(extra, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    frees = frees + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancelled(extra, complete, ierror)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

program suite_fortran_callbacks
  use callbacks
  use suite
  implicit none
  integer :: ierr, other, my_rank, of_ranks, numbers(64), into(64)
  numbers = 5
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, my_rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, of_ranks, ierr)
  call begun(my_rank, of_ranks)
  other = 1 - rank
  call operations()
  call attributes()
  call generalized()
  call own_errors()
  call handlers()
  call errors()
  call ended()
  call MPI_Finalize(ierr)
  call leave(8)
contains
  subroutine operations()
    HANDLE(MPI_Op) :: op
    integer :: mine(3), most(3), round
    logical :: commutes
    mine = [rank, -rank, 7]
    do round = 1, 2
      CALLS(Op_create)(larger, .true., op, ierr)
      CALLS(Op_commutative)(op, commutes, ierr)
      HOLDS(commutes)
      CALLS(Allreduce)(mine, most, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierr); call collective('Allreduce', 12, 12)
      HOLDS(all(most == [1, 0, 7]))
      CALLS(Reduce)(mine, most, 3, MPI_INTEGER, op, 1, MPI_COMM_WORLD, ierr); call collective('Reduce', 12, merge(12, 0, rank == 1))
      CALLS(Reduce_local)(mine, most, 3, MPI_INTEGER, op, ierr)
      CALLS(Op_free)(op, ierr)
    end do
  end subroutine

  subroutine attributes()
    HANDLE(MPI_Comm) :: copy
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    integer :: keyval, kept
    logical :: flag
    extra = 100
    CALLS(Comm_create_keyval)(copied, deleted, keyval, extra, ierr)
    value = 42
    CALLS(Comm_set_attr)(MPI_COMM_WORLD, keyval, value, ierr)
    CALLS(Comm_dup)(MPI_COMM_WORLD, copy, ierr); call collective('communicator', 0, 0)
    CALLS(Comm_get_attr)(copy, keyval, value, flag, ierr)
    HOLDS(flag .and. value == 142 .and. copies == 1)
    CALLS(Comm_free)(copy, ierr); call collective('communicator', 0, 0)
    HOLDS(deletes == 1)
    CALLS(Comm_delete_attr)(MPI_COMM_WORLD, keyval, ierr)
    HOLDS(deletes == 2)
    kept = keyval
    CALLS(Comm_get_attr)(MPI_COMM_WORLD, kept, value, flag, ierr)
    HOLDS(.not. flag)
    CALLS(Comm_free_keyval)(keyval, ierr)
    CALLS(Comm_create_keyval)(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
    CALLS(Comm_set_attr)(MPI_COMM_WORLD, keyval, extra, ierr)
    CALLS(Comm_dup)(MPI_COMM_WORLD, copy, ierr); call collective('communicator', 0, 0)
    CALLS(Comm_get_attr)(copy, keyval, value, flag, ierr)
    HOLDS(flag .and. value == 100)
    CALLS(Comm_free)(copy, ierr); call collective('communicator', 0, 0)
    CALLS(Comm_delete_attr)(MPI_COMM_WORLD, keyval, ierr)
    CALLS(Comm_free_keyval)(keyval, ierr)
    CALLS(Comm_get_attr)(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    HOLDS(flag .and. value >= 32767)
  end subroutine

  ! A request that MPI knows nothing of, among others.
  subroutine generalized()
    HANDLE(MPI_Request) :: requests(3)
    STATUSES(states, 3)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: got
    extra = 9
    CALLS(Grequest_start)(queried, freed, cancelled, extra, requests(2), ierr)
    CALLS(Irecv)(into, 64, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests(1), ierr)
    CALLS(Isend)(numbers, 6, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(3), ierr); call sent(other, 3, 24)
    CALLS(Grequest_complete)(requests(2), ierr)
    CALLS(Waitall)(3, requests, states, ierr); call received(other, 3, 24)
    HOLDS(queries == 1 .and. frees == 1 .and. requests(2) == MPI_REQUEST_NULL .and. OF_AT(MPI_SOURCE, states, 1) == other)
    CALLS(Get_count)(STATUS_AT(states, 2), MPI_BYTE, got, ierr)
    HOLDS(got == 9)
  end subroutine

  subroutine own_errors()
    integer :: class, code, length, of
    character(len=MPI_MAX_ERROR_STRING) :: text
    CALLS(Add_error_class)(class, ierr)
    CALLS(Add_error_code)(class, code, ierr)
    CALLS(Add_error_string)(code, 'too many cooks', ierr)
    CALLS(Error_string)(code, text, length, ierr)
    HOLDS(text == 'too many cooks' .and. length == 14)
    CALLS(Error_class)(code, of, ierr)
    HOLDS(of == class)
  end subroutine

  ! Rank 1 has too little room.
  subroutine handlers()
    HANDLE(MPI_Errhandler) :: handler, now
    HANDLE(MPI_Comm) :: comm
    CALLS(Comm_dup)(MPI_COMM_WORLD, comm, ierr); call collective('communicator', 0, 0)
    CALLS(Comm_create_errhandler)(handles_error, handler, ierr)
    CALLS(Comm_set_errhandler)(comm, handler, ierr)
    CALLS(Comm_get_errhandler)(comm, now, ierr)
    CALLS(Errhandler_free)(now, ierr)
    if (rank == 0) then
      CALLS(Send)(numbers, 8, MPI_INTEGER, 1, 5, comm, ierr); call sent(1, 5, 32)
      CALLS(Send)(numbers, 1, MPI_INTEGER, 1, 5, comm, ierr); call sent(1, 5, 4)
    else
      CALLS(Recv)(into, 4, MPI_INTEGER, 0, 5, comm, MPI_STATUS_IGNORE, ierr)
      write (unit_number, '(a)') 'truncated 0 5'
      HOLDS(errors_seen == 1 .and. class_seen == MPI_ERR_TRUNCATE)
      CALLS(Recv)(into, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE, ierr); call received(0, 5, 4)
    end if
    CALLS(Comm_call_errhandler)(comm, MPI_ERR_OTHER, ierr)
    HOLDS(errors_seen == 1 + rank .and. class_seen == MPI_ERR_OTHER)
    CALLS(Errhandler_free)(handler, ierr)
    CALLS(Comm_free)(comm, ierr); call collective('communicator', 0, 0)
  end subroutine

  subroutine failed(line, expected)
    integer, intent(in) :: line, expected
    integer :: of, code
    code = ierr
    CALLS(Error_class)(code, of, ierr)
    print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' line ', line, ' fails with class ', of
    call holds(of == expected, line)
  end subroutine
#define FAILED(expected) call failed(__LINE__, expected)

  subroutine errors()
    HANDLE(MPI_Request) :: requests(3)
    STATUS(state)
    STATUSES(states, 3)
    integer :: k
    logical :: complete
#ifndef USE_MPICH
    HANDLE(MPI_Datatype) :: open_type
    HANDLE(MPI_Comm) :: copy
    logical :: flag
#endif
    CALLS(Comm_set_errhandler)(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    CALLS(Comm_set_errhandler)(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
#ifndef USE_MPICH /* MPICH of Debian checks no arguments: what is wrong in them would be undefined */
    CALLS(Send)(numbers, 1, MPI_INTEGER, ranks + 7, 1, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_RANK)
    CALLS(Isend)(numbers, 1, MPI_INTEGER, -77, 1, MPI_COMM_WORLD, requests(1), ierr); FAILED(MPI_ERR_RANK)
    CALLS(Send)(numbers, -1, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_COUNT)
    CALLS(Ssend)(numbers, 1, MPI_INTEGER, other, -5, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_TAG)
    CALLS(Send)(numbers, 1, MPI_DATATYPE_NULL, other, 1, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_TYPE)
    CALLS(Recv)(into, 1, MPI_INTEGER, ranks + 7, 1, MPI_COMM_WORLD, state, ierr); FAILED(MPI_ERR_RANK)
    CALLS(Irecv)(into, 1, MPI_INTEGER, ranks + 7, 1, MPI_COMM_WORLD, requests(1), ierr); FAILED(MPI_ERR_RANK)
    CALLS(Bcast)(numbers, 1, MPI_INTEGER, ranks + 7, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_ROOT)
    CALLS(Allreduce)(numbers, into, -3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_COUNT)
    CALLS(Iprobe)(ranks + 7, 1, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr); FAILED(MPI_ERR_RANK)
    CALLS(Recv_init)(into, 1, MPI_INTEGER, ranks + 7, 1, MPI_COMM_WORLD, requests(1), ierr); FAILED(MPI_ERR_RANK)
    CALLS(Type_vector)(2, 1, 2, MPI_INTEGER, open_type, ierr)
    CALLS(Send)(numbers, 1, open_type, other, 1, MPI_COMM_WORLD, ierr); FAILED(MPI_ERR_TYPE)
    CALLS(Type_free)(open_type, ierr)
    CALLS(Comm_dup)(MPI_COMM_NULL, copy, ierr); FAILED(MPI_ERR_COMM)
    CALLS(Cart_create)(MPI_COMM_WORLD, 1, [ranks + 5], [.true.], .false., copy, ierr)
    HOLDS(ierr /= MPI_SUCCESS)
#endif
    ! one of three fails: the others are complete
    if (rank == 0) then
      do k = 1, 3
        CALLS(Send)(numbers, merge(9, 1, k == 2), MPI_INTEGER, 1, 5 + k, MPI_COMM_WORLD, ierr)
        call sent(1, 5 + k, merge(36, 4, k == 2))
      end do
    else
      do k = 1, 3
        CALLS(Irecv)(into(8*k), 2, MPI_INTEGER, 0, 5 + k, MPI_COMM_WORLD, requests(k), ierr)
      end do
      do k = 1, 3 ! all have come
        complete = .false.
        do while (.not. complete)
          CALLS(Request_get_status)(requests(k), complete, state, ierr)
          complete = complete .or. ierr /= MPI_SUCCESS ! MPICH says so of what failed
        end do
      end do
      CALLS(Waitall)(3, requests, states, ierr); FAILED(MPI_ERR_IN_STATUS)
      call received(0, 6, 4)
      write (unit_number, '(a)') 'truncated 0 7'
#ifdef USE_MPICH /* Open MPI's Fortran hands out neither statuses nor null requests of a call that failed */
      if (requests(3) /= MPI_REQUEST_NULL) then ! not touched by the failed call
        CALLS(Wait)(requests(3), MPI_STATUS_IGNORE, ierr)
      end if
      HOLDS(OF_AT(MPI_ERROR, states, 1) == MPI_SUCCESS .and. OF_AT(MPI_ERROR, states, 2) /= MPI_SUCCESS)
#endif
      call received(0, 8, 4)
    end if
    CALLS(Barrier)(MPI_COMM_WORLD, ierr); call collective('Barrier', 0, 0)
  end subroutine
end program
