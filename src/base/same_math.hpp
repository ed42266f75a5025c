// Logarithm and exponential that are the same to the last bit wherever they are compiled: what C libraries give differs between
// them, and between processors (glibc's with FMA and without). Of sums, products and quotients of doubles only, which IEEE 754
// defines; errors below 0.51 units in the last place.
#pragma once

namespace ww {

// Natural. Of 0: minus infinity; of less: no number.
double same_log(double x);
// 0 where it is less than the smallest normal double.
double same_exp(double x);
double same_expm1(double x);  // exp(x) - 1

}  // namespace ww
