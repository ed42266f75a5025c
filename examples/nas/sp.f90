! Scalar pentadiagonal systems: five independent quantities on n^3 points, walls at zero, each advanced by implicit steps
! that are split by direction,  Px Py Pz du = tau kappa L u,  L the seven-point Laplacian and P = 1 + a T + b T^2 with T
! the second difference: along every line a pentadiagonal system. y and z are cut into as many slabs as there are ranks
! P; cell (j, k) of these P x P belongs to rank mod(j + k, P), so that every rank has one cell of each slab in y and of
! each in z. While a sweep passes through the slabs all ranks work, each on its cell there, and hand two rows of every
! line on to the next rank in a ring, and back with the solution (MPI_Isend, MPI_Recv). Before each step faces go both
! ways (MPI_Isend, MPI_Irecv, MPI_Waitall).
!
! Verified exactly: the sines are eigenfunctions of T, of L and of P alike, so a step multiplies each of them by
! 1 - tau kappa (mx + my + mz) / (p(mx) p(my) p(mz)),  m = 4 sin^2(q pi / (2 (n + 1))),  p(m) = 1 + a m + b m^2.
!   mpirun -n 2 sp --class S
program sp
  use nas
  use mpi
  implicit none
  real(dp), parameter :: pi = 3.141592653589793238_dp, tau = 0.4_dp
  real(dp), parameter :: kappa(5) = [1.0_dp, 0.8_dp, 0.6_dp, 1.2_dp, 0.9_dp]
  real(dp), parameter :: a(5) = tau * kappa, b(5) = 0.05_dp * kappa
  integer, parameter :: mode(3, 2, 5) = reshape( &  ! two products of sines a quantity
    [1, 1, 1, 3, 2, 1, 2, 1, 1, 1, 4, 2, 1, 2, 1, 5, 1, 3, 1, 1, 2, 2, 3, 4, 2, 2, 1, 1, 6, 5], [3, 2, 5])
  character(len=1) :: class
  character(len=64) :: did
  integer :: n, m, steps, step, next, previous, ierr
  real(dp) :: start_s, time_s, error, largest
  ! cell c of this rank is slab c in y and slab z_slab(c) in z; u has one more point on each side in y and z
  real(dp), allocatable :: u(:, :, :, :, :), f(:, :, :, :, :), g(:, :, :, :, :), h(:, :, :, :, :)
  real(dp), allocatable, asynchronous :: handed(:)
  integer :: on_its_way(1) = MPI_REQUEST_NULL
  real(dp), allocatable :: face(:, :, :, :), carry(:, :, :, :), solved(:, :, :, :)

  call nas_start('sp', 'Scalar pentadiagonal systems: sweeps through cells, in a ring.', class)
  n = merge(8, merge(36, 12, class == 'W'), class == 'T')
  steps = merge(6, merge(25, merge(5, 100, class == 'W'), class == 'S'), class == 'T')
  m = n / ranks
  next = mod(me + 1, ranks)
  previous = mod(me + ranks - 1, ranks)
  allocate (u(5, n, 0:m + 1, 0:m + 1, 0:ranks - 1), f(5, n, m, m, 0:ranks - 1))
  allocate (g, h, mold=f)
  allocate (face(5, n, m, 4 * (ranks - 1)), carry(5, 6, max(n, m), max(n, m)), solved(5, 2, max(n, m), max(n, m)))
  u = 0
  call for_known(0, .true.)

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  start_s = MPI_Wtime()
  do step = 1, steps
    call exchange_faces()
    call right_hand_side()
    call sweep(1)
    call sweep(2)
    call sweep(3)
    u(:, :, 1:m, 1:m, :) = u(:, :, 1:m, 1:m, :) + f
  end do
  time_s = MPI_Wtime() - start_s

  call for_known(steps, .false.)
  write (did, '(i0, a, i0, a)') n, '^3 points, ', steps, ' steps'
  error = nas_reduce(error, MPI_MAX)
  largest = nas_reduce(largest, MPI_MAX)
  call nas_finish('sp', class, trim(did), time_s, [check('error against the analytic result', error / largest, 1e-11_dp)])

