// Multigrid: the Poisson equation on a periodic cube of n^3 points, by V-cycles. The cube is cut into slabs
// of planes, so that each rank has two neighbours, in a ring. At every level and every smoothing step the
// outer planes go to the neighbours (MPI_Irecv / MPI_Isend / MPI_Waitall): messages of n^2, (n/2)^2, (n/4)^2
// ... values. The coarsest level, 4^3 points, goes to everybody (MPI_Allgather), who solves it by itself.
//
// Verified against the solution, which is known: waves are eigenfunctions of the seven-point operator on a
// periodic grid. And the residual has to fall as multigrid's theory says: damped Jacobi in three dimensions
// with omega = 6/7 leaves 5/7 of what a coarser grid cannot see (Trottenberg, Oosterlee, Schueller,
// Multigrid, table 2.2 and section 2.9), (5/7)^4 = 0.26 with two steps before and two after.
//   mpirun -n 2 mg --class S
#include "nas.hpp"

namespace {

constexpr double pi = 3.14159265358979323846, omega = 6.0 / 7;
constexpr int coarsest = 4, smoothing_steps = 2, waves = 6;

// planes 1 .. planes are the rank's own, 0 and planes + 1 their neighbours.
struct Level {
  int n, planes;
  double per_h2;  // 1 / h^2
  std::vector<double> u, f, r;
  Level(int points, int ranks)
      : n(points),
        planes(points / ranks),
        per_h2(static_cast<double>(points) * points),
        u(static_cast<std::size_t>(n * n * (planes + 2))),
        f(u.size()),
        r(u.size()) {}
  int at(int k, int j, int i) const { return (k * n + j) * n + i; }
  int wrap(int i) const { return i & (n - 1); }
};

// The planes of both neighbours. With two ranks both are the same rank: the tag tells them apart.
void exchange(const Level& l, std::vector<double>& v) {
  const int above = (nas::my_rank + 1) % nas::rank_count;
  const int below = (nas::my_rank + nas::rank_count - 1) % nas::rank_count;
  const int plane = l.n * l.n;
  MPI_Request requests[4] = {nas::begin_receive(&v[l.at(0, 0, 0)], plane, below, 1),
                             nas::begin_receive(&v[l.at(l.planes + 1, 0, 0)], plane, above, 2),
                             nas::begin_send(&v[l.at(l.planes, 0, 0)], plane, above, 1),
                             nas::begin_send(&v[l.at(1, 0, 0)], plane, below, 2)};
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  nas::received(&v[l.at(0, 0, 0)]);
  nas::received(&v[l.at(l.planes + 1, 0, 0)]);
}

// r = f - A u.
void residual(Level& l) {
  exchange(l, l.u);
  for (int k = 1; k <= l.planes; ++k)
    for (int j = 0; j < l.n; ++j) {
      const int row = l.at(k, j, 0), south = l.at(k, l.wrap(j - 1), 0), north = l.at(k, l.wrap(j + 1), 0);
      const int below = l.at(k - 1, j, 0), above = l.at(k + 1, j, 0);
      for (int i = 0; i < l.n; ++i) {
        const double around = l.u[row + l.wrap(i - 1)] + l.u[row + l.wrap(i + 1)] + l.u[south + i] +
                              l.u[north + i] + l.u[below + i] + l.u[above + i];
        l.r[row + i] = l.f[row + i] - l.per_h2 * (6 * l.u[row + i] - around);
      }
    }
}

void smooth(Level& l) {
  for (int step = 0; step < smoothing_steps; ++step) {
    residual(l);
    for (int p = l.at(1, 0, 0); p < l.at(l.planes + 1, 0, 0); ++p) l.u[p] += omega / (6 * l.per_h2) * l.r[p];
  }
}

// Full weighting: (1/4 1/2 1/4) in each direction. Coarse plane K lies in fine plane 2 K - 1.
void restrict_residual(Level& fine, Level& coarse) {
  exchange(fine, fine.r);
  for (int K = 1; K <= coarse.planes; ++K)
    for (int J = 0; J < coarse.n; ++J)
      for (int I = 0; I < coarse.n; ++I) {
        double sum = 0;
        for (int dk = -1; dk <= 1; ++dk)
          for (int dj = -1; dj <= 1; ++dj)
            for (int di = -1; di <= 1; ++di)
              sum += fine.r[fine.at(2 * K - 1 + dk, fine.wrap(2 * J + dj), fine.wrap(2 * I + di))] /
                     ((2 << (dk & 1)) * (2 << (dj & 1)) * (2 << (di & 1)));
        coarse.f[coarse.at(K, J, I)] = sum;
      }
  std::fill(coarse.u.begin(), coarse.u.end(), 0.0);
}

// u of the finer level += the trilinear interpolation of the coarser one's.
void correct(Level& fine, Level& coarse) {
  exchange(coarse, coarse.u);
  for (int k = 1; k <= fine.planes; ++k)
    for (int j = 0; j < fine.n; ++j)
      for (int i = 0; i < fine.n; ++i) {
        double sum = 0;
        const int K = (k + 1) / 2, J = j / 2, I = i / 2;
        for (int c = 0; c < 8; ++c)  // an even point lies on the coarse one and takes it from both sides
          sum +=
              coarse.u[coarse.at(K + ((c & 1) && k % 2 == 0), coarse.wrap(J + ((c >> 1 & 1) && j % 2 == 1)),
                                 coarse.wrap(I + ((c >> 2 & 1) && i % 2 == 1)))];
        fine.u[fine.at(k, j, i)] += sum / 8;
      }
}

// Everybody gets the whole of f and solves it by damped Jacobi, which on 4^3 points leaves 5/7 a step.
void solve_coarsest(Level& l) {
  const int own = l.n * l.n * l.planes, size = l.n * l.n * l.n;
  std::vector<double> f(static_cast<std::size_t>(size)), u(f.size()), next(f.size());
  nas::count_collective<double>(static_cast<std::size_t>(own));
  MPI_Allgather(&l.f[l.at(1, 0, 0)], own, MPI_DOUBLE, f.data(), own, MPI_DOUBLE, MPI_COMM_WORLD);
  nas::received(f.data());
  for (int step = 0; step < 40; ++step) {
    for (int k = 0; k < l.n; ++k)
      for (int j = 0; j < l.n; ++j)
        for (int i = 0; i < l.n; ++i) {
          const double around = u[l.at(k, j, l.wrap(i - 1))] + u[l.at(k, j, l.wrap(i + 1))] +
                                u[l.at(k, l.wrap(j - 1), i)] + u[l.at(k, l.wrap(j + 1), i)] +
                                u[l.at(l.wrap(k - 1), j, i)] + u[l.at(l.wrap(k + 1), j, i)];
          const int p = l.at(k, j, i);
          next[p] = u[p] + omega / 6 * (f[p] / l.per_h2 - 6 * u[p] + around);
        }
    u.swap(next);
  }
  for (int p = 0; p < own; ++p) l.u[l.at(1, 0, 0) + p] = u[nas::my_rank * own + p];
}

void v_cycle(std::vector<Level>& levels, std::size_t at) {
  Level& l = levels[at];
  if (l.n == coarsest) return solve_coarsest(l);
  smooth(l);
  residual(l);
  restrict_residual(l, levels[at + 1]);
  v_cycle(levels, at + 1);
  correct(l, levels[at + 1]);
  smooth(l);
}

double norm(const Level& l, const std::vector<double>& v) {
  double own = 0;
  for (int p = l.at(1, 0, 0); p < l.at(l.planes + 1, 0, 0); ++p) own += v[p] * v[p];
  return std::sqrt(nas::reduce(own, MPI_SUM));
}

// The solution as a sum of waves of up to a quarter of the grid's points each way, and f = A u of the same.
std::vector<double> choose_solution(Level& l) {
  std::vector<double> solution(l.u.size());
  for (int w = 0; w < waves; ++w) {
    int number[3];
    double eigenvalue = 0;
    for (int d = 0; d < 3; ++d) {
      number[d] = 1 + static_cast<int>(
                          nas::uniform(1, 3 * static_cast<std::uint64_t>(w) + static_cast<std::uint64_t>(d)) *
                          l.n / 4);
      eigenvalue += l.per_h2 * (2 - 2 * std::cos(2 * pi * number[d] / l.n));
    }
    const double phase = 2 * pi * nas::uniform(2, static_cast<std::uint64_t>(w));
    for (int k = 1; k <= l.planes; ++k)
      for (int j = 0; j < l.n; ++j)
        for (int i = 0; i < l.n; ++i) {
          const int turns = number[0] * i + number[1] * j + number[2] * (nas::my_rank * l.planes + k - 1);
          const double wave = std::cos(2 * pi * l.wrap(turns) / l.n + phase) / (w + 1);
          solution[l.at(k, j, i)] += wave;
          l.f[l.at(k, j, i)] += eigenvalue * wave;
        }
  }
  return solution;
}

int run(char size) {
  const int n = size == 'T'   ? 16
                : size == 'S' ? 32
                : size == 'W' ? 64
                              : 128,
            cycles = size == 'T'   ? 6
                     : size == 'Z' ? 4
                                   : 10;
  std::vector<Level> levels;
  for (int points = n; points >= coarsest; points /= 2) levels.emplace_back(points, nas::rank_count);
  Level& finest = levels.front();
  const std::vector<double> solution = choose_solution(finest);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  std::vector<double> norms{norm(finest, finest.f)};
  for (int cycle = 0; cycle < cycles; ++cycle) {
    v_cycle(levels, 0);
    residual(finest);
    norms.push_back(norm(finest, finest.r));
  }
  const double time_s = MPI_Wtime() - start_s;

  double error = 0, largest = 0;
  for (int p = finest.at(1, 0, 0); p < finest.at(finest.planes + 1, 0, 0); ++p) {
    error = std::max(error, std::abs(finest.u[p] - solution[p]));
    largest = std::max(largest, std::abs(solution[p]));
  }
  const double factor = std::pow(norms.back() / norms.front(), 1.0 / cycles);
  const double most = std::pow(5.0 / 7, 2 * smoothing_steps);
  return nas::finish("mg", size, std::to_string(n) + "^3 points, " + std::to_string(cycles) + " cycles",
                     time_s,
                     {{"what a cycle leaves of the residual", factor, most},
                      {"error against the solution",
                       nas::reduce(error, MPI_MAX) / nas::reduce(largest, MPI_MAX), std::pow(most, cycles)}});
}

}  // namespace

int main(int argc, char** argv) {
  return nas::main_of(argc, argv, "mg",
                      "Multigrid for the Poisson equation: faces to two neighbours at every level.", run);
}
