#include "stats/bootstrap.hpp"

namespace ww::stats {

std::vector<double> Resampler::resample(const std::vector<double>& samples) {
  std::vector<double> out;
  out.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) out.push_back(samples[random_() % samples.size()]);
  return out;
}

Range percentile_range(std::vector<double> replicates, double confidence) {
  return {quantile(replicates, (1 - confidence) / 2), quantile(replicates, (1 + confidence) / 2)};
}

}  // namespace ww::stats
