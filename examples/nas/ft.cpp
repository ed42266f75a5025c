// Fourier transform: du/dt = alpha times the Laplacian of u on a periodic cube of n^3 points, solved in the
// space of frequencies. The cube is cut into slabs of planes: x and y are transformed where they are, then
// the cube is turned (MPI_Alltoall: every rank sends the same amount to every other) and z is transformed.
// One turn on the way there, and one on the way back for each time that is looked at.
//
// Verified: going there and back gives the input; and the input being a sum of plane waves, each of which
// decays by exp(-4 pi^2 alpha k^2 t), the field at the end and the sum over some points at every time are
// known.
//   mpirun -n 2 ft --class S
#include "nas.hpp"

namespace {

constexpr double pi = 3.14159265358979323846, alpha = 2e-5;
constexpr int waves = 12, looked_at = 256, parts = 4;

// std::complex multiplies with a test for infinities in each product.
struct Complex {
  double re = 0, im = 0;
};
Complex operator+(Complex a, Complex b) {
  return {a.re + b.re, a.im + b.im};
}
Complex operator-(Complex a, Complex b) {
  return {a.re - b.re, a.im - b.im};
}
Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator*(double a, Complex b) {
  return {a * b.re, a * b.im};
}
double size_of(Complex a) {
  return std::hypot(a.re, a.im);
}
using Field = std::vector<Complex>;

// In place, of 2^m values; the inverse without its factor 1/n.
class Transform {
 public:
  explicit Transform(int n) : n_(n), roots_(static_cast<std::size_t>(n)) {
    for (int i = 0; i < n; ++i) roots_[i] = {std::cos(2 * pi * i / n), -std::sin(2 * pi * i / n)};
  }
  void operator()(Complex* v, bool inverse) const {
    for (int i = 1, j = 0; i < n_; ++i) {  // into the order of reversed bits
      int bit = n_ >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(v[i], v[j]);
    }
    for (int half = 1; half < n_; half *= 2)
      for (int start = 0; start < n_; start += 2 * half)
        for (int i = 0; i < half; ++i) {
          Complex root = roots_[i * (n_ / (2 * half))];
          if (inverse) root.im = -root.im;
          const Complex a = v[start + i], b = root * v[start + half + i];
          v[start + i] = a + b;
          v[start + half + i] = a - b;
        }
  }
  Complex root(long long turns) const {  // exp(2 pi i turns / n)
    const Complex r = roots_[((turns % n_) + n_) % n_];
    return {r.re, -r.im};
  }

 private:
  int n_;
  Field roots_;
};

struct Wave {
  int k[3];
  double amplitude;
  double decay() const { return 4 * pi * pi * alpha * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]); }
};

// Both orders of the cube hold `own` planes of n x n: by_z[z][y][x] with z the rank's, by_y[y][x][z] with y.
class Cube {
 public:
  explicit Cube(int n)
      : n_(n),
        own_(n / nas::rank_count),
        width_(n / parts),
        transform_(n),
        line_(static_cast<std::size_t>(n)),
        outgoing_(static_cast<std::size_t>(own_ * n * width_)),
        incoming_(outgoing_.size()) {}

  void forward(Field by_z, Field& by_y) {
    planes(by_z, false);
    for (int first_x = 0; first_x < n_; first_x += width_) {
      for_piece([&](int at, int z, int y, int x) { outgoing_[at] = by_z[(z * n_ + y) * n_ + first_x + x]; });
      turn();
      for_turned([&](int at, int z, int y, int x) { by_y[(y * n_ + first_x + x) * n_ + z] = incoming_[at]; });
    }
    for (int line = 0; line < own_ * n_; ++line) transform_(&by_y[line * n_], false);
  }

  void back(Field by_y, Field& by_z) {
    for (int line = 0; line < own_ * n_; ++line) transform_(&by_y[line * n_], true);
    for (int first_x = 0; first_x < n_; first_x += width_) {
      for_turned([&](int at, int z, int y, int x) { outgoing_[at] = by_y[(y * n_ + first_x + x) * n_ + z]; });
      turn();
      for_piece([&](int at, int z, int y, int x) { by_z[(z * n_ + y) * n_ + first_x + x] = incoming_[at]; });
    }
    planes(by_z, true);
    for (Complex& value : by_z) value = 1.0 / (static_cast<double>(n_) * n_ * n_) * value;
  }

  // The waves at this rank's point of by_z, `t` after the start.
  Complex known(const std::vector<Wave>& all, int z, int y, int x, double t) const {
    Complex sum;
    for (const Wave& w : all)
      sum = sum + w.amplitude * std::exp(-w.decay() * t) *
                      transform_.root(w.k[0] * x + w.k[1] * y + w.k[2] * (nas::my_rank * own_ + z));
    return sum;
  }
  int own() const { return own_; }

