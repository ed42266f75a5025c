! Lower and upper sweeps: symmetric successive over-relaxation of a system of five unknowns a point on n^3 points, each
! coupled to the same unknowns of its six neighbours and, in blocks of 5 x 5 that differ from point to point, to the
! others of its own point. The cube is cut in x, on four ranks in x and y. The sweep from the lower corner needs the new
! values of the neighbours below, so a plane of z is worked on as soon as the lines of it that border on it have come,
! and its own last lines are sent on: a wavefront, one or two small messages a plane (MPI_Send, MPI_Recv); the sweep back
! mirrors it. In between whole faces are exchanged for the residual (MPI_Isend, MPI_Irecv, MPI_Waitall).
!
! Verified against the same sweeps done by each rank alone on the whole cube (the order of the arithmetic is the same,
! so the first three steps are equal to the last bit), and against the solution, which the right-hand side was made from.
! A step leaves 0.35 of the residual on 8^3 points, 0.5 on larger cubes, however many ranks there are; 0.6 is allowed.
! Class S has lines of 960 bytes: shorter ones TCP joins to fewer frames when several wait, which no replay knows.
!   mpirun -n 2 lu --class S
module lu_piece
  use nas
  use mpi
  implicit none
  real(dp), parameter :: omega = 1.2_dp, most = 0.6_dp
  integer, parameter :: largest = 40
  integer, private :: angle
  ! of whole numbers
  real(dp), parameter :: cosine(0:25 + 6 * largest) = [(cos(real(angle, dp)), angle=0, 25 + 6 * largest)]
  real(dp), parameter :: sine(0:5 * largest + largest**2) = [(sin(real(angle, dp)), angle=0, 5 * largest + largest**2)]

  ! Points 1..nx, 1..ny, 1..n of the cube from (x0 + 1, y0 + 1, 1) on; one more on each side, zero beyond the cube.
  type :: piece
    integer :: n, nx, ny, x0, y0, west, east, south, north
    real(dp), allocatable :: u(:, :, :, :), f(:, :, :, :)
  end type

