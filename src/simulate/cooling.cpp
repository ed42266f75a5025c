#include "simulate/cooling.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "base/same_math.hpp"
#include "stats/order.hpp"

namespace ww::simulate {
namespace {

constexpr double short_ones = 0.05;         // of a rank's computation, together
constexpr std::size_t enough_pairs = 8;     // below, a sign test at 95% can hardly tell
constexpr double waits_differ = 0.2;        // of what there is to lose, mean of a kind, to tell a slope from
constexpr std::size_t most_pairs = 20'000;  // of a kind, that a fit sorts; totals are of all
constexpr double deviations = 1.959964;     // of a normal distribution, 95% within
constexpr double likelihood = 1.92;         // half of the chi-squared quantile, one degree of freedom, 95%
constexpr double at_least_open = 2;         // lasts_s by this factor up and down
constexpr double much_longer = 1.5, always_tolerated_s = 5e-6;  // as without_disturbances() has it

// A computation in two runs.
struct Twice {
  double recorded_s = 0, other_s = 0;
  double recorded_away_s = 0, other_away_s = 0;
  double weight_s = 0;  // their geometric mean

  double log_ratio() const { return same_log(recorded_s / other_s); }
  double more_lost(const CoolingRule& rule) const {
    return rule.lost(recorded_away_s) - rule.lost(other_away_s);
  }
};

struct Slope {
  double value = 0, low = 0, high = 0;
  bool known = false;
};

// The weighted median of y / x is the slope b with the least sum of w |y - b x|, and the interval holds the
// slopes for which the signs of the residuals, weighted, are as even as chance has them at 95%.
Slope slope_of(const std::vector<Twice>& twice, const CoolingRule& rule) {
  std::vector<std::pair<double, double>> ratios;  // y / x, w |x|
  double sum = 0, squares = 0, weights_s = 0;
  for (const Twice& one : twice) {
    weights_s += one.weight_s;
    const double x = one.more_lost(rule), weight = one.weight_s * std::fabs(x);
    if (weight <= 0) continue;
    ratios.emplace_back(one.log_ratio() / x, weight);
    sum += weight;
    squares += weight * weight;
  }
  Slope out;
  if (ratios.empty()) return out;
  std::sort(ratios.begin(), ratios.end());
  const double beside = deviations * std::sqrt(squares) / 2;
  const auto at = [&](double weight) {
    double before = 0;
    for (const auto& [ratio, of] : ratios)
      if ((before += of) >= weight) return ratio;
    return ratios.back().first;
  };
  out.value = at(sum / 2);
  out.low = at(std::max(0.0, sum / 2 - beside));
  out.high = at(std::min(sum, sum / 2 + beside));
  out.known = ratios.size() >= enough_pairs && sum >= waits_differ * weights_s;
  return out;
}

double sum_of_errors(const std::vector<Twice>& twice, const CoolingRule& rule, double slope) {
  double sum = 0;
  for (const Twice& one : twice)
    sum += one.weight_s * std::fabs(one.log_ratio() - slope * one.more_lost(rule));
  return sum;
}

class Fit {
 public:
  explicit Fit(std::span<const RunPair> pairs) : pairs_(pairs) {}

  Cooling find() {
    for (const RunPair& pair : pairs_)
      if (std::find(out_.also.begin(), out_.also.end(), pair.other->of) == out_.also.end())
        out_.also.push_back(pair.other->of);
    for (std::size_t rank = 0; rank < pairs_.front().recorded->ranks.size(); ++rank) sort_into_kinds(rank);
    take_pairs();
    find_rule();
    find_left_over();
    return std::move(out_);
  }

 private:
  const Computed::Rank& recorded(std::size_t pair, std::size_t rank) const {
    return pairs_[pair].recorded->ranks[rank];
  }
  const Computed::Rank& other(std::size_t pair, std::size_t rank) const {
    return pairs_[pair].other->ranks[rank];
  }

  // The mean of the logarithms over all runs, so that a computation is of the same kind in each.
  std::vector<double> lengths_of(std::size_t rank) const {
    std::vector<double> logs(recorded(0, rank).seconds.size(), 0.0);
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
      for (std::size_t i = 0; i < logs.size(); ++i)
        logs[i] += same_log(std::max(1e-9, recorded(pair, rank).seconds[i])) +
                   same_log(std::max(1e-9, other(pair, rank).seconds[i]));
    for (double& log : logs) log = same_exp(log / (2 * static_cast<double>(pairs_.size())));
    return logs;
  }

