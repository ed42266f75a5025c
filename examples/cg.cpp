// Conjugate gradients on a sparse matrix, distributed by rows.
//
// The matrix is the 27-point stencil on a box of nx x ny x nz points (26 on the diagonal, -1 for each
// neighbour), stored in compressed rows. Each rank owns a run of rows. What has to be exchanged before a
// product is not written down anywhere: it is found in the matrix, as the columns that belong to other ranks.
// Each iteration sends these (medium messages, MPI_Isend / MPI_Irecv / MPI_Waitall) and needs two sums over
// all ranks (MPI_Allreduce of 8 bytes). The preconditioner is a number of symmetric Gauss-Seidel sweeps over
// the rank's own rows and columns (block Jacobi): computation that needs no message and saves iterations.
//
// The right-hand side is made from a known solution, so that the result can be verified.
//   mpirun -n 2 cg --nx 12 --ny 12 --nz 8
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Options {
  int nx = 12, ny = 12, nz = 8, iterations = 200, solves = 36, sweeps = 32;
  double tolerance = 1e-10;
};

struct Sent {  // point-to-point only
  long long messages = 0, bytes = 0;
};

int rank_count = 1, my_rank = 0;
Sent sent;

int usage(int exit_code) {
  if (my_rank == 0)
    std::fprintf(
        exit_code == 0 ? stdout : stderr,
        "usage: mpirun -n P cg [--nx N] [--ny N] [--nz N] [--iterations I] [--solves S] [--sweeps G] "
        "[--tolerance T]\n"
        "Solves A x = b by conjugate gradients, S times; A is the 27-point stencil on nx x ny x nz points.\n"
        "  --nx --ny --nz  points in each direction (12 12 8); a halo is nx * ny values of 8 bytes\n"
        "  --iterations    at most so many for one solution (200)\n"
        "  --solves        how many systems to solve, one after the other (36)\n"
        "  --sweeps        of the preconditioner over the rank's own rows, 0 for none (32)\n"
        "  --tolerance     stop when the residual has shrunk by this factor (1e-10)\n");
  return exit_code;
}

// The rows, and with them the entries of every vector, that a rank owns.
long first_row(long rows, int rank) {
  return rows * rank / rank_count;
}
int owner_of(long rows, long row) {
  int rank = static_cast<int>(row * rank_count / rows);
  while (rank + 1 < rank_count && row >= first_row(rows, rank + 1)) ++rank;
  while (row < first_row(rows, rank)) --rank;
  return rank;
}

// This rank's rows. Columns are numbered locally: own entries first, then the halo in the order of
// `Halo::from`.
struct Matrix {
  int rows = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> value;
};

struct Exchange {
  int rank;
  std::vector<int> entries;  // to send: local numbers of the entries that this rank needs
  int first = 0, count = 0;  // to receive: their place in a vector
  std::vector<double> outgoing;
};

