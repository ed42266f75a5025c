! Computes until Fortran's own clock says that ASKED seconds have passed, and says what each of its clocks and MPI_Wtime saw
! meanwhile, and the real seconds, by a call of the kernel that no library stands before (x86-64's and arm64's clock_gettime).
program clocks_fortran
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi
  implicit none
  real(real64), parameter :: asked = 0.2_real64
  integer :: ierror, values(8), date_before, date_after
  integer(int64) :: before, now, rate
  real(real64) :: wtime, cpu_before, cpu_after, real_before, real_after
  interface
    function syscall(number, clock, time) bind(c) result(code)
      import :: c_long, c_ptr
      integer(c_long), value :: number, clock
      type(c_ptr), value :: time
      integer(c_long) :: code
    end function
  end interface
  call MPI_Init(ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call date_and_time(values=values)
  date_before = milliseconds(values)
  wtime = MPI_Wtime()
  call cpu_time(cpu_before)
  call system_clock(before, rate)
  real_before = true_time()
  do
    call system_clock(now)
    if (real(now - before, real64) >= asked * real(rate, real64)) exit
  end do
  real_after = true_time()
  call cpu_time(cpu_after)
  wtime = MPI_Wtime() - wtime
  call date_and_time(values=values)
  date_after = milliseconds(values)
  print '(a,5(a,f9.6),a)', '{', '"system_clock":', real(now - before, real64) / real(rate, real64), ',"wtime":', wtime, &
    ',"cpu_time":', cpu_after - cpu_before, ',"date_and_time":', modulo(date_after - date_before, 86400000) * 1e-3_real64, &
    ',"real":', real_after - real_before, '}'
  call MPI_Finalize(ierror)

contains
  integer function milliseconds(values)
    integer, intent(in) :: values(8)
    milliseconds = ((values(5) * 60 + values(6)) * 60 + values(7)) * 1000 + values(8)
  end function

  real(real64) function true_time()
    integer(int64), target :: time(2)
#ifdef __aarch64__
    if (syscall(113_c_long, 1_c_long, c_loc(time)) /= 0) error stop
#else
    if (syscall(228_c_long, 1_c_long, c_loc(time)) /= 0) error stop
#endif
    true_time = real(time(1), real64) + 1e-9_real64 * real(time(2), real64)
  end function
end program