  void sort_into_kinds(std::size_t rank) {
    const std::vector<double> length_s = lengths_of(rank);
    std::vector<std::size_t> order(length_s.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return length_s[a] > length_s[b]; });
    double left_s = (1 - short_ones) * std::accumulate(length_s.begin(), length_s.end(), 0.0);
    auto& kind_of = out_.kind_of.emplace_back(length_s.size(), Cooling::too_short);
    const Computed& first = *pairs_.front().recorded;
    const auto& calls = first.ranks[rank].calls;
    for (const std::size_t i : order) {
      if (left_s <= 0 || length_s[i] < always_tolerated_s) break;
      left_s -= length_s[i];
      const std::string after = i == 0 ? "" : first.names[calls[i - 1]],
                        before = i < calls.size() ? first.names[calls[i]] : "";
      const int octave = static_cast<int>(std::floor(std::log2(length_s[i])));
      const auto [at, is_new] = numbers_.try_emplace({after, before, octave}, out_.kinds.size());
      if (is_new) out_.kinds.push_back({.after = after, .before = before});
      kind_of[i] = static_cast<std::uint32_t>(at->second);
    }
  }

  void take_pairs() {
    twice_.resize(out_.kinds.size());
    double recorded_s = 0, other_s = 0;
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair)
      for (std::size_t rank = 0; rank < out_.kind_of.size(); ++rank) {
        const Computed::Rank &a = recorded(pair, rank), &b = other(pair, rank);
        const std::vector<bool> counts = out_.counts(rank);
        const std::vector<double> away_a_s = away_before(a, counts), away_b_s = away_before(b, counts);
        for (std::size_t i = 0; i < a.seconds.size(); ++i) {
          const std::uint32_t kind = out_.kind_of[rank][i];
          if (kind == Cooling::too_short || away_a_s[i] == never_before || a.seconds[i] <= 0 ||
              b.seconds[i] <= 0)
            continue;
          twice_[kind].push_back(
              {a.seconds[i], b.seconds[i], away_a_s[i], away_b_s[i], std::sqrt(a.seconds[i] * b.seconds[i])});
        }
        recorded_s += std::accumulate(a.between_s.begin(), a.between_s.end(), 0.0);
        other_s += std::accumulate(b.between_s.begin(), b.between_s.end(), 0.0);
      }
    if (recorded_s > 0) out_.waits_ratio = other_s / recorded_s;
    for (std::size_t kind = 0; kind < twice_.size(); ++kind) {
      CoolingKind& to = out_.kinds[kind];
      std::vector<double> lengths;
      for (const Twice& one : twice_[kind]) {
        to.recorded_s += one.recorded_s;
        to.other_s += one.other_s;
        lengths.push_back(one.weight_s);
      }
      to.computations = lengths.size();
      to.about_s = stats::median(lengths);
      thinned_.push_back(thinned(twice_[kind]));
    }
  }

  static std::vector<Twice> thinned(const std::vector<Twice>& all) {
    const std::size_t step = std::max<std::size_t>(1, (all.size() + most_pairs - 1) / most_pairs);
    std::vector<Twice> out;
    for (std::size_t i = 0; i < all.size(); i += step) out.push_back(all[i]);
    return out;
  }

  // From a quarter of the short times away to twice the long ones, by sqrt 2: what lasts shorter is lost in all
  // of them, what lasts longer than that grows in proportion.
  std::vector<double> grid() const {
    std::vector<double> away_s;
    for (const auto& kind : thinned_)
      for (const Twice& one : kind)
        for (const double s : {one.recorded_away_s, one.other_away_s})
          if (s > 0) away_s.push_back(s);
    if (away_s.empty()) return {};
    std::sort(away_s.begin(), away_s.end());
    const double low_s = away_s[away_s.size() / 10] / 4, high_s = away_s[away_s.size() * 9 / 10] * 2;
    std::vector<double> out;
    for (double s = std::max(low_s, high_s * 1e-9); s <= high_s; s *= std::sqrt(2.0)) out.push_back(s);
    return out;
  }

  double errors_at(double lasts_s) const {
    const CoolingRule rule{lasts_s, {}};
    double sum = 0;
    for (std::size_t kind = 0; kind < thinned_.size(); ++kind)
      if (out_.kinds[kind].depends)
        sum += sum_of_errors(thinned_[kind], rule, slope_of(thinned_[kind], rule).value);
    return sum;
  }

  CoolingRule rule_at(double lasts_s) const {
    CoolingRule out{lasts_s, std::vector<double>(thinned_.size(), 0.0)};
    for (std::size_t kind = 0; kind < thinned_.size(); ++kind)
      if (out_.kinds[kind].depends) out.grows[kind] = slope_of(thinned_[kind], out).value;
    return out;
  }

  void find_rule() {
    const std::vector<double> all_s = grid();
    out_.rule.grows.assign(out_.kinds.size(), 0.0);
    if (all_s.empty()) return;
    // Which kinds depend is asked at the value that is possible for all of them, and that is found again for those.
    for (CoolingKind& kind : out_.kinds) kind.depends = true;
    for (int pass = 0; pass < 2 && out_.depends(); ++pass) {
      const std::vector<double> possible_s = possible(all_s);
      out_.rule.lasts_s = possible_s[possible_s.size() / 2];
      out_.lasts_low_s = std::min(possible_s.front(), out_.rule.lasts_s / at_least_open);
      out_.lasts_high_s = std::max(possible_s.back(), out_.rule.lasts_s * at_least_open);
      test_kinds(out_.rule.lasts_s);
    }
    out_.rule = rule_at(out_.rule.lasts_s);
    if (out_.depends()) set_also_possible();
  }