contains

  ! The block of a point, by its place in the cube: diagonally dominant, and symmetric.
  pure function block_at(i, j, k) result(m)
    integer, intent(in) :: i, j, k
    real(dp) :: m(5, 5)
    integer :: c, d
    do d = 1, 5
      do c = 1, 5
        m(c, d) = 0.1_dp * cosine(c * d + i + 2 * j + 3 * k)
      end do
      m(d, d) = 6.8_dp + 0.1_dp * sine(d * i + j * k)
    end do
  end function

  ! The solution, zero outside of the cube.
  pure function solution_at(n, i, j, k) result(u)
    integer, intent(in) :: n, i, j, k
    real(dp) :: u(5)
    integer :: c
    u = 0
    if (min(i, j, k) < 1 .or. max(i, j, k) > n) return
    do c = 1, 5
      u(c) = sin(0.4_dp * c * i + 0.3_dp * j) * cos(0.2_dp * c * k) + 0.1_dp * c
    end do
  end function

  ! x with m x = b, by elimination without pivots.
  pure subroutine solve5(m, b)
    real(dp), intent(inout) :: m(5, 5), b(5)
    integer :: row, below
    real(dp) :: factor
    do row = 1, 5
      do below = row + 1, 5
        factor = m(below, row) / m(row, row)
        m(below, row + 1:) = m(below, row + 1:) - factor * m(row, row + 1:)
        b(below) = b(below) - factor * b(row)
      end do
    end do
    do row = 5, 1, -1
      b(row) = (b(row) - dot_product(m(row, row + 1:), b(row + 1:))) / m(row, row)
    end do
  end subroutine

  subroutine make(p, n, nx, ny, x0, y0)
    type(piece), intent(inout) :: p
    integer, intent(in) :: n, nx, ny, x0, y0
    integer :: i, j, k, x, y
    p%n = n; p%nx = nx; p%ny = ny; p%x0 = x0; p%y0 = y0
    p%west = MPI_PROC_NULL; p%east = MPI_PROC_NULL; p%south = MPI_PROC_NULL; p%north = MPI_PROC_NULL
    allocate (p%u(5, 0:nx + 1, 0:ny + 1, 0:n + 1), p%f(5, nx, ny, n))
    p%u = 0
    do k = 1, n
      do j = 1, ny
        do i = 1, nx
          x = x0 + i
          y = y0 + j
          p%f(:, i, j, k) = matmul(block_at(x, y, k), solution_at(n, x, y, k)) &
            - solution_at(n, x - 1, y, k) - solution_at(n, x + 1, y, k) - solution_at(n, x, y - 1, k) &
            - solution_at(n, x, y + 1, k) - solution_at(n, x, y, k - 1) - solution_at(n, x, y, k + 1)
        end do
      end do
    end do
  end subroutine

  pure function residual_at(p, i, j, k) result(r)
    type(piece), intent(in) :: p
    integer, intent(in) :: i, j, k
    real(dp) :: r(5), m(5, 5)
    integer :: c
    r = p%f(:, i, j, k) + p%u(:, i - 1, j, k) + p%u(:, i + 1, j, k) + p%u(:, i, j - 1, k) + p%u(:, i, j + 1, k) &
      + p%u(:, i, j, k - 1) + p%u(:, i, j, k + 1)
    m = block_at(p%x0 + i, p%y0 + j, k)
    do c = 1, 5
      r = r - m(:, c) * p%u(c, i, j, k)
    end do
  end function

  subroutine relax(p, i, j, k)
    type(piece), intent(inout) :: p
    integer, intent(in) :: i, j, k
    real(dp) :: m(5, 5), change(5)
    m = block_at(p%x0 + i, p%y0 + j, k)
    change = residual_at(p, i, j, k)
    call solve5(m, change)
    p%u(:, i, j, k) = p%u(:, i, j, k) + omega * change
  end subroutine

  ! From the lower corner to the upper (step 1) or back (-1).
  subroutine sweep(p, step)
    type(piece), intent(inout) :: p
    integer, intent(in) :: step
    integer :: i, j, k, from_x, from_y, to_x, to_y, i_in, j_in, i_out, j_out
    real(dp) :: line(5, max(p%nx, p%ny))
    from_x = merge(p%west, p%east, step > 0)
    to_x = merge(p%east, p%west, step > 0)
    from_y = merge(p%south, p%north, step > 0)
    to_y = merge(p%north, p%south, step > 0)
    i_in = merge(0, p%nx + 1, step > 0)
    j_in = merge(0, p%ny + 1, step > 0)
    i_out = merge(p%nx, 1, step > 0)
    j_out = merge(p%ny, 1, step > 0)
    do k = merge(1, p%n, step > 0), merge(p%n, 1, step > 0), step
      if (from_x /= MPI_PROC_NULL) then
        call nas_receive(line, 5 * p%ny, from_x, 1)
        p%u(:, i_in, 1:p%ny, k) = line(:, 1:p%ny)
      end if
      if (from_y /= MPI_PROC_NULL) then
        call nas_receive(line, 5 * p%nx, from_y, 2)
        p%u(:, 1:p%nx, j_in, k) = line(:, 1:p%nx)
      end if
      do j = merge(1, p%ny, step > 0), merge(p%ny, 1, step > 0), step
        do i = merge(1, p%nx, step > 0), merge(p%nx, 1, step > 0), step
          call relax(p, i, j, k)
        end do
      end do
      if (to_x /= MPI_PROC_NULL) then
        line(:, 1:p%ny) = p%u(:, i_out, 1:p%ny, k)
        call nas_send(line, 5 * p%ny, to_x, 1)
      end if
      if (to_y /= MPI_PROC_NULL) then
        line(:, 1:p%nx) = p%u(:, 1:p%nx, j_out, k)
        call nas_send(line, 5 * p%nx, to_y, 2)
      end if
    end do
  end subroutine

  ! All four faces to the neighbours.
  subroutine exchange_faces(p)
    type(piece), intent(inout) :: p
    real(dp) :: out_x(5, p%ny, p%n, 2), in_x(5, p%ny, p%n, 2), out_y(5, p%nx, p%n, 2), in_y(5, p%nx, p%n, 2)
    integer :: requests(8), size_x, size_y
    size_x = 5 * p%ny * p%n
    size_y = 5 * p%nx * p%n
    out_x(:, :, :, 1) = p%u(:, 1, 1:p%ny, 1:p%n)
    out_x(:, :, :, 2) = p%u(:, p%nx, 1:p%ny, 1:p%n)
    out_y(:, :, :, 1) = p%u(:, 1:p%nx, 1, 1:p%n)
    out_y(:, :, :, 2) = p%u(:, 1:p%nx, p%ny, 1:p%n)
    call nas_begin_receive(in_x(:, :, :, 1), size_x, p%west, 3, requests(1))
    call nas_begin_receive(in_x(:, :, :, 2), size_x, p%east, 4, requests(2))
    call nas_begin_receive(in_y(:, :, :, 1), size_y, p%south, 5, requests(3))
    call nas_begin_receive(in_y(:, :, :, 2), size_y, p%north, 6, requests(4))
    call nas_begin_send(out_x(:, :, :, 2), size_x, p%east, 3, requests(5))
    call nas_begin_send(out_x(:, :, :, 1), size_x, p%west, 4, requests(6))
    call nas_begin_send(out_y(:, :, :, 2), size_y, p%north, 5, requests(7))
    call nas_begin_send(out_y(:, :, :, 1), size_y, p%south, 6, requests(8))
    call nas_wait(requests)
    if (p%west /= MPI_PROC_NULL) p%u(:, 0, 1:p%ny, 1:p%n) = in_x(:, :, :, 1)
    if (p%east /= MPI_PROC_NULL) p%u(:, p%nx + 1, 1:p%ny, 1:p%n) = in_x(:, :, :, 2)
    if (p%south /= MPI_PROC_NULL) p%u(:, 1:p%nx, 0, 1:p%n) = in_y(:, :, :, 1)
    if (p%north /= MPI_PROC_NULL) p%u(:, 1:p%nx, p%ny + 1, 1:p%n) = in_y(:, :, :, 2)
  end subroutine
