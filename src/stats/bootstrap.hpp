// Bootstrap intervals (Efron & Tibshirani 1993), the same on every machine for the same seed.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "stats/order.hpp"

namespace ww::stats {

class Resampler {
 public:
  explicit Resampler(std::uint64_t seed) : random_(seed) {}
  // As many samples, drawn with replacement.
  std::vector<double> resample(const std::vector<double>& samples);
  // -1 or 1, each half of the time: the sign of a residual in a wild bootstrap (Liu 1988), which keeps each
  // residual at its place and so allows for errors that grow with x.
  double sign() { return (random_() >> 40 & 1) != 0 ? 1 : -1; }
  // Of mean 0 and deviation 1, nearly normal: the sum of twelve uniform numbers (the same on every machine,
  // which the library's distributions are not).
  double normal();

 private:
  std::mt19937_64 random_;
};

// Percentile interval of replicates.
Range percentile_range(std::vector<double> replicates, double confidence = 0.95);

}  // namespace ww::stats
