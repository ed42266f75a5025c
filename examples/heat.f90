! The heat equation on the unit square, walls at zero, by explicit steps; the square is cut into strips of columns, one
! strip a rank. Each step exchanges one column with each neighbour (MPI_Sendrecv) and adds up the change (MPI_Allreduce).
!
! From u = sin(pi x) sin(pi y), the k-th step of this very scheme is known exactly: it is u multiplied by
!   (1 - 4 r (sin^2(pi hx / 2) + sin^2(pi hy / 2)))^k  with equal r = dt / h^2 in both directions (r = 1/4 here),
! which is what the result is verified against.
!   mpirun -n 2 heat --nx 510 --ny 6000 --steps 100
program heat
  use mpi
  implicit none
  integer, parameter :: wide = selected_int_kind(18)
  double precision, parameter :: pi = 3.141592653589793238d0, r = 0.25d0
  integer :: nx = 510, ny = 6000, steps = 100
  integer :: ranks, me, ierr, left, right, first, last, step, i, j, exit_code
  integer(wide) :: sent(2) = 0
  integer(wide), allocatable :: all_sent(:, :)
  double precision, allocatable :: u(:, :), v(:, :)
  double precision :: start_s, time_s, change, all_change, change_factor, factor, exact, error, all_error
  logical :: usage_ok, help

  call MPI_Init(ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call parse(usage_ok, help)
  if (help .or. .not. usage_ok) then
    if (me == 0) call usage()
    call MPI_Finalize(ierr)
    if (help) stop
    stop 2
  end if

  ! Strips of columns first..last, with one column of a neighbour on each side.
  first = int(int(ny, wide) * me / ranks) + 1
  last = int(int(ny, wide) * (me + 1) / ranks)
  left = merge(me - 1, MPI_PROC_NULL, me > 0)
  right = merge(me + 1, MPI_PROC_NULL, me < ranks - 1)
  allocate (u(0:nx + 1, first - 1:last + 1), v(0:nx + 1, first - 1:last + 1))
  do j = first - 1, last + 1
    do i = 0, nx + 1
      u(i, j) = start_value(i, j)
    end do
  end do
  v = u

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  start_s = MPI_Wtime()
  change_factor = 0
  do step = 1, steps
    call exchange(u)
    call advance(u, v, change)
    call MPI_Allreduce(change, all_change, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (step == 1) change_factor = all_change
    call exchange(v)
    call advance(v, u, change)
    call MPI_Allreduce(change, all_change, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  time_s = MPI_Wtime() - start_s

  factor = step_factor()**(2 * steps)
  error = 0
  do j = first, last
    do i = 1, nx
      exact = factor * start_value(i, j)
      error = max(error, abs(u(i, j) - exact))
    end do
  end do
  call MPI_Allreduce(error, all_error, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  ! The sum of squared changes shrinks by the square of the factor at each step, which checks the reductions too.
  exact = change_factor * step_factor()**(2 * (2 * steps - 1))
  all_error = max(all_error, abs(all_change / exact - 1))

  if (me == 0) then
    print '(a, i0, a, i0, a, i0, a, i0, a, es9.2)', 'heat: ', nx, ' x ', ny, ' points on ', ranks, ' ranks, ', 2 * steps, &
      ' steps, largest error ', all_error
    print '(a, f0.6, a)', 'time ', time_s, ' s'
  end if
  allocate (all_sent(2, 0:ranks - 1))
  call MPI_Gather(sent, 2, MPI_INTEGER8, all_sent, 2, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierr)
  exit_code = merge(0, 1, all_error < 1d-10)
  if (me == 0) then
    do i = 0, ranks - 1
      print '(a, i0, a, i0, a, i0, a)', 'rank ', i, ' sent ', all_sent(1, i), ' messages ', all_sent(2, i), ' bytes'
    end do
    if (exit_code == 0) then
      print '(a)', 'verified'
    else
      print '(a)', 'WRONG: the error against the analytic result is too large'
    end if
  end if
  call MPI_Finalize(ierr)
  if (exit_code /= 0) stop 1

contains

  double precision function start_value(i, j)
    integer, intent(in) :: i, j
    start_value = sin(pi * i / (nx + 1)) * sin(pi * j / (ny + 1))
  end function

  double precision function step_factor()
    step_factor = 1 - 4 * r * (sin(pi / (2 * (nx + 1)))**2 + sin(pi / (2 * (ny + 1)))**2)
  end function

  ! The columns of the neighbours. At the walls the neighbour is MPI_PROC_NULL and the column stays zero.
  subroutine exchange(w)
    double precision, intent(inout) :: w(0:nx + 1, first - 1:last + 1)
    call MPI_Sendrecv(w(0, last), nx + 2, MPI_DOUBLE_PRECISION, right, 1, &
                      w(0, first - 1), nx + 2, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv(w(0, first), nx + 2, MPI_DOUBLE_PRECISION, left, 2, &
                      w(0, last + 1), nx + 2, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call count_sent(left)
    call count_sent(right)
  end subroutine

  subroutine count_sent(to)
    integer, intent(in) :: to
    if (to == MPI_PROC_NULL) return
    sent = sent + [1_wide, 8_wide * (nx + 2)]
  end subroutine

  subroutine advance(from, to, squares)
    double precision, intent(in) :: from(0:nx + 1, first - 1:last + 1)
    double precision, intent(inout) :: to(0:nx + 1, first - 1:last + 1)
    double precision, intent(out) :: squares
    double precision :: d
    squares = 0
    do j = first, last
      do i = 1, nx
        d = r * (from(i - 1, j) + from(i + 1, j) + from(i, j - 1) + from(i, j + 1) - 4 * from(i, j))
        to(i, j) = from(i, j) + d
        squares = squares + d * d
      end do
    end do
  end subroutine

  subroutine parse(ok, wants_help)
    logical, intent(out) :: ok, wants_help
    character(len=32) :: name, value
    integer :: at, status
    ok = .true.
    wants_help = .false.
    at = 1
    do while (at <= command_argument_count() .and. ok)
      call get_command_argument(at, name)
      if (name == '--help') then
        wants_help = .true.
        return
      end if
      call get_command_argument(at + 1, value)
      status = 1
      if (name == '--nx') read (value, *, iostat=status) nx
      if (name == '--ny') read (value, *, iostat=status) ny
      if (name == '--steps') read (value, *, iostat=status) steps
      ok = status == 0
      at = at + 2
    end do
    ok = ok .and. nx > 0 .and. ny >= ranks .and. steps > 0
  end subroutine

  subroutine usage()
    print '(a)', 'usage: mpirun -n P heat [--nx NX] [--ny NY] [--steps S]'
    print '(a)', 'The heat equation on NX x NY points by 2 S explicit steps, in strips of columns.'
    print '(a)', '  --nx     points in a column (510); a halo is NX + 2 values of 8 bytes'
    print '(a)', '  --ny     columns, distributed over the ranks (6000)'
    print '(a)', '  --steps  pairs of steps (100)'
  end subroutine
end program heat