contains

  integer function z_slab(c)
    integer, intent(in) :: c
    z_slab = modulo(me - c, ranks)
  end function

  ! The known field after `after` steps: u is set to it, or compared with it.
  subroutine for_known(after, set)
    integer, intent(in) :: after
    logical, intent(in) :: set
    integer :: c, i, j, k, q, w, at(3)
    real(dp) :: factor(2, 5), value, mu(3)
    do q = 1, 5
      do w = 1, 2
        mu = 4 * sin(mode(:, w, q) * pi / (2 * (n + 1)))**2
        factor(w, q) = (1 - tau * kappa(q) * sum(mu) / product(1 + a(q) * mu + b(q) * mu**2))**after
      end do
    end do
    error = 0
    largest = 0
    do c = 0, ranks - 1
      do k = 1, m
        do j = 1, m
          do i = 1, n
            at = [i, c * m + j, z_slab(c) * m + k]
            do q = 1, 5
              value = 0
              do w = 1, 2
                value = value + factor(w, q) * product(sin(mode(:, w, q) * at * pi / (n + 1))) / w
              end do
              if (set) u(q, i, j, k, c) = value
              error = max(error, abs(u(q, i, j, k, c) - value))
              largest = max(largest, abs(value))
            end do
          end do
        end do
      end do
    end do
  end subroutine

  ! The neighbours above, in y and in z, of all cells belong to the next rank, those below to the previous one.
  subroutine exchange_faces()
    integer :: c, side, count, requests(4), half
    half = 2 * (ranks - 1)
    do side = 0, 1  ! 0: upward
      count = side * half
      do c = side, ranks - 2 + side
        count = count + 1
        face(:, :, :, count) = u(:, :, merge(1, m, side == 1), 1:m, c)
      end do
      do c = 0, ranks - 1
        if (z_slab(c) == merge(0, ranks - 1, side == 1)) cycle
        count = count + 1
        face(:, :, :, count) = u(:, :, 1:m, merge(1, m, side == 1), c)
      end do
    end do
    call swap_faces(half, requests)
    do side = 0, 1  ! 0: what comes from below
      count = side * half
      do c = 1 - side, ranks - 1 - side
        count = count + 1
        u(:, :, merge(m + 1, 0, side == 1), 1:m, c) = face(:, :, :, count)
      end do
      do c = 0, ranks - 1  ! in the order of the sender's cells, which are the same slabs in y
        if (z_slab(c) == merge(ranks - 1, 0, side == 1)) cycle
        count = count + 1
        u(:, :, 1:m, merge(m + 1, 0, side == 1), c) = face(:, :, :, count)
      end do
    end do
  end subroutine

  subroutine swap_faces(half, requests)
    integer, intent(in) :: half
    integer, intent(out) :: requests(4)
    real(dp) :: incoming(5, n, m, 2 * half)
    integer :: values
    values = 5 * n * m * half
    call nas_begin_receive(incoming, values, previous, 1, requests(1))
    call nas_begin_receive(incoming(:, :, :, half + 1:), values, next, 2, requests(2))
    call nas_begin_send(face, values, next, 1, requests(3))
    call nas_begin_send(face(:, :, :, half + 1:), values, previous, 2, requests(4))
    call nas_wait(requests)
    call nas_received(incoming)
    call nas_received(incoming(:, :, :, half + 1:))
    face = incoming
  end subroutine

  subroutine right_hand_side()
    integer :: c, i, j, k
    real(dp) :: along_x(5)
    do c = 0, ranks - 1
      do k = 1, m
        do j = 1, m
          do i = 1, n
            along_x = 0
            if (i > 1) along_x = along_x + u(:, i - 1, j, k, c)
            if (i < n) along_x = along_x + u(:, i + 1, j, k, c)
            f(:, i, j, k, c) = tau * kappa * (along_x + u(:, i, j - 1, k, c) + u(:, i, j + 1, k, c) &
              + u(:, i, j, k - 1, c) + u(:, i, j, k + 1, c) - 6 * u(:, i, j, k, c))
          end do
        end do
      end do
    end do
  end subroutine

  ! f = P^-1 f along x, y or z. Through the slabs and back; in x every cell has all of its lines.
  subroutine sweep(direction)
    integer, intent(in) :: direction
    integer :: slab, c
    if (direction == 1) then
      do c = 0, ranks - 1
        carry = 0
        call eliminate(1, c, 0)
        solved = 0
        call substitute(1, c)
      end do
      return
    end if
    carry = 0
    do slab = 0, ranks - 1
      c = merge(slab, z_slab(slab), direction == 2)
      if (slab > 0) call take(carry, 6, previous)
      call eliminate(direction, c, slab)
      if (slab < ranks - 1) call hand_on(carry, 6, next)
    end do
    solved = 0
    do slab = ranks - 1, 0, -1
      c = merge(slab, z_slab(slab), direction == 2)
      if (slab < ranks - 1) call take(solved, 2, next)
      call substitute(direction, c)
      if (slab > 0) call hand_on(solved, 2, previous)
    end do
  end subroutine

  ! The next slab is begun while the rows are on their way.
  subroutine hand_on(rows, per_line, rank)
    integer, intent(in) :: per_line, rank
    real(dp), intent(in) :: rows(:, :, :, :)
    handed = reshape(rows(:, :, 1:n, 1:m), [5 * per_line * n * m])
    call nas_begin_send(handed, size(handed), rank, 3, on_its_way(1))
  end subroutine

  subroutine take(rows, per_line, rank)
    integer, intent(in) :: per_line, rank
    real(dp), intent(inout) :: rows(:, :, :, :)
    real(dp) :: packed(5, per_line, n, m)
    call nas_receive(packed, size(packed), rank, 3)
    call nas_wait(on_its_way)
    rows(:, :, 1:n, 1:m) = packed
  end subroutine

  ! Point q of line (l1, l2) along a direction.
  pure subroutine place(direction, q, l1, l2, i, j, k)
    integer, intent(in) :: direction, q, l1, l2
    integer, intent(out) :: i, j, k
    i = merge(q, l1, direction == 1)
    j = merge(q, merge(l1, l2, direction == 1), direction == 2)
    k = merge(q, l2, direction == 3)
  end subroutine

  ! Row by row x(q) + g x(q+1) + h x(q+2) = f, from the two rows before, which `carry` brings (g, h, f of each; none
  ! before the first, which is as if all three were zero) and takes on.
  subroutine eliminate(direction, c, slab)
    integer, intent(in) :: direction, c, slab
    integer :: q, l1, l2, i, j, k, length, last
    real(dp), dimension(5) :: outer, inner, middle, pivot, g1, h1, f1, g2, h2, f2
    length = merge(n, m, direction == 1)
    last = merge(0, ranks - 1, direction == 1)
    do l2 = 1, m
      do l1 = 1, merge(m, n, direction == 1)
        g2 = carry(:, 1, l1, l2); h2 = carry(:, 2, l1, l2); f2 = carry(:, 3, l1, l2)
        g1 = carry(:, 4, l1, l2); h1 = carry(:, 5, l1, l2); f1 = carry(:, 6, l1, l2)
        do q = 1, length
          call place(direction, q, l1, l2, i, j, k)
          outer = b
          inner = -a - 4 * b
          middle = 1 + 2 * a + 6 * b
          if ((q == 1 .and. slab == 0) .or. (q == length .and. slab == last)) middle = middle - b
          inner = inner - outer * g2
          pivot = 1 / (middle - outer * h2 - inner * g1)
          f2 = (f(:, i, j, k, c) - outer * f2 - inner * f1) * pivot
          g2 = (-a - 4 * b - inner * h1) * pivot
          h2 = outer * pivot
          call swap(g1, g2)
          call swap(h1, h2)
          call swap(f1, f2)
          g(:, i, j, k, c) = g1
          h(:, i, j, k, c) = h1
          f(:, i, j, k, c) = f1
        end do
        carry(:, 1, l1, l2) = g2; carry(:, 2, l1, l2) = h2; carry(:, 3, l1, l2) = f2
        carry(:, 4, l1, l2) = g1; carry(:, 5, l1, l2) = h1; carry(:, 6, l1, l2) = f1
      end do
    end do
  end subroutine

  pure subroutine swap(x, y)
    real(dp), intent(inout) :: x(5), y(5)
    real(dp) :: z(5)
    z = x
    x = y
    y = z
  end subroutine

  ! Back from the last point; `solved` brings the two after it, zero beyond the wall.
  subroutine substitute(direction, c)
    integer, intent(in) :: direction, c
    integer :: q, l1, l2, i, j, k
    real(dp), dimension(5) :: x1, x2, x
    do l2 = 1, m
      do l1 = 1, merge(m, n, direction == 1)
        x1 = solved(:, 1, l1, l2)
        x2 = solved(:, 2, l1, l2)
        do q = merge(n, m, direction == 1), 1, -1
          call place(direction, q, l1, l2, i, j, k)
          x = f(:, i, j, k, c) - g(:, i, j, k, c) * x1 - h(:, i, j, k, c) * x2
          f(:, i, j, k, c) = x
          x2 = x1
          x1 = x
        end do
        solved(:, 1, l1, l2) = x1
        solved(:, 2, l1, l2) = x2
      end do
    end do
  end subroutine
end program sp
