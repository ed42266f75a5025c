#include "analyze/alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "analyze/selection.hpp"
#include "trace/call_meaning.hpp"

namespace ww {
namespace {

constexpr std::uint32_t only_asks = ~std::uint32_t{0};

struct Call {
  std::uint32_t name;  // of the names of A, or one more for each that A has not
  std::size_t index;   // in the rank
};

// Of the program proper, of the first thread.
std::vector<Call> calls_of(const RankTrace& rank, const std::vector<std::uint32_t>& names) {
  std::vector<Call> calls;
  for (std::size_t call = 0; call < rank.calls(); ++call)
    if (names[rank.region[call]] != only_asks && rank.thread_of(call) == 0 &&
        rank.enter_ns[call] >= rank.begin_ns && rank.leave_ns[call] <= rank.end_ns)
      calls.push_back({names[rank.region[call]], call});
  return calls;
}

bool agree(const std::vector<Call>& a, const std::vector<Call>& b, std::size_t i, std::size_t j) {
  if (a[i].name != b[j].name) return false;
  const bool a_ends = i + 1 == a.size(), b_ends = j + 1 == b.size();
  return a_ends || b_ends || a[i + 1].name == b[j + 1].name;
}

// From where they differ to the nearest place where they agree again; one on in both where there is none.
std::pair<std::size_t, std::size_t> next_agreement(const std::vector<Call>& a, const std::vector<Call>& b,
                                                   std::size_t i, std::size_t j) {
  for (std::size_t far = 1; far <= 2 * most_calls_ahead; ++far)
    for (std::size_t k = far > most_calls_ahead ? far - most_calls_ahead : 0;
         k <= std::min(far, most_calls_ahead); ++k)
      if (i + k < a.size() && j + far - k < b.size() && agree(a, b, i + k, j + far - k))
        return {i + k, j + far - k};
  return {i + 1, j + 1};
}

class Aligner {
 public:
  Aligner(const Trace& a, const Trace& b, std::size_t bins, std::size_t most_steps)
      : a_(a), b_(b), most_steps_(most_steps) {
    std::map<std::string, std::uint32_t> numbers;
    for (const auto* trace : {&a, &b})
      for (const std::string& name : trace->regions)
        numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size()));
    const auto named = [&](const Trace& trace) {
      std::vector<std::uint32_t> list;
      for (const std::string& name : trace.regions)
        list.push_back(meaning_by_name(name).manner == CallManner::polls ? only_asks : numbers.at(name));
      return list;
    };
    names_a_ = named(a), names_b_ = named(b);
    found_.calls.resize(numbers.size());
    for (const auto& [name, number] : numbers) found_.calls[number].name = name;
    found_.computing.name = "computing", found_.not_aligned.name = "not aligned";
    found_.bins = std::max<std::size_t>(1, bins);
    std::int64_t last_ns = a.begin_ns() + 1;
    for (const RankTrace& rank : a.ranks) last_ns = std::max(last_ns, rank.end_ns);
    found_.bin_ns = static_cast<double>(last_ns - a.begin_ns()) / static_cast<double>(found_.bins);
  }

  Alignment run() {
    found_.ranks.resize(std::min(a_.ranks.size(), b_.ranks.size()));
    for (std::size_t r = 0; r < found_.ranks.size(); ++r) take_rank(r);
    keep_steps(most_steps_);
    std::erase_if(found_.calls, [](const LagOfCall& call) { return call.count == 0; });
    std::stable_sort(found_.calls.begin(), found_.calls.end(), [](const LagOfCall& x, const LagOfCall& y) {
      return std::abs(x.later_s) > std::abs(y.later_s);
    });
    return std::move(found_);
  }

 private:
  std::int64_t since_a(std::int64_t ns) const { return ns - a_.begin_ns(); }
  std::int64_t since_b(std::int64_t ns) const { return ns - b_.begin_ns(); }

