! Block tridiagonal systems: a field of five coupled unknowns a point on n^3 points, walls at zero, advanced by implicit
! steps that are split by direction,  Bx By Bz du = tau K L u,  L the seven-point Laplacian, K a 5 x 5 matrix and
! B = 1 + tau K T with T the second difference: along every line a tridiagonal system of 5 x 5 blocks. z is cut into
! slabs; one plane goes to each neighbour before a step (MPI_Isend, MPI_Irecv). x and y are solved where the lines are;
! then the field is turned so that z lies within a rank, every rank sending a piece to every other (MPI_Isend, MPI_Irecv,
! MPI_Waitall), and back.
!
! Verified exactly: with K w = kappa w the product of w and sines is an eigenfunction, which a step multiplies by
! 1 - tau kappa (mx + my + mz) / (p(mx) p(my) p(mz)),  m = 4 sin^2(q pi / (2 (n + 1))),  p(m) = 1 + tau kappa m.
! K = 1 + c (ones beside the diagonal) has w(i) = sin(i l pi / 6), kappa = 1 + 2 c cos(l pi / 6) for l = 1..5.
!   mpirun -n 2 bt --class S
program bt
  use nas
  use mpi
  implicit none
  real(dp), parameter :: pi = 3.141592653589793238_dp, tau = 0.2_dp, coupling = 0.3_dp
  integer, parameter :: mode(3, 5) = reshape([1, 1, 1, 2, 1, 3, 1, 2, 2, 3, 1, 1, 2, 4, 1], [3, 5])
  character(len=1) :: class
  character(len=64) :: did
  integer :: n, m, steps, step, i, ierr
  real(dp) :: start_s, time_s, error, largest, unit(5, 5), k_matrix(5, 5)
  real(dp), allocatable :: u(:, :, :, :), f(:, :, :, :), turned(:, :, :, :)  ! z in slabs, and y in slabs
  real(dp), allocatable :: outgoing(:, :, :, :, :), incoming(:, :, :, :, :)  ! a piece for and of each rank

  call nas_start('bt', 'Block tridiagonal systems: the field turned by all ranks to all, and planes.', class)
  n = merge(8, merge(24, 12, class == 'W'), class == 'T')
  steps = merge(6, merge(40, merge(20, 60, class == 'W'), class == 'S'), class == 'T')
  m = n / ranks
  allocate (u(5, n, n, 0:m + 1), f(5, n, n, m), turned(5, n, m, n))
  allocate (outgoing(5, n, m, m, 0:ranks - 1), incoming(5, n, m, m, 0:ranks - 1))
  unit = 0
  k_matrix = 0
  do i = 1, 5
    unit(i, i) = 1
    k_matrix(i, i) = 1
  end do
  do i = 1, 4
    k_matrix(i, i + 1) = coupling
    k_matrix(i + 1, i) = coupling
  end do
  u = 0
  call for_known(0, .true.)

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  start_s = MPI_Wtime()
  do step = 1, steps
    call exchange_planes()
    call right_hand_side()
    call solve_x_and_y()
    call turn(.true.)
    call solve_z()
    call turn(.false.)
    u(:, :, :, 1:m) = u(:, :, :, 1:m) + f
  end do
  time_s = MPI_Wtime() - start_s

  call for_known(steps, .false.)
  write (did, '(i0, a, i0, a)') n, '^3 points, ', steps, ' steps'
  error = nas_reduce(error, MPI_MAX)
  largest = nas_reduce(largest, MPI_MAX)
  call nas_finish('bt', class, trim(did), time_s, [check('error against the analytic result', error / largest, 1e-11_dp)])