 private:
  void planes(Field& by_z, bool inverse) {
    for (int z = 0; z < own_; ++z) {
      Complex* plane = &by_z[z * n_ * n_];
      for (int y = 0; y < n_; ++y) transform_(plane + y * n_, inverse);
      for (int x = 0; x < n_; ++x) {
        for (int y = 0; y < n_; ++y) line_[y] = plane[y * n_ + x];
        transform_(line_.data(), inverse);
        for (int y = 0; y < n_; ++y) plane[y * n_ + x] = line_[y];
      }
    }
  }
  // The pieces of a part of the cube, one for each rank, as the rank of z packs them: y of all ranks, own z.
  template <class Act>
  void for_piece(Act act) {
    for (int y = 0; y < n_; ++y)
      for (int z = 0; z < own_; ++z)
        for (int x = 0; x < width_; ++x)
          act((((y / own_) * own_ + z) * own_ + y % own_) * width_ + x, z, y, x);
  }
  // ... and as the rank of y does: own y, z of all ranks.
  template <class Act>
  void for_turned(Act act) {
    for (int z = 0; z < n_; ++z)
      for (int y = 0; y < own_; ++y)
        for (int x = 0; x < width_; ++x) act((z * own_ + y) * width_ + x, z, y, x);
  }
  void turn() {
    const int piece = 2 * width_ * own_ * own_;
    nas::count_collective<double>(static_cast<std::size_t>(piece) * nas::rank_count);
    MPI_Alltoall(outgoing_.data(), piece, MPI_DOUBLE, incoming_.data(), piece, MPI_DOUBLE, MPI_COMM_WORLD);
    nas::received(&incoming_[0].re);
  }

  int n_, own_, width_;  // of a part, in x
  Transform transform_;
  Field line_, outgoing_, incoming_;
};

std::vector<Wave> choose_waves(int n) {
  std::vector<Wave> out(waves);
  for (int w = 0; w < waves; ++w) {
    for (int d = 0; d < 3; ++d)
      out[w].k[d] =
          static_cast<int>(
              nas::uniform(5, 3 * static_cast<std::uint64_t>(w) + static_cast<std::uint64_t>(d)) * n) -
          n / 2;
    out[w].amplitude = 0.5 + nas::uniform(6, static_cast<std::uint64_t>(w));
  }
  return out;
}

int run(char size) {
  const int n = size == 'T' ? 16 : size == 'S' ? 32 : 64, times = size == 'T' ? 4 : size == 'S' ? 10 : 6;
  Cube cube(n);
  const std::vector<Wave> all = choose_waves(n);
  const std::size_t points = static_cast<std::size_t>(cube.own()) * n * n;
  Field input(points), frequencies(points), decayed(points), field(points);
  const auto for_all = [&](auto&& act) {
    for (int z = 0, p = 0; z < cube.own(); ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x, ++p) act(p, z, y, x);
  };
  for_all([&](int p, int z, int y, int x) { input[p] = cube.known(all, z, y, x, 0); });

  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  cube.forward(input, frequencies);
  cube.back(frequencies, field);
  double there_and_back = 0, sum_error = 0;
  for (std::size_t p = 0; p < points; ++p)
    there_and_back = std::max(there_and_back, size_of(field[p] - input[p]));

  for (int t = 1; t <= times; ++t) {
    const auto signed_frequency = [&](int i) { return i < n / 2 ? i : i - n; };
    for (int y = 0, p = 0; y < cube.own(); ++y)
      for (int x = 0; x < n; ++x)
        for (int z = 0; z < n; ++z, ++p) {
          const Wave w{
              {signed_frequency(x), signed_frequency(nas::my_rank * cube.own() + y), signed_frequency(z)}, 1};
          decayed[p] = std::exp(-w.decay() * t) * frequencies[p];
        }
    cube.back(decayed, field);
    double difference = 0;  // of sums over some of the points, found and known
    for (int i = 0; i < looked_at / nas::rank_count; ++i) {
      const int z = i % cube.own(), y = 3 * i % n, x = 5 * i % n;
      const Complex off = field[(z * n + y) * n + x] - cube.known(all, z, y, x, t);
      difference += off.re + off.im;
    }
    sum_error = std::max(sum_error, std::abs(nas::reduce(difference, MPI_SUM)));
  }
  const double time_s = MPI_Wtime() - start_s;

  double error = 0;
  for_all([&](int p, int z, int y, int x) {
    error = std::max(error, size_of(field[p] - cube.known(all, z, y, x, times)));
  });
  // Rounding grows with the logarithm of the number of points: 1e-12 is a hundred times what is seen.
  return nas::finish("ft", size, std::to_string(n) + "^3 points, " + std::to_string(times) + " times", time_s,
                     {{"error of going there and back", nas::reduce(there_and_back, MPI_MAX), 1e-12},
                      {"error of the field at the end", nas::reduce(error, MPI_MAX), 1e-12},
                      {"error of the sums on the way", sum_error, looked_at * 1e-12}});
}

}  // namespace

int main(int argc, char** argv) {
  return nas::main_of(argc, argv, "ft",
                      "Fourier transform: the cube turned by all ranks to all, again and again.", run);
}
