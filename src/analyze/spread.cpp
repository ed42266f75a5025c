#include "analyze/spread.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ww {

namespace {

// `at(i)`: the i-th of `count` values in their order.
double quantile(std::uint64_t count, double p, const auto& at) {
  const double place = p * static_cast<double>(count - 1);
  const auto below = static_cast<std::uint64_t>(place);
  if (below + 1 >= count) return at(count - 1);
  return at(below) + (place - static_cast<double>(below)) * (at(below + 1) - at(below));
}

Spread spread_of(std::uint64_t count, double sum, const auto& at) {
  return {count,
          sum,
          sum / static_cast<double>(count),
          quantile(count, 0.5, at),
          quantile(count, 0.95, at),
          at(0),
          at(count - 1)};
}

}  // namespace

Spread spread_of(Column<double>& values) {
  if (values.empty()) return {};
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::sort(values.begin(), values.end());
  return spread_of(values.size(), sum, [&](std::uint64_t i) { return values[i]; });
}

Spread spread_of(const std::unordered_map<std::uint64_t, std::uint64_t>& count_of) {
  if (count_of.empty()) return {};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> up_to(count_of.begin(), count_of.end());
  std::sort(up_to.begin(), up_to.end());
  std::uint64_t count = 0;
  double sum = 0;
  for (auto& [value, times] : up_to) {
    sum += static_cast<double>(value) * static_cast<double>(times);
    times = count += times;
  }
  return spread_of(count, sum, [&](std::uint64_t i) {
    const auto holds =
        std::upper_bound(up_to.begin(), up_to.end(), i,
                         [](std::uint64_t place, const auto& one) { return place < one.second; });
    return static_cast<double>(holds->first);
  });
}

nlohmann::json to_json(const Spread& spread, const std::string& unit) {
  return {{"count", spread.count},           {"sum_" + unit, spread.sum}, {"mean_" + unit, spread.mean},
          {"median_" + unit, spread.median}, {"p95_" + unit, spread.p95}, {"least_" + unit, spread.least},
          {"most_" + unit, spread.most}};
}

void Histogram::add(std::uint64_t value) {
  Bin& bin = bins_[static_cast<int>(std::bit_width(value))];
  ++bin.count;
  bin.sum += value;
}

std::uint64_t Histogram::first_of(int bin) {
  return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
}

std::uint64_t Histogram::last_of(int bin) {
  return bin == 0 ? 0 : first_of(bin) + (first_of(bin) - 1);
}

nlohmann::json sizes_json(const Histogram& histogram) {
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [bin, sum] : histogram.bins())
    json.push_back({{"from_bytes", Histogram::first_of(bin)},
                    {"to_bytes", Histogram::last_of(bin)},
                    {"messages", sum.count},
                    {"bytes", sum.sum}});
  return json;
}

TimeBins::TimeBins(std::int64_t begin_ns, std::int64_t end_ns, std::size_t bins)
    : begin_ns_(begin_ns), end_ns_(end_ns) {
  if (end_ns > begin_ns)
    sums_.assign(static_cast<std::size_t>(
                     std::min<std::uint64_t>(bins, static_cast<std::uint64_t>(end_ns - begin_ns))),
                 0.0);
}

std::int64_t TimeBins::from_ns(std::size_t bin) const {
  const auto bins = static_cast<std::int64_t>(sums_.size()), number = static_cast<std::int64_t>(bin);
  const std::int64_t span = end_ns_ - begin_ns_;
  return begin_ns_ + span / bins * number + span % bins * number / bins;
}

std::size_t TimeBins::bin_at(std::int64_t ns) const {
  const double part = static_cast<double>(ns - begin_ns_) / static_cast<double>(end_ns_ - begin_ns_);
  auto bin = std::min(static_cast<std::size_t>(part * static_cast<double>(sums_.size())), sums_.size() - 1);
  while (bin > 0 && ns < from_ns(bin)) --bin;
  while (bin + 1 < sums_.size() && ns >= to_ns(bin)) ++bin;
  return bin;
}

void TimeBins::add(std::int64_t from_ns, std::int64_t to_ns, double weight) {
  from_ns = std::max(from_ns, begin_ns_);
  to_ns = std::min(to_ns, end_ns_);
  if (sums_.empty() || from_ns >= to_ns) return;
  for (std::size_t bin = bin_at(from_ns); bin < sums_.size() && from_ns < to_ns; ++bin) {
    const std::int64_t until = std::min(to_ns, this->to_ns(bin));
    sums_[bin] += weight * static_cast<double>(until - from_ns);
    from_ns = until;
  }
}

}  // namespace ww
