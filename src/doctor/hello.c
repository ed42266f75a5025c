/* ww-hello-openmpi, ww-hello-mpich: the ranks pass a small and a large message round and look at what they
   got. Exit code 0: it arrived. Started by `whatwire doctor`. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { large = 1 << 20 };
static char sent[large], got[large];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, right = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(sent, 'a' + rank % 26, sizeof sent);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  static const int sizes[2] = {8, large};
  for (int i = 0; i < 2; ++i) {
    const int bytes = sizes[i];
    memset(got, 0, sizeof got);
    MPI_Sendrecv(sent, bytes, MPI_CHAR, next, 0, got, bytes, MPI_CHAR, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    right += got[0] == 'a' + before % 26 && got[bytes - 1] == got[0];
  }
  if (right != 2 || size < 2) fprintf(stderr, "%d ranks; rank %d got %d of 2 messages\n", size, rank, right);
  MPI_Finalize();
  return right == 2 && size > 1 ? 0 : 1;
}
