! What a Fortran program can tell whatwire about itself: marker.h, for any compiler of Fortran 2003. A module's compiled
! form belongs to one version of one compiler, so it comes as source: compile it with the program and link the same library.
!
!   mpif90 $(pkg-config --variable=fortran whatwire-marker) app.f90 $(pkg-config --libs whatwire-marker)
!
!   use whatwire
!   call ww_region_begin("solve")
!   call ww_value("residual", r)        ! or ww_value_double, ... by type
!   call ww_region_end("solve")
!
! Blanks at the end of a name or text do not count.
module whatwire
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_float, c_int, c_long, c_long_long, c_short, c_size_t
  implicit none
  private
  public :: ww_marker, ww_region_begin, ww_region_end, ww_pause, ww_resume, ww_dilate
  public :: ww_value, ww_value_double, ww_value_float, ww_value_long, ww_value_int, ww_value_short, ww_value_char

  ! c_long is the kind of one of the other integers, so only these can be told apart by type.
  interface ww_value
    module procedure ww_value_double, ww_value_float, ww_value_long_long, ww_value_int, ww_value_short, ww_value_char
  end interface

  interface
    subroutine ww_pause() bind(C, name="ww_pause")
    end subroutine
    subroutine ww_resume() bind(C, name="ww_resume")
    end subroutine
    subroutine ww_dilate(d) bind(C, name="ww_dilate")
      import :: c_double
      real(c_double), value :: d
    end subroutine
    subroutine c_marker(text, length) bind(C, name="ww_fortran_marker")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: text(*)
      integer(c_size_t), value :: length
    end subroutine
    subroutine c_value_real(name, length, number) bind(C, name="ww_fortran_value_real")
      import :: c_char, c_double, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      real(c_double), value :: number
    end subroutine
    subroutine c_value_integer(name, length, number) bind(C, name="ww_fortran_value_integer")
      import :: c_char, c_long_long, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
      integer(c_long_long), value :: number
    end subroutine
    subroutine c_region_begin(name, length) bind(C, name="ww_fortran_region_begin")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
    subroutine c_region_end(name, length) bind(C, name="ww_fortran_region_end")
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine
  end interface

contains

  subroutine ww_marker(text)
    character(len=*, kind=c_char), intent(in) :: text
    call c_marker(text, int(len(text), c_size_t))
  end subroutine

  subroutine ww_value_double(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    real(c_double), intent(in) :: number
    call c_value_real(name, int(len(name), c_size_t), number)
  end subroutine

  subroutine ww_value_float(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    real(c_float), intent(in) :: number
    call c_value_real(name, int(len(name), c_size_t), real(number, c_double))
  end subroutine

  subroutine ww_value_long(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    integer(c_long), intent(in) :: number
    call c_value_integer(name, int(len(name), c_size_t), int(number, c_long_long))
  end subroutine

  subroutine ww_value_long_long(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    integer(c_long_long), intent(in) :: number
    call c_value_integer(name, int(len(name), c_size_t), number)
  end subroutine

  subroutine ww_value_int(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    integer(c_int), intent(in) :: number
    call c_value_integer(name, int(len(name), c_size_t), int(number, c_long_long))
  end subroutine

  subroutine ww_value_short(name, number)
    character(len=*, kind=c_char), intent(in) :: name
    integer(c_short), intent(in) :: number
    call c_value_integer(name, int(len(name), c_size_t), int(number, c_long_long))
  end subroutine

  subroutine ww_value_char(name, letter)
    character(len=*, kind=c_char), intent(in) :: name
    character(kind=c_char), intent(in) :: letter
    call c_value_integer(name, int(len(name), c_size_t), int(iachar(letter), c_long_long))
  end subroutine

  subroutine ww_region_begin(name)
    character(len=*, kind=c_char), intent(in) :: name
    call c_region_begin(name, int(len(name), c_size_t))
  end subroutine

  subroutine ww_region_end(name)
    character(len=*, kind=c_char), intent(in) :: name
    call c_region_end(name, int(len(name), c_size_t))
  end subroutine
end module
