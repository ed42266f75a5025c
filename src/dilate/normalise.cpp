#include "dilate/normalise.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "trace/dilated_spans.hpp"

namespace ww {
namespace {

using Spans = std::vector<DilatedSpan>;

double factor_at(const Spans& spans, std::int64_t ns) {
  const auto after =
      std::upper_bound(spans.begin(), spans.end(), ns,
                       [](std::int64_t at, const DilatedSpan& span) { return at < span.from_ns; });
  return after == spans.begin() ? spans.front().factor : std::prev(after)->factor;
}

double divided_s(const Spans& spans) {
  double sum = 0;
  for (const DilatedSpan& span : spans) sum += seconds_of(span.to_ns - span.from_ns) / span.factor;
  return sum;
}

// Of a rank what lies in its spans of that D, in real time.
Components components_at(double factor, const Trace& trace, const Breakdown& breakdown, std::size_t number,
                         const Spans& spans) {
  const RankTrace& rank = trace.ranks[number];
  const Breakdown::CallSplit& split = breakdown.splits[number];
  std::int64_t all = 0, in_calls = 0, send = 0, algorithmic = 0, service = 0, by_algorithm = 0;
  for (const DilatedSpan& span : spans)
    if (span.factor == factor) all += span.to_ns - span.from_ns;
  for (std::size_t call = 0; call < rank.calls(); ++call) {
    if (factor_at(spans, rank.enter_ns[call]) != factor) continue;
    const std::int64_t took = time_in_program(rank, call);
    in_calls += took;
    algorithmic += split.algorithmic_ns[call];
    service += split.service_ns[call];
    if (took > 0 && only_begins_sends(rank, call))
      send += took - split.algorithmic_ns[call] - split.service_ns[call];
  }
  for (const Delays::Pause& pause : breakdown.delays.ranks[number].pauses)
    if (factor_at(spans, rank.enter_ns[pause.call]) == factor) by_algorithm += pause.to_ns - pause.from_ns;
  Components components;
  components.user_s = seconds_of(all - in_calls);
  components.send_s = seconds_of(send);
  components.communication_s = seconds_of(in_calls - algorithmic - service - send);
  components.receive_wait_s = seconds_of(algorithmic + service);
  components.algorithmic_s = seconds_of(algorithmic);
  components.by_algorithm_s = seconds_of(by_algorithm);
  components.followed = true;
  return components;
}

double largest_distance_s(const std::vector<Spans>& ranks) {
  std::set<std::int64_t> changes;
  for (const Spans& spans : ranks)
    for (const DilatedSpan& span : spans) changes.insert({span.from_ns, span.to_ns});
  double sum = 0;
  for (auto from = changes.begin(); from != changes.end() && std::next(from) != changes.end(); ++from) {
    double least = 1e300, most = 0;
    for (const Spans& spans : ranks) {
      if (*from < spans.front().from_ns || *from >= spans.back().to_ns) continue;
      const double rate = 1 / factor_at(spans, *from);
      least = std::min(least, rate);
      most = std::max(most, rate);
    }
    if (most > least) sum += (most - least) * seconds_of(*std::next(from) - *from);
  }
  return sum;
}

}  // namespace

NormalisedRun normalise(const Trace& trace, const BreakdownAt& breakdown_at) {
  NormalisedRun out;
  const std::vector<Spans> spans = dilated_spans(trace);
  if (!sets_dilation(trace)) {
    out.elapsed_s = trace.elapsed_s() / trace.dilation;
    out.ranks = components_of(trace, breakdown_at(trace.dilation), trace.dilation);
    return out;
  }
  std::map<double, double> time_s;
  const std::int64_t first_ns = trace.begin_ns();
  for (std::size_t r = 0; r < spans.size(); ++r) {
    RankComponents rank;
    rank.rank = static_cast<std::int32_t>(r);
    rank.elapsed_s = divided_s(spans[r]);
    out.ranks.push_back(rank);
    const DilatedSpan& first = spans[r].front();
    out.elapsed_s =
        std::max(out.elapsed_s, seconds_of(first.from_ns - first_ns) / first.factor + rank.elapsed_s);
    for (const DilatedSpan& span : spans[r])
      time_s[span.factor] += seconds_of(span.to_ns - span.from_ns) / static_cast<double>(spans.size());
  }
  for (const auto& [factor, elapsed_s] : time_s) {
    out.set_by_program.push_back({factor, elapsed_s});
    const Breakdown breakdown = breakdown_at(factor);
    for (std::size_t r = 0; r < spans.size(); ++r)
      out.ranks[r].components += components_at(factor, trace, breakdown, r, spans[r]) / factor;
  }
  out.apart_s = largest_distance_s(spans);
  return out;
}

}  // namespace ww
