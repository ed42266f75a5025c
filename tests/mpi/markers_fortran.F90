! As markers.c.
program markers
  use mpi
  use whatwire
  use, intrinsic :: iso_c_binding, only: c_int, c_long, c_short, c_long_long
  implicit none
  interface
    function c_usleep(us) bind(C, name="usleep")
      import :: c_int
      integer(c_int), value :: us
      integer(c_int) :: c_usleep
    end function
  end interface
  integer :: ierror, rank, i, total, given, ignored
  character(len=64) :: message
  character(len=12) :: name

  call ww_marker("too early")
  call ww_region_begin("early")
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call ww_dilate(4d0)  ! which does nothing here
  name = "begun"
  call ww_marker(name)     ! with blanks at its end
  call ww_region_begin("steps")
  total = 1
  do i = 0, 2
    call ww_region_begin("step")
    name = "double"
    call ww_value_double(name, 1.0d0 / 2**i)
    call ww_value("float", 0.5 * i)
    call ww_value_long("long", -10000000000_c_long * i)
    call ww_value("int", i - 1)
    call ww_value("short", int(-i, c_short))
    call ww_value("char", achar(iachar("a") + i))
    ignored = c_usleep(20000_c_int)
    given = total
    call MPI_Allreduce(given, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call ww_region_end("step")
  end do
  call ww_region_end("steps")
  do i = 0, 5
    message = ""
    if (i == 2) then
      call ww_pause()
      call ww_marker("while paused")
    end if
    if (i == 4) call ww_resume()
    if (rank == 0) call MPI_Send(message, 8 * (i + 1), MPI_CHARACTER, 1, 1, MPI_COMM_WORLD, ierror)
    if (rank == 1) call MPI_Recv(message, 64, MPI_CHARACTER, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call ww_region_begin("outer")
  call ww_region_begin("inner")
  call ww_region_end("outer")
  call ww_region_end("inner")
  call ww_region_end("never begun")
  call MPI_Finalize(ierror)
  call ww_region_end("early")
  call ww_marker("too late")
  print '(a,i0,a,i0)', "rank ", rank, ": ", total
  if (rank == 0) then
    flush (6)
    ignored = c_usleep(300000_c_int)  ! the launcher ends the other rank when one returns an error
    stop 5
  end if
end program