end module lu_piece

program lu
  use lu_piece
  implicit none
  integer, parameter :: compared_steps = 3
  character(len=1) :: class
  character(len=64) :: did
  type(piece) :: own, whole
  integer :: n, steps, step, i, j, k, across, ierr
  real(dp) :: start_s, time_s, first_norm, last_norm, difference, error
  real(dp), allocatable :: compared(:, :, :, :)

  call nas_start('lu', 'Symmetric over-relaxation: wavefronts of small messages, and faces.', class)
  n = merge(8, merge(24, merge(36, 12, class == 'W'), class == 'S'), class == 'T')
  steps = merge(50, 20, class == 'Z')
  across = ranks / 2  ! in y
  allocate (compared(5, 0:n / 2 + 1, 0:n / across + 1, 0:n + 1))
  call make(own, n, n / 2, n / across, mod(me, 2) * (n / 2), (me / 2) * (n / across))
  if (mod(me, 2) == 1) own%west = me - 1
  if (mod(me, 2) == 0) own%east = me + 1
  if (me >= 2) own%south = me - 2
  if (me + 2 < ranks) own%north = me + 2

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  start_s = MPI_Wtime()
  first_norm = norm()
  do step = 1, steps
    call sweep(own, 1)
    call sweep(own, -1)
    call exchange_faces(own)
    last_norm = norm()
    if (step == compared_steps) compared = own%u
  end do
  time_s = MPI_Wtime() - start_s

  call make(whole, n, n, n, 0, 0)
  do step = 1, compared_steps
    call sweep(whole, 1)
    call sweep(whole, -1)
  end do
  difference = 0
  error = 0
  do k = 1, n
    do j = 1, own%ny
      do i = 1, own%nx
        difference = max(difference, maxval(abs(compared(:, i, j, k) - whole%u(:, own%x0 + i, own%y0 + j, k))))
        error = max(error, maxval(abs(own%u(:, i, j, k) - solution_at(n, own%x0 + i, own%y0 + j, k))))
      end do
    end do
  end do
  write (did, '(i0, a, i0, a)') n, '^3 points, ', steps, ' steps'
  call nas_finish('lu', class, trim(did), time_s, &
    [check('what a step leaves of the residual', (last_norm / first_norm)**(1.0_dp / steps), most), &
     check('difference to one rank alone', nas_reduce(difference, MPI_MAX), 0.0_dp), &
     check('error against the solution', nas_reduce(error, MPI_MAX), 10 * most**steps)])

contains

  real(dp) function norm()
    real(dp) :: squares
    squares = 0
    do k = 1, n
      do j = 1, own%ny
        do i = 1, own%nx
          squares = squares + sum(residual_at(own, i, j, k)**2)
        end do
      end do
    end do
    norm = sqrt(nas_reduce(squares, MPI_SUM))
  end function
end program lu
