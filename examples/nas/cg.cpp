// Conjugate gradients for the smallest eigenvalue of a sparse matrix without structure, by inverse iteration:
// each step solves A z = x by 25 iterations of conjugate gradients. The matrix is cut in two dimensions, 1 x
// 2 or 2 x 2 blocks, so that a product needs partial results added along a row of ranks and then, on four
// ranks, turned from rows to columns (rank 1 with rank 2, the others not); the sums of the method are
// exchanged along a row of ranks too. All of it point to point: MPI_Irecv, MPI_Send, MPI_Wait.
//
// The matrix is Q D Q', D diagonal and Q three layers of plane rotations, each layer of all coordinates in
// random pairs: symmetric, about 50 entries a row anywhere, and its eigenvalues are D. Verified against the
// smallest of them, and against the bound of the method, ||r_k|| <= 2 sqrt(c) ((sqrt(c) - 1) / (sqrt(c) +
// 1))^k ||r_0|| for the condition number c, here 10 (Saad, Iterative Methods for Sparse Linear
// Systems, 6.11.3).
//   mpirun -n 2 cg --class S
#include <algorithm>
#include <numeric>

#include "nas.hpp"

namespace {

constexpr double smallest = 0.1, second = 0.25, largest = 1;
constexpr int iterations = 25, layers = 3;

struct Entry {
  int row, column;
  double value;
};

// Ranks are (row, column) = (rank / columns, rank % columns); this one holds a block of the matrix, and of
// every vector the part that belongs to its column.
struct Grid {
  int rows, columns, row, column;
  Grid() : rows(nas::rank_count / 2), columns(2), row(nas::my_rank / 2), column(nas::my_rank % 2) {}
  int beside() const { return row * columns + 1 - column; }
  int across() const { return column * columns + row; }  // only where rows == columns
};

struct Block {
  int rows = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> value;
};

double eigenvalue(int k, int n) {
  return k == 0 ? smallest : second + (largest - second) * (k - 1) / (n - 2);
}

// The columns of Q: of each the rows that are not zero.
std::vector<std::vector<Entry>> rotations(int n) {
  std::vector<std::vector<Entry>> rows(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) rows[i] = {{i, i, 1.0}};
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int i = n - 1; i > 0; --i)
      std::swap(order[i], order[static_cast<int>(nas::uniform(10 + layer, i) * (i + 1))]);
    for (int i = 0; i + 1 < n; i += 2) {
      const double angle = 0.3 + nas::uniform(20 + layer, i), c = std::cos(angle), s = std::sin(angle);
      const auto a = rows[order[i]], b = rows[order[i + 1]];
      auto &turned_a = rows[order[i]], &turned_b = rows[order[i + 1]];
      for (Entry& e : turned_a) e.value *= c;
      for (Entry& e : turned_b) e.value *= c;
      for (const Entry& e : b) turned_a.push_back({order[i], e.column, -s * e.value});
      for (const Entry& e : a) turned_b.push_back({order[i + 1], e.column, s * e.value});
    }
  }
  std::vector<std::vector<Entry>> columns(rows.size());
  for (int i = 0; i < n; ++i)
    for (const Entry& e : rows[i]) columns[e.column].push_back({i, e.column, e.value});
  return columns;
}

Block make_block(int n, const Grid& grid) {
  const int height = n / grid.rows, width = n / grid.columns;
  const int first_row = grid.row * height, first_column = grid.column * width;
  std::vector<Entry> entries;
  for (const auto& q : rotations(n))
    for (const Entry& i : q)
      for (const Entry& j : q)
        if (i.row / height == grid.row && j.row / width == grid.column)
          entries.push_back(
              {i.row - first_row, j.row - first_column, eigenvalue(i.column, n) * i.value * j.value});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.row, a.column) < std::pair(b.row, b.column);
  });
  Block block;
  block.rows = height;
  int row = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (e > 0 && entries[e].row == entries[e - 1].row && entries[e].column == entries[e - 1].column) {
      block.value.back() += entries[e].value;
      continue;
    }
    for (; row < entries[e].row; ++row) block.row_start.push_back(static_cast<int>(block.value.size()));
    block.column.push_back(entries[e].column);
    block.value.push_back(entries[e].value);
  }
  for (; row < height; ++row) block.row_start.push_back(static_cast<int>(block.value.size()));
  return block;
}

