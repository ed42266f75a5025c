! What the kernels in Fortran have in common: options, counted messages, checks. The C++ ones have nas.hpp, which says
! the same things in the same words.
module nas
  use mpi
  implicit none
  private
  public :: nas_start, nas_finish, nas_send, nas_receive, nas_begin_send, nas_begin_receive, nas_received, nas_wait, nas_reduce
  integer, parameter, public :: dp = kind(1d0), wide = selected_int_kind(18)
  integer, public, protected :: me = 0, ranks = 1

  ! A result is right if value <= most.
  type, public :: check
    character(len=48) :: what
    real(dp) :: value, most
  end type

  ! messages, bytes, collectives, bytes given to them (at their entry)
  integer(wide) :: sent(4) = 0
  integer :: spoiled_receive = 0, receives = 0

contains

  ! MPI_Init and the options; does not come back where there is nothing to run.
  subroutine nas_start(name, does, class)
    character(len=*), intent(in) :: name, does
    character(len=1), intent(out) :: class
    character(len=32) :: option, value
    character(len=96) :: wrong
    integer :: at, status, code, ierr
    call MPI_Init(ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    class = 'S'
    code = -1
    wrong = ''
    do at = 1, command_argument_count(), 2
      if (code >= 0) exit
      call get_command_argument(at, option)
      call get_command_argument(at + 1, value)
      status = 1
      if (option == '--help') then
        code = 0
      else if (option == '--class') then
        class = value(1:1)
        if (len_trim(value) == 1 .and. index('TSWZ', class) > 0) status = 0
      else if (option == '--spoil') then
        read (value, *, iostat=status) spoiled_receive
        if (status == 0 .and. spoiled_receive <= 0) status = 1
      end if
      if (code < 0 .and. status /= 0) then
        code = 2
        wrong = 'no such option: '//trim(option)//' '//trim(value)
      end if
    end do
    if (code < 0 .and. ranks /= 2 .and. ranks /= 4) then
      code = 2
      write (wrong, '(a, i0)') 'runs on 2 or 4 ranks, not on ', ranks
    end if
    if (code < 0) return
    if (me == 0) call usage(merge(6, 0, code == 0))
    call MPI_Finalize(ierr)
    if (code /= 0) stop 2
    stop

  contains

    subroutine usage(unit)
      integer, intent(in) :: unit
      if (wrong /= '') write (unit, '(3a)') name, ': ', trim(wrong)
      write (unit, '(3a)') 'usage: mpirun -n 2|4 ', name, ' [--class T|S|W|Z] [--spoil N]'
      write (unit, '(a)') does
      write (unit, '(a)') '  --class  T tiny, S small, W larger, Z the sizes of Zabel 1996 (S)'
      write (unit, '(a)') '  --spoil  damage the N-th thing that rank 0 receives: must end in FAIL'
    end subroutine
  end subroutine

  ! Messages of doubles. MPI_PROC_NULL gets and gives nothing.
  subroutine nas_send(values, n, to, tag)
    real(dp), intent(in) :: values(*)
    integer, intent(in) :: n, to, tag
    integer :: ierr
    if (to == MPI_PROC_NULL) return
    sent(1:2) = sent(1:2) + [1_wide, 8_wide * n]
    call MPI_Send(values, n, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine nas_receive(values, n, from, tag)
    integer, intent(in) :: n, from, tag
    real(dp), intent(inout) :: values(*)
    integer :: ierr
    if (from == MPI_PROC_NULL) return
    call MPI_Recv(values, n, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call nas_received(values)
  end subroutine

  subroutine nas_begin_send(values, n, to, tag, request)
    integer, intent(in) :: n, to, tag
    real(dp), intent(in) :: values(*)
    integer, intent(out) :: request
    integer :: ierr
    if (to /= MPI_PROC_NULL) sent(1:2) = sent(1:2) + [1_wide, 8_wide * n]
    call MPI_Isend(values, n, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, request, ierr)
  end subroutine

  ! Once it is complete nas_received must be told.
  subroutine nas_begin_receive(values, n, from, tag, request)
    integer, intent(in) :: n, from, tag
    real(dp), intent(inout) :: values(*)
    integer, intent(out) :: request
    integer :: ierr
    call MPI_Irecv(values, n, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, request, ierr)
  end subroutine

  subroutine nas_wait(requests)
    integer, intent(inout) :: requests(:)
    integer :: ierr
    call MPI_Waitall(size(requests), requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  ! `--spoil N` damages the first value of the N-th thing that rank 0 receives: a verification that does not notice is
  ! none.
  subroutine nas_received(values)
    real(dp), intent(inout) :: values(*)
    receives = receives + 1
    if (me == 0 .and. receives == spoiled_receive) values(1) = 1 + 2 * values(1)
  end subroutine

  real(dp) function nas_reduce(own, operation) result(all)
    real(dp), intent(in) :: own
    integer, intent(in) :: operation
    integer :: ierr
    sent(3:4) = sent(3:4) + [1_wide, 8_wide]
    call MPI_Allreduce(own, all, 1, MPI_DOUBLE_PRECISION, operation, MPI_COMM_WORLD, ierr)
  end function

  ! The time, what each rank sent, and the verdict; ends the program.
  subroutine nas_finish(name, class, did, time_s, checks)
    character(len=*), intent(in) :: name, class, did
    real(dp), intent(in) :: time_s
    type(check), intent(in) :: checks(:)
    integer(wide) :: all(4, 0:ranks - 1)
    integer :: rank, i, ierr
    logical :: right
    call MPI_Gather(sent, 4, MPI_INTEGER8, all, 4, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
    right = .true.
    do i = 1, size(checks)
      right = right .and. checks(i)%value <= checks(i)%most  ! NaN is wrong
    end do
    if (me == 0) then
      print '(5a, i0, 2a)', name, ': class ', class, ' on', ' ', ranks, ' ranks: ', did
      print '(a, f0.6, a)', 'time ', time_s, ' s'
      do rank = 0, ranks - 1
        print '(5(a, i0), a)', 'rank ', rank, ' sent ', all(1, rank), ' messages ', all(2, rank), ' bytes, gave ', &
          all(3, rank), ' collectives ', all(4, rank), ' bytes'
      end do
      do i = 1, size(checks)
        print '(4a, es9.2, a, es9.2)', merge('right ', 'WRONG ', checks(i)%value <= checks(i)%most), trim(checks(i)%what), &
          ':', ' ', checks(i)%value, ', at most ', checks(i)%most
      end do
      print '(a)', merge('PASS', 'FAIL', right)
    end if
    call MPI_Finalize(ierr)
    if (.not. right) stop 1
    stop
  end subroutine
end module nas
