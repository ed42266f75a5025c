// Half the round trip over sizes (S2), until the median of each is narrow, or by S2's own rule. Sizes are
// visited in a new random order in every pass, so that a drift of the machine does not look like a dependence
// on size; each size is left alone when the interval of its median is narrow. Some sizes are drawn at random
// and marked: they check the fit and are not part of it. In the first launch further sizes are placed where a
// piecewise fit of what is known is worst.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "measure/program/experiment.hpp"
#include "stats/stats.hpp"

namespace ww::measure {
namespace {

constexpr stats::StopRule stop_rule{0.003, 9};
constexpr std::size_t most_samples = 400;
constexpr double visit_s = 0.005;   // a visit of a size, where that is several round trips
constexpr double sample_s = 20e-6;  // a sample lasts this long at least: reading the clock takes 20 to 40 ns
constexpr double long_round_trip_s = 0.02;
constexpr std::size_t least_visits = 8;
constexpr int check_sizes = 12;
constexpr std::size_t most_added = 10, added_at_a_time = 2;
constexpr double worth_a_size = 0.01;  // of the time: what the fit misses there

// S2's rule, and its round trips in a round: 186, and 8 fewer for each doubling of the message from one double.
constexpr stats::MeanStopRule mean_rule{};
constexpr std::int64_t most_passes = 186, fewer_passes = 8, least_passes = 10;
// Of the time that is left: what the least rounds of all sizes may take.
constexpr double part_of_least_rounds = 0.8;

// `part`: of as many as it should be, for want of time.
std::int64_t passes_of(std::int64_t bytes, double part) {
  const double doublings = std::floor(std::log2(std::max(1.0, static_cast<double>(bytes) / sizeof(double))));
  const std::int64_t passes =
      std::max(least_passes, most_passes - fewer_passes * static_cast<std::int64_t>(doublings));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(part * static_cast<double>(passes)));
}

struct Size {
  std::int64_t bytes = 0;
  bool check = false;
  std::vector<double> one_way_s = {};
  std::vector<std::size_t> visits = {};  // samples of each
  std::int64_t passes = 0;               // round trips in a round of S2's rule; 0: by the median

  bool satisfied() const {
    if (passes > 0) return mean_rule.satisfied(one_way_s);
    // one visit sees one mood of the machine
    if (visits.size() >= least_visits && (one_way_s.size() >= most_samples || stop_rule.satisfied(one_way_s)))
      return true;
    // where a round trip takes long, it is quiet: three that agree closely
    const auto [low, high] = std::minmax_element(one_way_s.begin(), one_way_s.end());
    return one_way_s.size() >= 3 && *low > 5e-3 && *high - *low < stop_rule.relative * *low;
  }
};

std::vector<Size> planned(const std::map<std::int64_t, bool>& sizes) {
  std::vector<Size> out;
  for (const auto& [bytes, check] : sizes) out.push_back({bytes, check});
  return out;
}

std::vector<Size> plan(Session& session) {
  std::map<std::int64_t, bool> sizes;  // bytes -> only a check
  const auto& terms = session.terms();
  if (const auto given = terms.sizes.find(session.between()); given != terms.sizes.end()) {
    for (const std::int64_t bytes : given->second) sizes[bytes] = false;
    if (const auto checks = terms.checks.find(session.between()); checks != terms.checks.end())
      for (const std::int64_t bytes : checks->second) sizes.emplace(bytes, true);
    return planned(sizes);
  }
  for (std::int64_t bytes = 1; bytes <= session.largest_bytes(); bytes *= 2) {
    sizes[bytes] = false;
    if (bytes >= 64 && bytes * 3 / 2 <= session.largest_bytes()) sizes[bytes * 3 / 2] = false;
  }
  if (session.eager_threshold_bytes) {
    const std::int64_t at = *session.eager_threshold_bytes;
    sizes[at] = false;
    if (at < session.largest_bytes()) sizes[at + 1] = false;
  }
  std::uniform_real_distribution<double> exponent(3, 20);
  for (int i = 0; i < check_sizes; ++i) {
    const auto bytes = static_cast<std::int64_t>(std::exp2(exponent(session.random())));
    if (bytes <= session.largest_bytes()) sizes.emplace(bytes, true);
  }
  return planned(sizes);
}

// A size whose round trip takes long is visited in every n-th pass only: the time goes to the many short
// ones, which vary more.
int period(const Session& session, const Size& size) {
  return static_cast<int>(std::clamp(2 * session.estimate_s(size.bytes) / long_round_trip_s, 1.0, 24.0));
}

// A round: one sample, of all its passes together.
void visit_by_mean(Session& session, Size& size) {
  size.one_way_s.push_back(session.round_trips(size.bytes, size.bytes, 1, size.passes)[0] / 2);
  size.visits.push_back(1);
  session.learn(size.bytes, stats::median(size.one_way_s));
}

// What part of the passes fits into the time, in the least rounds of all sizes.
double part_of_passes(const Session& session, const std::vector<Size>& sizes, double left_s) {
  double needed_s = 0;
  for (const Size& size : sizes)
    needed_s += static_cast<double>(mean_rule.least) * static_cast<double>(passes_of(size.bytes, 1)) * 2 *
                session.estimate_s(size.bytes);
  return std::min(1.0, part_of_least_rounds * left_s / std::max(1e-9, needed_s));
}

double visit_takes_s(const Session& session, const Size& size) {
  return 2 * session.estimate_s(size.bytes) * static_cast<double>(std::max<std::int64_t>(1, size.passes));
}

void visit(Session& session, Size& size) {
  if (size.passes > 0) return visit_by_mean(session, size);
  const double round_trip_s = 2 * session.estimate_s(size.bytes);
  const auto block = std::max<std::int64_t>(1, std::llround(sample_s / std::max(1e-9, round_trip_s)));
  const auto count = std::clamp<std::int64_t>(
      std::llround(visit_s / std::max(1e-9, round_trip_s * static_cast<double>(block))), 1, 40);
  // the first of several round trips still carries what the size before left in the caches
  const bool drop_first = count >= 4;
  auto seconds = session.round_trips(size.bytes, size.bytes, count, block);
  for (auto it = seconds.begin() + (drop_first ? 1 : 0); it != seconds.end(); ++it)
    size.one_way_s.push_back(*it / 2);
  size.visits.push_back(seconds.size() - (drop_first ? 1 : 0));
  session.learn(size.bytes, stats::median(size.one_way_s));
}

// A size between two neighbours where the fit of the medians misses them most, or where two of its lines do
// not meet: 0 where nothing is worth it. Of neighbours that are close together nothing is to be learned.
std::int64_t worst_placed(const Session& session, const std::vector<Size>& sizes) {
  std::vector<stats::Point> points;
  for (const Size& size : sizes)
    if (!size.check && !size.one_way_s.empty()) {
      const double median_s = stats::median(size.one_way_s);
      points.push_back({static_cast<double>(size.bytes), median_s, 1 / (median_s * median_s)});
    }
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  stats::SegmentOptions options;
  options.noise = worth_a_size / 2;
  if (session.eager_threshold_bytes)
    options.expected_breaks.push_back(static_cast<double>(*session.eager_threshold_bytes));
  const auto segments = stats::fit_segments(points, options);
  double worst = worth_a_size;
  std::int64_t found = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const auto &low = points[i], &high = points[i + 1];
    if (high.x - low.x < 16 || high.x < 1.05 * low.x) continue;
    const double middle = std::round(std::sqrt(low.x * high.x));
    double missed = 0;
    for (const auto* point : {&low, &high})
      missed = std::max(missed, std::fabs(stats::value_at(segments, point->x) / point->y - 1));
    for (const auto& segment : segments)
      if (segment.to >= low.x && segment.to < high.x && &segment != &segments.back()) {
        const double jump = (&segment + 1)->line.at(segment.to) / segment.line.at(segment.to) - 1;
        missed = std::max(missed, std::fabs(jump) / 2);
      }
    if (missed <= worst) continue;
    worst = missed;
    found = static_cast<std::int64_t>(middle);
  }
  return found;
}