class Solver {
 public:
  explicit Solver(int n) : grid_(), block_(make_block(n, grid_)), part_(n / grid_.columns) {
    partial_.resize(static_cast<std::size_t>(block_.rows));
    incoming_.resize(partial_.size());
  }
  int part() const { return part_; }

  double dot(const std::vector<double>& a, const std::vector<double>& b) {
    const double own = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    double other = 0;
    nas::swap_with(grid_.beside(), &own, 1, &other, 1, 3);
    return own + other;
  }

  // q = A p.
  void multiply(const std::vector<double>& p, std::vector<double>& q) {
    for (int row = 0; row < block_.rows; ++row) {
      double sum = 0;
      for (int e = block_.row_start[row]; e < block_.row_start[row + 1]; ++e)
        sum += block_.value[e] * p[block_.column[e]];
      partial_[row] = sum;
    }
    if (grid_.rows == 1) {  // all rows are here: the other rank's part to it, the own one from it
      const int own = grid_.column * part_, other = part_ - own;
      nas::swap_with(grid_.beside(), &partial_[other], part_, incoming_.data(), part_, 1);
      for (int i = 0; i < part_; ++i) q[i] = partial_[own + i] + incoming_[i];
      return;
    }
    nas::swap_with(grid_.beside(), partial_.data(), part_, incoming_.data(), part_, 1);
    for (int i = 0; i < part_; ++i) partial_[i] += incoming_[i];
    if (grid_.row == grid_.column)
      q = partial_;
    else
      nas::swap_with(grid_.across(), partial_.data(), part_, q.data(), part_, 2);
  }

  // z = A^-1 x, nearly; gives what is left of the residual.
  double solve(const std::vector<double>& x, std::vector<double>& z) {
    std::fill(z.begin(), z.end(), 0.0);
    std::vector<double> r = x, p = x, q(x.size());
    double rho = dot(r, r);
    const double first = rho;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      multiply(p, q);
      const double alpha = rho / dot(p, q), before = rho;
      for (int i = 0; i < part_; ++i) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      rho = dot(r, r);
      for (int i = 0; i < part_; ++i) p[i] = r[i] + rho / before * p[i];
    }
    multiply(z, q);  // the true residual, not the one carried along
    for (int i = 0; i < part_; ++i) r[i] = x[i] - q[i];
    return std::sqrt(dot(r, r) / first);
  }

 private:
  Grid grid_;
  Block block_;
  int part_;
  std::vector<double> partial_, incoming_;
};

int run(char size) {
  const int n = size == 'T'   ? 256
                : size == 'W' ? 7000
                              : 1400,
            steps = size == 'T'   ? 9
                    : size == 'Z' ? 15
                                  : 12;
  Solver solver(n);
  std::vector<double> x(static_cast<std::size_t>(solver.part()), 1 / std::sqrt(n)), z(x.size());

  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  double found = 0, worst = 0;
  for (int step = 0; step < steps; ++step) {
    worst = std::max(worst, solver.solve(x, z));
    found = 1 / solver.dot(x, z);
    const double length = std::sqrt(solver.dot(z, z));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = z[i] / length;
  }
  const double time_s = MPI_Wtime() - start_s;

  const double root = std::sqrt(largest / smallest);
  // The quotient's error falls with the square of smallest / second a step; a thousand is for the start.
  return nas::finish("cg", size, std::to_string(n) + " rows, " + std::to_string(steps) + " steps", time_s,
                     {{"what 25 iterations leave of a residual", nas::reduce(worst, MPI_MAX),
                       2 * root * std::pow((root - 1) / (root + 1), iterations)},
                      {"error of the smallest eigenvalue", std::abs(found / smallest - 1),
                       1000 * std::pow(smallest / second, 2 * (steps - 1))}});
}

}  // namespace

int main(int argc, char** argv) {
  return nas::main_of(
      argc, argv, "cg",
      "Smallest eigenvalue by conjugate gradients: vectors added and turned, sums of 8 bytes.", run);
}
