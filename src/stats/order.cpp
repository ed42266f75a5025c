#include "stats/order.hpp"

#include <algorithm>
#include <cmath>

#include "base/same_math.hpp"

namespace ww::stats {
namespace {

double sorted_quantile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0;
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

// The largest j with P(B < j) <= tail, B binomial(n, 1/2); 0 if there is none.
std::size_t lower_rank(std::size_t n, double tail) {
  double log_term = -static_cast<double>(n) * same_log(2.0), sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    sum += same_exp(log_term);
    if (sum > tail) return j;
    log_term += same_log(static_cast<double>(n - j)) - same_log(static_cast<double>(j + 1));
  }
  return 0;
}

}  // namespace

double quantile(std::vector<double> samples, double p) {
  std::sort(samples.begin(), samples.end());
  return sorted_quantile(samples, p);
}

double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

MedianInterval median_interval(std::vector<double> samples, double confidence) {
  MedianInterval out;
  if (samples.empty()) return out;
  std::sort(samples.begin(), samples.end());
  out.median = sorted_quantile(samples, 0.5);
  const std::size_t n = samples.size(), j = lower_rank(n, (1 - confidence) / 2);
  out.covered = j > 0;
  out.range = out.covered ? Range{samples[j - 1], samples[n - j]} : Range{samples.front(), samples.back()};
  return out;
}

bool StopRule::satisfied(const std::vector<double>& samples) const {
  if (samples.size() < least) return false;
  const MedianInterval interval = median_interval(samples);
  return interval.covered &&
         interval.range.high - interval.range.low <= 2 * relative * std::fabs(interval.median);
}

bool MeanStopRule::within_margin(const std::vector<double>& samples) const {
  if (samples.size() < least) return false;
  const auto k = static_cast<double>(samples.size());
  double mean = 0, squares = 0;
  for (const double sample : samples) mean += sample / k;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return 1.96 * std::sqrt(squares / k) / std::sqrt(k) <= relative * std::fabs(mean);
}

bool MeanStopRule::satisfied(const std::vector<double>& samples) const {
  return samples.size() >= most || within_margin(samples);
}

}  // namespace ww::stats
