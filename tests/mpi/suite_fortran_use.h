#ifdef USE_MPIF
  use suite
  implicit none
  include 'mpif.h'
#elif defined USE_F08
  use mpi_f08
  use suite
  implicit none
#else
  use mpi
  use suite
  implicit none
#endif