// Finds out from the columns what each rank needs of which other, and tells the owners.
std::vector<Exchange> find_halo(const std::map<long, int>& halo_columns, long all_rows, long begin,
                                int own_rows) {
  std::vector<std::vector<long>> wanted(static_cast<std::size_t>(rank_count));
  for (const auto& [column, place] : halo_columns)
    wanted[static_cast<std::size_t>(owner_of(all_rows, column))].push_back(column);
  std::vector<int> wanted_count, asked_count(static_cast<std::size_t>(rank_count));
  for (const auto& list : wanted) wanted_count.push_back(static_cast<int>(list.size()));
  MPI_Alltoall(wanted_count.data(), 1, MPI_INT, asked_count.data(), 1, MPI_INT, MPI_COMM_WORLD);

  std::vector<Exchange> exchanges;
  std::vector<MPI_Request> requests;
  std::vector<std::vector<long>> asked(static_cast<std::size_t>(rank_count));
  int place = own_rows;
  for (int rank = 0; rank < rank_count; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (asked_count[r] > 0) {
      asked[r].resize(static_cast<std::size_t>(asked_count[r]));
      MPI_Irecv(asked[r].data(), asked_count[r], MPI_LONG, rank, 0, MPI_COMM_WORLD, &requests.emplace_back());
    }
    if (wanted_count[r] > 0) {
      MPI_Isend(wanted[r].data(), wanted_count[r], MPI_LONG, rank, 0, MPI_COMM_WORLD,
                &requests.emplace_back());
      ++sent.messages;
      sent.bytes += wanted_count[r] * static_cast<long long>(sizeof(long));
    }
    if (asked_count[r] > 0 || wanted_count[r] > 0) {
      exchanges.push_back({rank, {}, place, wanted_count[r], {}});
      place += wanted_count[r];
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (Exchange& exchange : exchanges) {
    for (long row : asked[static_cast<std::size_t>(exchange.rank)])
      exchange.entries.push_back(static_cast<int>(row - begin));
    exchange.outgoing.resize(exchange.entries.size());
  }
  return exchanges;
}

Matrix stencil(const Options& o, std::vector<Exchange>& exchanges) {
  const long all_rows = static_cast<long>(o.nx) * o.ny * o.nz;
  const long begin = first_row(all_rows, my_rank), end = first_row(all_rows, my_rank + 1);
  Matrix a;
  a.rows = static_cast<int>(end - begin);
  std::vector<long> column;  // in the numbering of the whole matrix, at first
  std::map<long, int> halo;  // ordered by number, hence by owner
  for (long row = begin; row < end; ++row) {
    const int x = static_cast<int>(row % o.nx), y = static_cast<int>(row / o.nx % o.ny),
              z = static_cast<int>(row / o.nx / o.ny);
    for (int k = std::max(z - 1, 0); k <= std::min(z + 1, o.nz - 1); ++k)
      for (int j = std::max(y - 1, 0); j <= std::min(y + 1, o.ny - 1); ++j)
        for (int i = std::max(x - 1, 0); i <= std::min(x + 1, o.nx - 1); ++i) {
          const long c = (static_cast<long>(k) * o.ny + j) * o.nx + i;
          column.push_back(c);
          a.value.push_back(c == row ? 26 : -1);
          if (c < begin || c >= end) halo.emplace(c, 0);
        }
    a.row_start.push_back(static_cast<int>(column.size()));
  }
  int place = a.rows;
  for (auto& [c, local] : halo) local = place++;
  for (long c : column) a.column.push_back(c >= begin && c < end ? static_cast<int>(c - begin) : halo.at(c));
  exchanges = find_halo(halo, all_rows, begin, a.rows);
  return a;
}

// Fills the halo of v with the values that other ranks own.
void exchange_halo(std::vector<Exchange>& exchanges, std::vector<double>& v) {
  std::vector<MPI_Request> requests;
  for (Exchange& e : exchanges)
    if (e.count > 0)
      MPI_Irecv(&v[static_cast<std::size_t>(e.first)], e.count, MPI_DOUBLE, e.rank, 1, MPI_COMM_WORLD,
                &requests.emplace_back());
  for (Exchange& e : exchanges) {
    if (e.entries.empty()) continue;
    for (std::size_t i = 0; i < e.entries.size(); ++i)
      e.outgoing[i] = v[static_cast<std::size_t>(e.entries[i])];
    MPI_Isend(e.outgoing.data(), static_cast<int>(e.outgoing.size()), MPI_DOUBLE, e.rank, 1, MPI_COMM_WORLD,
              &requests.emplace_back());
    ++sent.messages;
    sent.bytes += static_cast<long long>(e.outgoing.size() * sizeof(double));
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void multiply(const Matrix& a, std::vector<Exchange>& exchanges, std::vector<double>& x,
              std::vector<double>& y) {
  exchange_halo(exchanges, x);
  const int* column = a.column.data();
  for (int row = 0; row < a.rows; ++row) {
    double sum = 0;
    for (int i = a.row_start[static_cast<std::size_t>(row)];
         i < a.row_start[static_cast<std::size_t>(row) + 1]; ++i)
      sum += a.value[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(column[i])];
    y[static_cast<std::size_t>(row)] = sum;
  }
}

double dot(int n, const std::vector<double>& a, const std::vector<double>& b) {
  double own = 0, all = 0;
  for (int i = 0; i < n; ++i) own += a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(i)];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

// The rank's own rows and columns of A, every row padded to the same length: its products have no branch that
// depends on the matrix, so they take the same time every time.
struct Block {
  int rows = 0, width = 0;
  std::vector<double> value, inverse_diagonal;
  std::vector<int> column;
};

Block own_block(const Matrix& a) {
  Block block;
  block.rows = a.rows;
  for (int row = 0; row < a.rows; ++row)
    block.width = std::max(block.width, a.row_start[static_cast<std::size_t>(row) + 1] -
                                            a.row_start[static_cast<std::size_t>(row)]);
  for (int row = 0; row < a.rows; ++row) {
    int filled = 0;
    for (int i = a.row_start[static_cast<std::size_t>(row)];
         i < a.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
      const int c = a.column[static_cast<std::size_t>(i)];
      if (c >= a.rows) continue;
      if (c == row) block.inverse_diagonal.push_back(1 / a.value[static_cast<std::size_t>(i)]);
      block.column.push_back(c);
      block.value.push_back(a.value[static_cast<std::size_t>(i)]);
      ++filled;
    }
    for (; filled < block.width; ++filled) {
      block.column.push_back(row);
      block.value.push_back(0);
    }
  }
  return block;
}

// z = M^-1 r by Jacobi sweeps on the block, from z = 0: M is symmetric and positive definite, as the method
// needs. Without sweeps M is the identity.
void precondition(const Block& block, int sweeps, const std::vector<double>& r, std::vector<double>& z,
                  std::vector<double>& scratch) {
  const auto rows = static_cast<std::size_t>(block.rows), width = static_cast<std::size_t>(block.width);
  if (sweeps == 0) {
    std::copy_n(r.begin(), rows, z.begin());
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) z[row] = r[row] * block.inverse_diagonal[row];
  for (int sweep = 1; sweep < sweeps; ++sweep) {
    for (std::size_t row = 0; row < rows; ++row) {
      double sum = r[row];
      for (std::size_t i = row * width; i < (row + 1) * width; ++i)
        sum -= block.value[i] * z[static_cast<std::size_t>(block.column[i])];
      scratch[row] = z[row] + sum * block.inverse_diagonal[row];
    }
    z.swap(scratch);
  }
}

// x = A^-1 b from x = 0; gives the number of iterations. Vectors carry room for the halo behind their own
// entries.
int conjugate_gradients(const Matrix& a, const Block& block, std::vector<Exchange>& exchanges,
                        const std::vector<double>& b, std::vector<double>& x, const Options& o) {
  std::fill(x.begin(), x.end(), 0.0);
  std::vector<double> r = b, z(x.size()), scratch(x.size()), p(x.size()), q(x.size());
  precondition(block, o.sweeps, r, z, scratch);
  p = z;
  double rz = dot(a.rows, r, z);
  const double stop = rz * o.tolerance * o.tolerance;
  int iteration = 0;
  for (; iteration < o.iterations && rz > stop; ++iteration) {
    multiply(a, exchanges, p, q);
    const double alpha = rz / dot(a.rows, p, q);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    precondition(block, o.sweeps, r, z, scratch);
    const double rz_before = rz;
    rz = dot(a.rows, r, z);
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) p[i] = z[i] + rz / rz_before * p[i];
  }
  return iteration;
}

bool parse(int argc, char** argv, Options& o) {
  const std::map<std::string, int*> whole{{"--nx", &o.nx},         {"--ny", &o.ny},
                                          {"--nz", &o.nz},         {"--iterations", &o.iterations},
                                          {"--solves", &o.solves}, {"--sweeps", &o.sweeps}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 >= argc) return false;
    const auto option = whole.find(argv[i]);
    if (option != whole.end())
      *option->second = std::atoi(argv[i + 1]);
    else if (std::strcmp(argv[i], "--tolerance") == 0)
      o.tolerance = std::atof(argv[i + 1]);
    else
      return false;
  }
  return o.nx > 0 && o.ny > 0 && o.nz >= rank_count && o.iterations > 0 && o.solves > 0 && o.sweeps >= 0 &&
         o.tolerance > 0 && static_cast<double>(o.nx) * o.ny * o.nz * 27 < 2e9;
}

// Every rank's count of what it sent, in a form that can be compared with a trace.
void print_sent() {
  std::vector<Sent> all(static_cast<std::size_t>(rank_count));
  MPI_Gather(&sent, 2, MPI_LONG_LONG, all.data(), 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int rank = 0; my_rank == 0 && rank < rank_count; ++rank)
    std::printf("rank %d sent %lld messages %lld bytes\n", rank, all[static_cast<std::size_t>(rank)].messages,
                all[static_cast<std::size_t>(rank)].bytes);
}

int run(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--help") == 0) return usage(0);
  Options o;
  if (!parse(argc, argv, o)) return usage(2);
  std::vector<Exchange> exchanges;
  const Matrix a = stencil(o, exchanges);
  const Block block = own_block(a);
  int entries = a.rows;
  for (const Exchange& e : exchanges) entries += e.count;
  const long begin = first_row(static_cast<long>(o.nx) * o.ny * o.nz, my_rank);
  std::vector<double> solution(static_cast<std::size_t>(entries)), b(solution.size()), x(solution.size());

  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  int iterations = 0;
  double worst = 0;
  for (int solve = 0; solve < o.solves; ++solve) {
    for (int i = 0; i < a.rows; ++i)
      solution[static_cast<std::size_t>(i)] = std::sin(0.37 * static_cast<double>(begin + i) + solve);
    multiply(a, exchanges, solution, b);
    iterations += conjugate_gradients(a, block, exchanges, b, x, o);
    double own = 0, all = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
      own = std::max(own, std::abs(x[i] - solution[i]));
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    worst = std::max(worst, all);
  }
  const double time_s = MPI_Wtime() - start_s;
  const bool right =
      worst < 1e3 * o.tolerance;  // the condition number is far below 1e3 for boxes up to 100 points wide
  if (my_rank == 0)
    std::printf(
        "cg: %d x %d x %d points on %d ranks, %d iterations for %d systems, largest error %.2e\ntime %.6f "
        "s\n",
        o.nx, o.ny, o.nz, rank_count, iterations, o.solves, worst, time_s);
  print_sent();
  if (my_rank == 0)
    std::puts(right ? "verified" : "WRONG: the error against the known solution is too large");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
  const int exit_code = run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