contains

  ! The known field after `after` steps: u is set to it, or compared with it.
  subroutine for_known(after, set)
    integer, intent(in) :: after
    logical, intent(in) :: set
    integer :: x, y, z, c, l
    real(dp) :: factor(5), kappa, mu(3), value(5), waves
    do l = 1, 5
      kappa = 1 + 2 * coupling * cos(l * pi / 6)
      mu = 4 * sin(mode(:, l) * pi / (2 * (n + 1)))**2
      factor(l) = (1 - tau * kappa * sum(mu) / product(1 + tau * kappa * mu))**after
    end do
    error = 0
    largest = 0
    do z = 1, m
      do y = 1, n
        do x = 1, n
          value = 0
          do l = 1, 5
            waves = product(sin(mode(:, l) * [x, y, me * m + z] * pi / (n + 1)))
            value = value + factor(l) * waves * [(sin(c * l * pi / 6), c=1, 5)]
          end do
          if (set) u(:, x, y, z) = value
          error = max(error, maxval(abs(u(:, x, y, z) - value)))
          largest = max(largest, maxval(abs(value)))
        end do
      end do
    end do
  end subroutine

  subroutine exchange_planes()
    integer :: above, below, requests(4)
    above = merge(me + 1, MPI_PROC_NULL, me + 1 < ranks)
    below = merge(me - 1, MPI_PROC_NULL, me > 0)
    call nas_begin_receive(u(:, :, :, 0:0), 5 * n * n, below, 1, requests(1))
    call nas_begin_receive(u(:, :, :, m + 1:m + 1), 5 * n * n, above, 2, requests(2))
    call nas_begin_send(u(:, :, :, m:m), 5 * n * n, above, 1, requests(3))
    call nas_begin_send(u(:, :, :, 1:1), 5 * n * n, below, 2, requests(4))
    call nas_wait(requests)
    if (me > 0) call nas_received(u(:, :, :, 0:0))
    if (me + 1 < ranks) call nas_received(u(:, :, :, m + 1:m + 1))
  end subroutine

  subroutine right_hand_side()
    integer :: x, y, z
    real(dp) :: around(5)
    do z = 1, m
      do y = 1, n
        do x = 1, n
          around = u(:, x, y, z - 1) + u(:, x, y, z + 1) - 6 * u(:, x, y, z)
          if (x > 1) around = around + u(:, x - 1, y, z)
          if (x < n) around = around + u(:, x + 1, y, z)
          if (y > 1) around = around + u(:, x, y - 1, z)
          if (y < n) around = around + u(:, x, y + 1, z)
          f(:, x, y, z) = tau * matmul(k_matrix, around)
        end do
      end do
    end do
  end subroutine

  subroutine solve_x_and_y()
    integer :: a, z
    real(dp) :: line(5, n)
    do z = 1, m
      do a = 1, n
        call solve_line(f(:, :, a, z))
      end do
      do a = 1, n
        line = f(:, a, :, z)
        call solve_line(line)
        f(:, a, :, z) = line
      end do
    end do
  end subroutine

  subroutine solve_z()
    integer :: x, y
    real(dp) :: line(5, n)
    do y = 1, m
      do x = 1, n
        line = turned(:, x, y, :)
        call solve_line(line)
        turned(:, x, y, :) = line
      end do
    end do
  end subroutine

  ! r = B^-1 r along a line: blocks 1 + 2 tau K on the diagonal, -tau K beside it. Each row is solved for its own
  ! unknowns, with the coupling to the next row as five further right-hand sides, and put into the next.
  subroutine solve_line(r)
    real(dp), intent(inout) :: r(5, n)
    real(dp) :: diagonal(5, 5), beside(5, 5), with(5, 6), to_next(5, 5, n)
    integer :: row
    beside = -tau * k_matrix
    do row = 1, n
      diagonal = unit + 2 * tau * k_matrix
      with(:, 6) = r(:, row)
      if (row > 1) then
        diagonal = diagonal - matmul(beside, to_next(:, :, row - 1))
        with(:, 6) = with(:, 6) - matmul(beside, r(:, row - 1))
      end if
      with(:, 1:5) = beside
      call solve5(diagonal, with)
      to_next(:, :, row) = with(:, 1:5)
      r(:, row) = with(:, 6)
    end do
    do row = n - 1, 1, -1
      r(:, row) = r(:, row) - matmul(to_next(:, :, row), r(:, row + 1))
    end do
  end subroutine

  ! b = a^-1 b, by elimination without pivots: a is diagonally dominant.
  pure subroutine solve5(a, b)
    real(dp), intent(inout) :: a(5, 5), b(5, 6)
    integer :: row, below
    real(dp) :: factor
    do row = 1, 5
      do below = row + 1, 5
        factor = a(below, row) / a(row, row)
        a(below, row + 1:) = a(below, row + 1:) - factor * a(row, row + 1:)
        b(below, :) = b(below, :) - factor * b(row, :)
      end do
    end do
    do row = 5, 1, -1
      do below = row + 1, 5
        b(row, :) = b(row, :) - a(row, below) * b(below, :)
      end do
      b(row, :) = b(row, :) / a(row, row)
    end do
  end subroutine

  ! f (z in slabs) to `turned` (y in slabs), or back. The piece (y slab of p, z slab of q) goes between p and q.
  subroutine turn(there)
    logical, intent(in) :: there
    integer :: rank, requests(2 * (ranks - 1)), count, values, z
    values = 5 * n * m * m
    count = 0
    do rank = 0, ranks - 1
      if (rank == me) cycle
      count = count + 1
      call nas_begin_receive(incoming(:, :, :, :, rank), values, rank, 3, requests(count))
    end do
    do rank = 0, ranks - 1
      if (there) then
        outgoing(:, :, :, :, rank) = f(:, :, rank * m + 1:(rank + 1) * m, :)
      else
        outgoing(:, :, :, :, rank) = turned(:, :, :, rank * m + 1:(rank + 1) * m)
      end if
      if (rank == me) cycle
      count = count + 1
      call nas_begin_send(outgoing(:, :, :, :, rank), values, rank, 3, requests(count))
    end do
    call nas_wait(requests)
    incoming(:, :, :, :, me) = outgoing(:, :, :, :, me)
    do rank = 0, ranks - 1
      if (rank /= me) call nas_received(incoming(:, :, :, :, rank))
      do z = 1, m
        if (there) then
          turned(:, :, :, rank * m + z) = incoming(:, :, :, z, rank)
        else
          f(:, :, rank * m + 1:(rank + 1) * m, z) = incoming(:, :, :, z, rank)
        end if
      end do
    end do
  end subroutine
end program bt
