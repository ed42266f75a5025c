#include "trace/dilated_spans.hpp"

#include <algorithm>

#include "interpose/core/spool_format.hpp"

namespace ww {
namespace {

bool is_factor(const Trace& trace, const UserValue& value) {
  return value.name < trace.user.values.size() && !trace.user.values[value.name].whole &&
         trace.user.values[value.name].name == spool::dilation_value;
}

}  // namespace

std::vector<DilatedSpan> dilated_spans(const Trace& trace, const RankTrace& rank) {
  std::vector<DilatedSpan> spans{{rank.begin_ns, rank.end_ns, trace.dilation}};
  if (trace.dilation <= 1) return spans;
  for (const UserValue& value : rank.user.values) {
    if (!is_factor(trace, value)) continue;
    const double factor = value.number(trace.user.values[value.name]);
    const std::int64_t at = std::clamp(value.at_ns, spans.back().from_ns, rank.end_ns);
    if (!(factor >= 1) || factor == spans.back().factor) continue;
    if (at == rank.end_ns) break;
    spans.back().to_ns = at;
    if (spans.back().from_ns == at) spans.pop_back();
    if (!spans.empty() && spans.back().factor == factor)
      spans.back().to_ns = rank.end_ns;
    else
      spans.push_back({at, rank.end_ns, factor});
  }
  return spans;
}

std::vector<std::vector<DilatedSpan>> dilated_spans(const Trace& trace) {
  std::vector<std::vector<DilatedSpan>> all;
  for (const RankTrace& rank : trace.ranks) all.push_back(dilated_spans(trace, rank));
  return all;
}

bool sets_dilation(const Trace& trace) {
  return std::any_of(trace.ranks.begin(), trace.ranks.end(), [&](const RankTrace& rank) {
    return std::any_of(rank.user.values.begin(), rank.user.values.end(),
                       [&](const UserValue& value) { return is_factor(trace, value); });
  });
}

}  // namespace ww
