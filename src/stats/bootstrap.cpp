#include "stats/bootstrap.hpp"

namespace ww::stats {

std::vector<double> Resampler::resample(const std::vector<double>& samples) {
  std::vector<double> out;
  out.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) out.push_back(samples[random_() % samples.size()]);
  return out;
}

double Resampler::normal() {
  constexpr double steps = 4294967296.0;  // of 32 bits
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_() >> 32) / steps;
  return sum - 6;
}

Range percentile_range(std::vector<double> replicates, double confidence) {
  return {quantile(replicates, (1 - confidence) / 2), quantile(replicates, (1 + confidence) / 2)};
}

}  // namespace ww::stats
