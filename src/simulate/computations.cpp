#include "simulate/computations.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "stats/order.hpp"

namespace ww {
namespace {

constexpr double much_longer = 1.5, always_tolerated_s = 5e-6;
constexpr std::size_t least_runs = 3;

bool alike(const Computations& a, const Computations& b) {
  return std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(),
                    [](const auto& x, const auto& y) {
                      return x.calls == y.calls && x.seconds.size() == y.seconds.size();
                    });
}

}  // namespace

Computations computations_of(const Trace& trace) {
  Computations out;
  for (const RankTrace& from : trace.ranks) {
    Computations::Rank& to = out.ranks.emplace_back();
    to.calls = fnv1a_begin;
    std::int64_t at_ns = from.begin_ns;
    for (std::size_t call = 0; call < from.calls(); ++call) {
      if (from.enter_ns[call] < from.begin_ns || from.enter_ns[call] >= from.end_ns) continue;
      to.seconds.push_back(static_cast<double>(std::max<std::int64_t>(0, from.enter_ns[call] - at_ns)) *
                           1e-9);
      to.calls = fnv1a("\xff", fnv1a(trace.regions[from.region[call]], to.calls));  // no UTF-8 has this byte
      at_ns = std::max(std::min(from.leave_ns[call], from.end_ns), at_ns);
    }
    to.seconds.push_back(static_cast<double>(std::max<std::int64_t>(0, from.end_ns - at_ns)) * 1e-9);
  }
  return out;
}

std::optional<std::vector<Undisturbed>> without_disturbances(const std::vector<Computations>& runs) {
  if (runs.size() < least_runs) return std::nullopt;
  for (const Computations& run : runs)
    if (!alike(run, runs.front())) return std::nullopt;
  std::vector<Undisturbed> out;
  for (const Computations& run : runs) out.push_back({.computations = run});
  std::vector<double> same(runs.size());
  for (std::size_t rank = 0; rank < runs.front().ranks.size(); ++rank)
    for (std::size_t i = 0; i < runs.front().ranks[rank].seconds.size(); ++i) {
      for (std::size_t run = 0; run < runs.size(); ++run) same[run] = runs[run].ranks[rank].seconds[i];
      const double median_s = stats::median(same);
      for (Undisturbed& run : out) {
        double& seconds = run.computations.ranks[rank].seconds[i];
        ++run.of;
        if (seconds <= much_longer * median_s + always_tolerated_s) continue;
        ++run.replaced;
        run.removed_s += seconds - median_s;
        seconds = median_s;
      }
    }
  return out;
}

}  // namespace ww
