#include "base/same_math.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace ww {
namespace {

// An unevaluated sum, |low| at most half a unit in the last place of high: some 106 bits (T. J. Dekker, Numer. Math. 18, 1971).
struct Double2 {
  double high = 0, low = 0;
};

// |a| >= |b| or a = 0.
Double2 quick_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

Double2 sum_of(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return {sum, (a - (sum - of_b)) + (b - of_b)};
}

Double2 split(double a) {
  constexpr double splitter = 134217729;  // 2^27 + 1
  const double scaled = splitter * a, high = scaled - (scaled - a);
  return {high, a - high};
}

Double2 product_of(double a, double b) {
  const double product = a * b;
  const Double2 x = split(a), y = split(b);
  return {product, ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low};
}

Double2 add(Double2 a, Double2 b) {
  const Double2 sum = sum_of(a.high, b.high);
  return quick_sum(sum.high, sum.low + (a.low + b.low));
}

Double2 multiply(Double2 a, Double2 b) {
  const Double2 product = product_of(a.high, b.high);
  return quick_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

Double2 divide(Double2 a, Double2 b) {
  const double first = a.high / b.high;
  const Double2 covered = multiply(b, {first, 0}), rest = add(a, {-covered.high, -covered.low});
  return quick_sum(first, (rest.high + rest.low) / b.high);
}

// ln 2 to 32 bits, times any exponent exact, and what is left of it.
constexpr double ln2_high = 0x1.62e42fefp-1;
constexpr Double2 ln2_rest = {0x1.473de6af278edp-34, -0x1.9ff0342542fc3p-90};

Double2 times_ln2(double whole) {
  return add({whole * ln2_high, 0}, multiply({whole, 0}, ln2_rest));
}

// exp(x) - 1, |x| at most ln 2 / 2: by its series at x / 256, then 2 p + p^2 eight times.
Double2 small_expm1(Double2 x) {
  constexpr int halvings = 8, terms = 11;
  constexpr double scale = 1.0 / 256;
  const Double2 part{x.high * scale, x.low * scale};
  Double2 sum{};
  for (int n = terms; n > 0; --n) sum = divide(multiply(part, add({1, 0}, sum)), {static_cast<double>(n), 0});
  for (int i = 0; i < halvings; ++i) sum = add({2 * sum.high, 2 * sum.low}, multiply(sum, sum));
  return sum;
}

struct Reduced {
  Double2 rest;
  int exponent = 0;
};

// x = exponent ln 2 + rest, |rest| at most ln 2 / 2.
Reduced reduced(double x) {
  constexpr double per_ln2 = 0x1.71547652b82fep0;
  const double whole = std::floor(x * per_ln2 + 0.5);
  const Double2 off = times_ln2(whole);
  return {add({x, 0}, {-off.high, -off.low}), static_cast<int>(whole)};
}

constexpr double most = 709.782712893384,
                 least = -708.396418532264;  // ln of the largest and of the smallest normal double

}  // namespace

double same_log(double x) {
  if (!(x > 0))
    return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  constexpr double half_root = 0.7071067811865476;
  if (part < half_root) {
    part *= 2;
    --exponent;
  }
  // ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...), |s| below 0.172
  const Double2 s = divide({part - 1, 0}, sum_of(part, 1)), square = multiply(s, s);
  double tail = 0;
  for (int n = 41; n > 3; n -= 2) tail = (tail + 1.0 / n) * square.high;
  const Double2 cube = multiply(multiply(s, square), add(divide({1, 0}, {3, 0}), {tail, 0}));
  const Double2 of_part = add(s, cube), sum = add(times_ln2(exponent), {2 * of_part.high, 2 * of_part.low});
  return sum.high + sum.low;
}

double same_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > most) return std::numeric_limits<double>::infinity();
  if (x < least) return 0;
  const Reduced r = reduced(x);
  const Double2 sum = add({1, 0}, small_expm1(r.rest));
  return std::ldexp(sum.high + sum.low, r.exponent);
}

double same_expm1(double x) {
  constexpr double all_lost = -40;  // exp(x) is below half a unit in the last place of 1
  if (std::isnan(x) || x == 0) return x;
  if (x > most) return std::numeric_limits<double>::infinity();
  if (x < all_lost) return -1;
  const Reduced r = reduced(x);
  const Double2 grown = small_expm1(r.rest);
  if (r.exponent == 0) return grown.high + grown.low;
  if (r.exponent > 100) return same_exp(x);
  const double scale = std::ldexp(1.0, r.exponent);
  const Double2 sum = add({scale - 1, 0}, {grown.high * scale, grown.low * scale});
  return sum.high + sum.low;
}

}  // namespace ww
