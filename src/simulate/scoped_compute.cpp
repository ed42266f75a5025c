#include "simulate/scoped_compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ww::simulate {
namespace {

// How long a nanosecond of a rank's computation becomes, by time: value[i] from from_ns[i] on.
class Pace {
 public:
  void add(std::int64_t enter_ns, std::int64_t leave_ns, std::size_t scope) {
    if (leave_ns <= enter_ns) return;
    edges_.push_back({enter_ns, scope, 1});
    edges_.push_back({leave_ns, scope, -1});
  }
  void finish(const std::vector<ComputeScope>& scopes) {
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.at_ns < b.at_ns; });
    std::vector<int> depth(scopes.size(), 0);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      depth[edges_[i].scope] += edges_[i].step;
      if (i + 1 < edges_.size() && edges_[i + 1].at_ns == edges_[i].at_ns) continue;
      double value = 1;
      for (std::size_t s = 0; s < scopes.size(); ++s)
        if (depth[s] > 0) value /= scopes[s].factor;
      from_ns_.push_back(edges_[i].at_ns);
      value_.push_back(value);
    }
  }
  // Mean over an interval; intervals come in the order of time.
  double over(std::int64_t from_ns, std::int64_t to_ns) {
    if (to_ns <= from_ns) return 1;
    while (next_ < from_ns_.size() && from_ns_[next_] <= from_ns) ++next_;
    double sum = 0;
    for (std::int64_t at_ns = from_ns; at_ns < to_ns;) {
      const double value = next_ == 0 ? 1 : value_[next_ - 1];
      const std::int64_t until_ns = next_ < from_ns_.size() ? std::min(from_ns_[next_], to_ns) : to_ns;
      sum += value * static_cast<double>(until_ns - at_ns);
      at_ns = until_ns;
      if (at_ns < to_ns) ++next_;
    }
    return sum / static_cast<double>(to_ns - from_ns);
  }

 private:
  struct Edge {
    std::int64_t at_ns;
    std::size_t scope;
    int step;
  };
  std::vector<Edge> edges_;
  std::vector<std::int64_t> from_ns_;
  std::vector<double> value_;
  std::size_t next_ = 0;
};

Result<void> check(const Trace& trace, const ComputeScope& scope) {
  const auto ranks = static_cast<std::int32_t>(trace.ranks.size());
  for (const auto& [first, last] : scope.ranks)
    if (last >= ranks)
      return wrong_usage(fmt::format("there is no rank {}", last), "compute@rank",
                         fmt::format("the trace has the ranks 0 to {}", ranks - 1));
  if (scope.region.empty()) return {};
  std::set<std::string> there;
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    if (scope.holds(rank))
      for (const UserRegion& region : trace.ranks[static_cast<std::size_t>(rank)].user.regions)
        there.insert(trace.user.regions[region.region]);
  if (there.count(scope.region) > 0) return {};
  std::string names;
  for (const std::string& name : there) names += (names.empty() ? "" : ", ") + name;
  return wrong_usage(
      fmt::format("those ranks entered no region '{}'", scope.region), "compute@region",
      names.empty() ? "the program marked none: see include/whatwire/marker.h" : "they entered " + names);
}

Pace pace_of(const Trace& trace, std::int32_t number, const std::vector<ComputeScope>& scopes) {
  const RankTrace& rank = trace.ranks[static_cast<std::size_t>(number)];
  std::set<std::uint32_t> calling{0};
  calling.insert(rank.thread.begin(), rank.thread.end());
  Pace pace;
  for (std::size_t s = 0; s < scopes.size(); ++s) {
    if (!scopes[s].holds(number)) continue;
    if (scopes[s].region.empty()) pace.add(rank.begin_ns, rank.end_ns, s);
    for (const UserRegion& region : rank.user.regions)
      if (trace.user.regions[region.region] == scopes[s].region && calling.count(region.thread) > 0)
        pace.add(region.enter_ns, region.leave_ns, s);
  }
  pace.finish(scopes);
  return pace;
}

}  // namespace

Result<void> scale_computations(Program& program, const Trace& trace,
                                const std::vector<ComputeScope>& scopes) {
  for (const ComputeScope& scope : scopes) WW_CHECK(check(trace, scope));
  for (std::size_t number = 0; number < trace.ranks.size(); ++number) {
    const RankTrace& rank = trace.ranks[number];
    Pace pace = pace_of(trace, static_cast<std::int32_t>(number), scopes);
    RankProgram& operations = program.ranks[number];
    // as compile() and computations_of() have it: before each call of the program proper, and behind the last
    std::size_t next = 0;
    const auto scale_next = [&](std::int64_t from_ns, std::int64_t to_ns) {
      while (next < operations.size() && operations.kind[next] != OpKind::compute) ++next;
      WW_INVARIANT(next < operations.size());
      operations.seconds.change(operations.argument[next++]) *= pace.over(from_ns, to_ns);
    };
    std::int64_t at_ns = rank.begin_ns;
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      if (rank.enter_ns[call] < rank.begin_ns || rank.enter_ns[call] >= rank.end_ns) continue;
      scale_next(at_ns, rank.enter_ns[call]);
      at_ns = std::max(std::min(rank.leave_ns[call], rank.end_ns), at_ns);
    }
    scale_next(at_ns, rank.end_ns);
  }
  return {};
}

}  // namespace ww::simulate