  // Of all values those that the kinds that depend do not rule out, in order; where they tell nothing, all.
  std::vector<double> possible(const std::vector<double>& all_s) const {
    double sum = 0, squares = 0;
    for (std::size_t kind = 0; kind < thinned_.size(); ++kind)
      if (out_.kinds[kind].depends)
        for (const Twice& one : thinned_[kind]) sum += one.weight_s, squares += one.weight_s * one.weight_s;
    if (sum <= 0) return all_s;
    std::vector<double> errors;
    for (const double lasts_s : all_s) errors.push_back(errors_at(lasts_s));
    constexpr double rounding = 1e-9;
    const double as_many = sum * sum / squares,
                 limit = *std::min_element(errors.begin(), errors.end()) * same_exp(likelihood / as_many) +
                         rounding * sum;
    std::vector<double> out;
    for (std::size_t i = 0; i < all_s.size(); ++i)
      if (errors[i] <= limit) out.push_back(all_s[i]);
    return out;
  }

  void test_kinds(double lasts_s) {
    const CoolingRule rule{lasts_s, {}};
    for (std::size_t kind = 0; kind < thinned_.size(); ++kind) {
      const Slope slope = slope_of(thinned_[kind], rule);
      CoolingKind& to = out_.kinds[kind];
      to.grows = slope.value;
      to.grows_low = slope.low;
      to.grows_high = slope.high;
      to.depends = to.depends && slope.known && (slope.low > 0 || slope.high < 0);
    }
  }

  void set_also_possible() {
    out_.also_possible = {rule_at(out_.lasts_low_s), rule_at(out_.lasts_high_s), out_.rule, out_.rule};
    for (std::size_t kind = 0; kind < out_.kinds.size(); ++kind)
      if (out_.kinds[kind].depends) {
        out_.also_possible[2].grows[kind] = out_.kinds[kind].grows_low;
        out_.also_possible[3].grows[kind] = out_.kinds[kind].grows_high;
      }
  }

  void find_left_over() {
    double all_s = 0, off_s = 0;
    for (std::uint32_t kind = 0; kind < twice_.size(); ++kind) {
      double of_kind_s = 0;
      for (const Twice& one : twice_[kind]) {
        const double found_s = one.other_s * out_.rule.factor(kind, one.recorded_away_s, one.other_away_s);
        if (one.recorded_s > much_longer * found_s + always_tolerated_s ||
            found_s > much_longer * one.recorded_s + always_tolerated_s)
          continue;
        of_kind_s += found_s - one.recorded_s;
        all_s += one.recorded_s;
      }
      off_s += std::fabs(of_kind_s);
    }
    out_.left_over = all_s > 0 ? off_s / all_s : 0;
  }

  std::span<const RunPair> pairs_;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> numbers_;
  std::vector<std::vector<Twice>> twice_, thinned_;  // by kind
  Cooling out_;
};

}  // namespace

double CoolingRule::lost(double away_s) const {
  return lasts_s > 0 ? -same_expm1(-std::max(0.0, away_s) / lasts_s) : 0;
}

double CoolingRule::factor(std::uint32_t kind, double away_s, double other_away_s) const {
  const double by = grows[kind];
  return by == 0 ? 1 : same_exp(by * (lost(away_s) - lost(other_away_s)));
}

bool Cooling::depends() const {
  return std::any_of(kinds.begin(), kinds.end(), [](const CoolingKind& kind) { return kind.depends; });
}

std::vector<bool> Cooling::counts(std::size_t rank) const {
  std::vector<bool> out;
  for (const std::uint32_t kind : kind_of[rank]) out.push_back(kind != too_short);
  return out;
}

Result<Cooling> find_cooling(std::span<const RunPair> pairs) {
  WW_INVARIANT(!pairs.empty());
  for (const RunPair& pair : pairs) {
    WW_CHECK(made_the_same_calls(*pairs.front().recorded, *pair.recorded));
    WW_CHECK(made_the_same_calls(*pair.recorded, *pair.other));
  }
  return Fit(pairs).find();
}

Result<std::shared_ptr<const Cooling>> compare_computation(const Trace& recorded,
                                                           std::span<const Computed> others) {
  WW_TRY(const Computed computed, real_computation_in(recorded));
  std::vector<RunPair> pairs;
  for (const Computed& other : others) pairs.push_back({&computed, &other});
  WW_TRY(Cooling cooling, find_cooling(pairs));
  return std::make_shared<const Cooling>(std::move(cooling));
}

}  // namespace ww::simulate
