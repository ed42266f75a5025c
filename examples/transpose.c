/* Transposes a dense N x N matrix of doubles that is distributed by rows, by derived datatypes: nothing is
 * packed by hand.
 *
 * Rank p owns some rows of A and shall own the same rows of its transpose B. For every other rank q, the
 * piece of A that lies in p's rows and q's columns is sent column by column (a datatype for one column of p's
 * rows, sent once for each of q's columns) and received row by row, so that the columns arrive as rows. All
 * pieces travel at once in both directions.
 *
 * First a matrix of 6 x 6 holding 0..35, which can be shown (--show); then N x N, R times, every element
 * checked. mpirun -n 2 transpose --size 480 --repeat 4 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks, me;
static long long sent_messages, sent_bytes; /* point-to-point */

static int usage(int exit_code) {
  if (me == 0)
    fprintf(exit_code == 0 ? stdout : stderr,
            "usage: mpirun -n P transpose [--size N] [--repeat R] [--show]\n"
            "Transposes an N x N matrix of doubles, distributed by rows, R times, and checks every element.\n"
            "  --size    rows and columns (480); two ranks exchange pieces of (N/P) * (N/P) * 8 bytes\n"
            "  --repeat  how often (4)\n"
            "  --show    print the 6 x 6 matrix before and after\n");
  return exit_code;
}

static int first_row(int n, int rank) {
  return (int)((long long)n * rank / ranks);
}
static int row_count(int n, int rank) {
  return first_row(n, rank + 1) - first_row(n, rank);
}

/* b = transpose of a; both hold this rank's rows of an n x n matrix. */
static void transpose(int n, const double* a, double* b) {
  const int mine = row_count(n, me), first = first_row(n, me);
  MPI_Request* requests = malloc(2 * (size_t)ranks * sizeof *requests);
  int pending = 0;
  MPI_Datatype strided, column;
  MPI_Type_vector(mine, 1, n, MPI_DOUBLE, &strided); /* one column of this rank's rows ... */
  MPI_Type_create_resized(strided, 0, (MPI_Aint)sizeof(double),
                          &column); /* ... the next begins one element further */
  MPI_Type_commit(&column);
  for (int step = 1; step < ranks; ++step) {
    const int from = (me + ranks - step) % ranks;
    const int theirs = row_count(n, from);
    if (mine == 0 || theirs == 0) continue;
    MPI_Datatype rows; /* this rank's rows, as far as they are columns of `from` */
    MPI_Type_vector(mine, theirs, n, MPI_DOUBLE, &rows);
    MPI_Type_commit(&rows);
    MPI_Irecv(b + first_row(n, from), 1, rows, from, 0, MPI_COMM_WORLD, &requests[pending++]);
    MPI_Type_free(&rows); /* lives on until the receive is complete */
  }
  for (int step = 1; step < ranks; ++step) {
    const int to = (me + step) % ranks;
    const int theirs = row_count(n, to);
    if (mine == 0 || theirs == 0) continue;
    MPI_Isend(a + first_row(n, to), theirs, column, to, 0, MPI_COMM_WORLD, &requests[pending++]);
    sent_messages += 1;
    sent_bytes += (long long)mine * theirs * (long long)sizeof(double);
  }
  for (int i = 0; i < mine; ++i) /* the piece that stays */
    for (int j = 0; j < mine; ++j)
      b[(size_t)j * (size_t)n + (size_t)(first + i)] = a[(size_t)i * (size_t)n + (size_t)(first + j)];
  MPI_Waitall(pending, requests, MPI_STATUSES_IGNORE);
  MPI_Type_free(&column);
  MPI_Type_free(&strided);
  free(requests);
}

/* Element (i, j) of the matrix in round r; different for every element and round, and exact in a double. */
static double element(int n, int i, int j, int r) {
  return (double)i * n + j + 0.25 * r;
}

static double* new_rows(int n) {
  return malloc(((size_t)row_count(n, me) * (size_t)n + 1) * sizeof(double));
}

static void fill(int n, double* a, int r) {
  for (int i = 0; i < row_count(n, me); ++i)
    for (int j = 0; j < n; ++j) a[(size_t)i * (size_t)n + (size_t)j] = element(n, first_row(n, me) + i, j, r);
}

static long long count_wrong(int n, const double* b, int r) {
  long long wrong = 0;
  for (int i = 0; i < row_count(n, me); ++i)
    for (int j = 0; j < n; ++j)
      wrong += b[(size_t)i * (size_t)n + (size_t)j] != element(n, j, first_row(n, me) + i, r);
  return wrong;
}

static void show(const char* title, int n, const double* rows) {
  int* counts = malloc((size_t)ranks * sizeof *counts);
  int* places = malloc((size_t)ranks * sizeof *places);
  double* all = malloc((size_t)n * (size_t)n * sizeof *all);
  for (int rank = 0; rank < ranks; ++rank) {
    counts[rank] = row_count(n, rank) * n;
    places[rank] = first_row(n, rank) * n;
  }
  MPI_Gatherv(rows, counts[me], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (me == 0) {
    puts(title);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) printf("%4.0f%s", all[i * n + j], j + 1 < n ? "" : "\n");
  }
  free(all);
  free(places);
  free(counts);
}

/* One matrix, `repeat` times; gives the number of wrong elements on this rank. */
static long long check(int n, int repeat, int show_it) {
  double *a = new_rows(n), *b = new_rows(n);
  long long wrong = 0;
  for (int r = 0; r < repeat; ++r) {
    fill(n, a, r);
    memset(b, 0xff,
           (size_t)row_count(n, me) * (size_t)n * sizeof *b); /* not a number: what does not arrive is seen */
    transpose(n, a, b);
    wrong += count_wrong(n, b, r);
  }
  if (show_it) {
    show("before", n, a);
    show("after", n, b);
  }
  free(b);
  free(a);
  return wrong;
}

static int run(int argc, char** argv) {
  int size = 480, repeat = 4, show_it = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0) return usage(0);
    if (strcmp(argv[i], "--show") == 0)
      show_it = 1;
    else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
      size = atoi(argv[++i]);
    else if (strcmp(argv[i], "--repeat") == 0 && i + 1 < argc)
      repeat = atoi(argv[++i]);
    else
      return usage(2);
  }
  if (size < 1 || size > 40000 || repeat < 1) return usage(2);

  long long wrong = check(6, 1, show_it);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  wrong += check(size, repeat, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time_s = MPI_Wtime() - start_s;

  long long all_wrong = 0;
  MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0)
    printf("transpose: %d x %d on %d ranks, %d times\ntime %.6f s\n", size, size, ranks, repeat, time_s);
  const long long own[2] = {sent_messages, sent_bytes};
  long long* all = malloc(2 * (size_t)ranks * sizeof *all);
  MPI_Gather(own, 2, MPI_LONG_LONG, all, 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int rank = 0; me == 0 && rank < ranks; ++rank)
    printf("rank %d sent %lld messages %lld bytes\n", rank, all[2 * rank], all[2 * rank + 1]);
  free(all);
  if (me == 0 && all_wrong == 0) puts("verified");
  if (me == 0 && all_wrong != 0) printf("WRONG: %lld elements\n", all_wrong);
  return all_wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const int exit_code = run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
