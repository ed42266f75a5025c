! What the Fortran programs of the suite share: as suite.h, what each writes to PREFIX.RANK.
module suite
  implicit none
  integer :: unit_number = 20, failures = 0, rank, ranks
contains
  subroutine begun(my_rank, of_ranks)
    integer, intent(in) :: my_rank, of_ranks
    character(len=512) :: prefix
    rank = my_rank
    ranks = of_ranks
    call get_command_argument(1, prefix)
    open (unit=unit_number, file=trim(prefix)//'.'//char(ichar('0') + rank), status='replace')
    call called('Comm_rank')
    call called('Comm_size')
  end subroutine
  subroutine called(name)
    character(len=*), intent(in) :: name
    write (unit_number, '(a,a)') 'call MPI_', name
  end subroutine
  subroutine message(kind, peer, tag, bytes)
    character(len=*), intent(in) :: kind
    integer, intent(in) :: peer, tag
    integer(kind=8), intent(in) :: bytes
    write (unit_number, '(a,3(1x,i0))') kind, peer, tag, bytes
  end subroutine
  subroutine sent(peer, tag, bytes)
    integer, intent(in) :: peer, tag, bytes
    call message('sent', peer, tag, int(bytes, 8))
  end subroutine
  subroutine received(peer, tag, bytes)
    integer, intent(in) :: peer, tag, bytes
    call message('received', peer, tag, int(bytes, 8))
  end subroutine
  subroutine collective(name, given, got)
    character(len=*), intent(in) :: name
    integer, intent(in) :: given, got
    write (unit_number, '(a,a,2(1x,i0))') 'collective MPI_', name, given, got
  end subroutine
  subroutine volume(peer, bytes)
    integer, intent(in) :: peer, bytes
    write (unit_number, '(a,2(1x,i0))') 'volume', peer, bytes
  end subroutine
  subroutine carried(from, to, bytes)
    integer, intent(in) :: from, to, bytes
    write (unit_number, '(a,3(1x,i0))') 'carried', from, to, bytes
  end subroutine
  subroutine holds(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    if (condition) return
    failures = failures + 1
    print '(a,i0,a,i0,a)', 'rank ', rank, ' line ', line, ' does not hold'
  end subroutine
  subroutine ended()
    close (unit_number)
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    flush (6)
  end subroutine
  ! 1 if anything did not hold, else `code` of the highest rank, the last to leave.
  subroutine leave(code)
    integer, intent(in) :: code
    if (failures > 0) call exit(1)
    if (rank < ranks - 1) return
    call sleep(1)  ! the launcher ends the other ranks when one returns an error
    call exit(code)
  end subroutine
end module
