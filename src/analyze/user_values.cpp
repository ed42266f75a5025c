#include "analyze/user_values.hpp"

#include <algorithm>
#include <cmath>

namespace ww {
namespace {

void take(ValueTotal& total, double number, std::int64_t at_ns) {
  ++total.count;
  if (!std::isfinite(number)) {
    ++total.no_numbers;
    return;
  }
  const std::uint64_t taken = total.count - total.no_numbers;
  if (taken == 1) {
    total.first = total.least = total.most = number;
    total.first_ns = at_ns;
  }
  total.last = number;
  total.last_ns = at_ns;
  total.least = std::min(total.least, number);
  total.most = std::max(total.most, number);
  total.mean += (number - total.mean) / static_cast<double>(taken);
}

// Of what stands in time, what is in the part.
template <class T>
void for_each_in(const Part& part, const Column<T>& all, const auto& take) {
  const T* one =
      std::partition_point(all.begin(), all.end(), [&](const T& it) { return part.is_past(it.at_ns); });
  for (; one != all.end() && part.has_instant(one->at_ns); ++one)
    if (part.has_thread(one->thread)) take(*one);
}

}  // namespace

std::vector<std::vector<ValueTotal>> find_values(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<std::vector<ValueTotal>> totals(trace.user.values.size(),
                                              std::vector<ValueTotal>(trace.ranks.size()));
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    if (part.has_rank(r))
      for_each_in(part, trace.ranks[r].user.values, [&](const UserValue& value) {
        take(totals[value.name][r], value.number(trace.user.values[value.name]), value.at_ns);
      });
  return totals;
}

ValueTotal joined(const std::vector<ValueTotal>& by_rank) {
  ValueTotal all;
  for (const ValueTotal& one : by_rank) {
    all.count += one.count;
    all.no_numbers += one.no_numbers;
    const auto taken = static_cast<double>(one.count - one.no_numbers);
    if (taken == 0) continue;
    const auto before = static_cast<double>(all.count - all.no_numbers) - taken;
    if (before == 0) {
      const auto [count, no_numbers] = std::pair(all.count, all.no_numbers);
      all = one;
      all.count = count;
      all.no_numbers = no_numbers;
      continue;
    }
    all.mean += (one.mean - all.mean) * taken / (before + taken);
    all.least = std::min(all.least, one.least);
    all.most = std::max(all.most, one.most);
    if (one.first_ns < all.first_ns) all.first = one.first, all.first_ns = one.first_ns;
    if (one.last_ns > all.last_ns) all.last = one.last, all.last_ns = one.last_ns;
  }
  return all;
}

std::vector<MarkerTotal> find_markers(const Part& part) {
  const Trace& trace = part.trace();
  std::vector<MarkerTotal> totals(trace.user.texts.size());
  for (std::size_t r = 0; r < trace.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    for_each_in(part, trace.ranks[r].user.markers, [&](const UserMarker& marker) {
      MarkerTotal& total = totals[marker.text];
      if (total.count++ == 0 || marker.at_ns < total.first_ns) {
        total.first_ns = marker.at_ns;
        total.first_rank = static_cast<std::int32_t>(r);
      }
      total.last_ns = total.count == 1 ? marker.at_ns : std::max(total.last_ns, marker.at_ns);
    });
  }
  return totals;
}

}  // namespace ww