  void take_rank(std::size_t r) {
    const RankTrace &rank_a = a_.ranks[r], &rank_b = b_.ranks[r];
    const auto calls_a = calls_of(rank_a, names_a_), calls_b = calls_of(rank_b, names_b_);
    RankLag& lag = found_.ranks[r];
    lag.calls_a = calls_a.size(), lag.calls_b = calls_b.size();
    lag.later_ns.assign(found_.bins, std::nan(""));
    std::int64_t a_ns = since_a(rank_a.begin_ns), b_ns = since_b(rank_b.begin_ns);
    lag.begin_later_ns = b_ns - a_ns;
    at(lag, a_ns, b_ns);
    std::size_t i = 0, j = 0;
    bool skipped = false;
    while (i < calls_a.size() && j < calls_b.size()) {
      if (calls_a[i].name != calls_b[j].name) {
        std::tie(i, j) = next_agreement(calls_a, calls_b, i, j);
        skipped = true;
        continue;
      }
      const std::size_t call = calls_a[i].index, other = calls_b[j].index;
      LagStep step{r,    a_.regions[rank_a.region[call]], false, call,
                   a_ns, since_a(rank_a.enter_ns[call]),  b_ns,  since_b(rank_b.enter_ns[other])};
      take(lag, step, skipped ? found_.not_aligned : found_.computing);
      step.in_call = true;
      step.a_from_ns = step.a_to_ns, step.a_to_ns = since_a(rank_a.leave_ns[call]);
      step.b_from_ns = step.b_to_ns, step.b_to_ns = since_b(rank_b.leave_ns[other]);
      take(lag, step, found_.calls[calls_a[i].name]);
      a_ns = step.a_to_ns, b_ns = step.b_to_ns;
      skipped = false;
      ++lag.aligned, ++i, ++j;
    }
    // What is after the last that are aligned is no step: it belongs to no call.
    skipped = skipped || i < calls_a.size() || j < calls_b.size();
    const std::int64_t a_end_ns = since_a(rank_a.end_ns), b_end_ns = since_b(rank_b.end_ns);
    add(skipped ? found_.not_aligned : found_.computing, (b_end_ns - b_ns) - (a_end_ns - a_ns));
    at(lag, a_end_ns, b_end_ns);
    lag.end_later_ns = b_end_ns - a_end_ns;
    double before = static_cast<double>(lag.begin_later_ns);
    for (double& later : lag.later_ns) later = before = std::isnan(later) ? before : later;
  }
  void at(RankLag& lag, std::int64_t a_ns, std::int64_t b_ns) const {
    const double bin = std::floor(static_cast<double>(std::max<std::int64_t>(0, a_ns)) / found_.bin_ns);
    lag.later_ns[std::min(found_.bins - 1, static_cast<std::size_t>(bin))] = static_cast<double>(b_ns - a_ns);
  }
  static void add(LagOfCall& sum, std::int64_t grew_ns) {
    ++sum.count;
    sum.later_s += seconds_of(grew_ns);
  }
  void take(RankLag& lag, LagStep& step, LagOfCall& sum) {
    step.later_ns = step.b_to_ns - step.a_to_ns;
    add(sum, step.grew_ns());
    at(lag, step.a_to_ns, step.b_to_ns);
    ++found_.all_steps;
    if (std::abs(step.grew_ns()) < least_kept_ns_ || most_steps_ == 0) return;
    found_.steps.push_back(step);
    if (found_.steps.size() >= 4 * most_steps_) keep_steps(most_steps_);
  }
  void keep_steps(std::size_t most) {
    std::stable_sort(found_.steps.begin(), found_.steps.end(), [](const LagStep& x, const LagStep& y) {
      return std::abs(x.grew_ns()) > std::abs(y.grew_ns());
    });
    if (found_.steps.size() <= most) return;
    found_.steps.resize(most);
    least_kept_ns_ = most == 0 ? 0 : std::abs(found_.steps.back().grew_ns());
  }

  const Trace &a_, &b_;
  std::size_t most_steps_;
  std::vector<std::uint32_t> names_a_, names_b_;
  std::int64_t least_kept_ns_ = 0;
  Alignment found_;
};

}  // namespace

Alignment align(const Trace& a, const Trace& b, std::size_t bins, std::size_t most_steps) {
  return Aligner(a, b, bins, most_steps).run();
}

}  // namespace ww