void lead(Session& session, double budget_s) {
  const double begin = now_s(), end = begin + budget_s;
  auto sizes = plan(session);
  // Upwards once, to learn what a visit takes and which sizes this budget cannot afford.
  std::size_t affordable = 0;
  for (Size& size : sizes) {
    const double expected_s = 2 * session.estimate_s(size.bytes);
    if (expected_s > budget_s / 15 || now_s() + expected_s > begin + 0.45 * budget_s) break;
    session.round_trips(size.bytes, size.bytes, 1);
    session.learn(size.bytes, session.round_trips(size.bytes, size.bytes, 1)[0] / 2);
    ++affordable;
    if (now_s() > end) break;
  }
  sizes.resize(affordable);
  const bool by_mean = session.terms().stop_at_mean;
  const double part = by_mean ? part_of_passes(session, sizes, end - now_s()) : 0;
  for (Size& size : sizes) size.passes = by_mean ? passes_of(size.bytes, part) : 0;
  std::vector<std::size_t> open(sizes.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  const bool refines = session.terms().launch == 0 && !session.terms().quick;
  std::size_t added = 0;
  for (int pass = 0; !open.empty() && now_s() < end; ++pass) {
    std::vector<std::size_t> now;
    for (const std::size_t i : open)
      if (by_mean || pass % period(session, sizes[i]) == 0) now.push_back(i);
    std::shuffle(now.begin(), now.end(), session.random());
    session.progress("ping-pong, pass " + std::to_string(pass + 1) + ", " + std::to_string(open.size()) +
                     " sizes open");
    for (const std::size_t i : now)
      if (now_s() + visit_takes_s(session, sizes[i]) <= end) visit(session, sizes[i]);
    std::erase_if(open, [&](std::size_t i) { return sizes[i].satisfied(); });
    for (std::size_t k = 0; refines && pass >= 2 && k < added_at_a_time && added < most_added; ++k) {
      const std::int64_t bytes = worst_placed(session, sizes);
      if (bytes == 0 || now_s() + 6 * session.estimate_s(bytes) > end) break;
      sizes.push_back({bytes});
      if (by_mean) sizes.back().passes = passes_of(bytes, part);
      visit(session, sizes.back());
      open.push_back(sizes.size() - 1);
      ++added;
    }
  }
  session.stop();
  for (const Size& size : sizes)
    if (!size.one_way_s.empty()) {
      nlohmann::json record = {{"bytes", size.bytes},
                               {"check", size.check},
                               {"visits", size.visits},
                               {"one_way_s", size.one_way_s}};
      if (by_mean) {
        record["passes"] = size.passes;
        record["within_margin"] = mean_rule.within_margin(size.one_way_s);
      }
      session.emit("pingpong", record);
    }
}

void follow(Session& session) {
  while (const auto order = session.next_order()) session.answer_round_trips(*order);
}

}  // namespace

const Experiment ping_pong{"ping-pong", "half the round trip over sizes", 0.55, When::always, lead, follow};

}  // namespace ww::measure
