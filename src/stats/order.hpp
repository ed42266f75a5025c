// Order statistics of samples whose distribution is unknown.
#pragma once
#include <cstddef>
#include <vector>

namespace ww::stats {

struct Range {
  double low = 0, high = 0;
};

// Of a copy, so that samples keep their order. 0 <= p <= 1, linear between neighbours (Hyndman & Fan 1996,
// type 7). 0 when there are none.
double quantile(std::vector<double> samples, double p);
double median(std::vector<double> samples);

struct MedianInterval {
  double median = 0;
  Range range;
  bool covered = false;  // the range holds the true median with the confidence asked for; false: too few
                         // samples, the range is that of all samples
};

// Distribution-free: the order statistics x(j), x(n+1-j) with the largest j for which P(j <= B < n+1-j) >=
// confidence, B binomial(n, 1/2) (Hahn & Meeker 1991, 5.2; Hoefler & Belli SC'15, rule 5). Needs 6 samples
// for 95%.
MedianInterval median_interval(std::vector<double> samples, double confidence = 0.95);

// Stop sampling when the interval's half width is within `relative` of the median, with `least` samples at
// least.
struct StopRule {
  double relative = 0.02;
  std::size_t least = 6;
  bool satisfied(const std::vector<double>& samples) const;
};

// S2's rule (Ross, Calc_Confidence_Interval_stop): of k samples with mean m and deviation s (k in its
// denominator) the margin is 1.96 s / sqrt(k). Stop when it is within `relative` of m, with `least` samples at
// least, and with `most` in any case. Unlike there the newest sample counts.
struct MeanStopRule {
  double relative = 0.05;
  std::size_t least = 3, most = 20;
  bool within_margin(const std::vector<double>& samples) const;
  bool satisfied(const std::vector<double>& samples) const;
};

}  // namespace ww::stats
