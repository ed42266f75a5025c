! What a region and watched variables cost in Fortran: the same batches as in marks.c. marks.py has whatwire instrument make the copy
! that it compiles; nothing here says anything by itself. Prints one JSON object.
module marked
  use iso_c_binding, only: c_int
  implicit none
  integer, parameter :: in_batch = 64, batches = 600
  integer, volatile :: sink
  real(8), volatile :: watched_real, elements(2)
  integer, volatile :: watched_integer
  integer :: chosen = 1
  interface
    subroutine pause_us(microseconds) bind(c, name='usleep')
      import :: c_int
      integer(c_int), value :: microseconds
    end subroutine
  end interface
contains
  subroutine plain(i)
    integer, intent(in) :: i
    sink = i
  end subroutine
  subroutine region(i)
    integer, intent(in) :: i
    sink = i
  end subroutine
  subroutine of_real(i)
    integer, intent(in) :: i
    watched_real = i
  end subroutine
  subroutine of_integer(i)
    integer, intent(in) :: i
    watched_integer = i
  end subroutine
  ! Asked for by its number, which is compared; it is the one.
  subroutine of_element(i)
    integer, intent(in) :: i
    elements(chosen) = i
  end subroutine

  ! The median of the batches.
  real(8) function ns_each(body)
    interface
      subroutine body(i)
        integer, intent(in) :: i
      end subroutine
    end interface
    integer(8) :: begin, end, a_second
    real(8) :: took(batches), one
    integer :: b, i
    call system_clock(count_rate=a_second)
    do b = 1, batches
      call pause_us(1000_c_int)
      call body(b)  ! what the pause cooled down
      call system_clock(begin)
      do i = 1, in_batch
        call body(i)
      end do
      call system_clock(end)
      one = 1d9 * real(end - begin, 8) / real(a_second, 8) / in_batch
      i = b - 1
      do while (i > 0)
        if (took(i) <= one) exit
        took(i + 1) = took(i)
        i = i - 1
      end do
      took(i + 1) = one
    end do
    ns_each = took(batches / 2 + 1)
  end function
end module
program marks
  use mpi
  use marked
  implicit none
  integer :: error
  real(8) :: found(5)
  call mpi_init(error)
  found = [ns_each(plain), ns_each(region), ns_each(of_real), ns_each(of_integer), ns_each(of_element)]
  print '(5(a,f10.2),a)', '{"plain":', found(1), ',"region":', found(2), ',"real":', found(3), &
    ',"integer":', found(4), ',"element":', found(5), '}'
  call mpi_finalize(error)
end program
