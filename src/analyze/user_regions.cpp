#include "analyze/user_regions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace ww {
namespace {

struct Span {
  std::int64_t time_ns = 0, in_calls_ns = 0, algorithmic_ns = 0, service_ns = 0;
  std::int64_t elsewhere_ns = 0;  // in calls that are not selected
};

// What the calls of one thread sum up to, so that a region's part is a difference.
class ThreadCalls {
 public:
  ThreadCalls(const Part& part, std::size_t number, const Breakdown::CallSplit& split, std::uint32_t thread)
      : part_(part),
        rank_(part.trace().ranks[number]),
        enters_(part.trace().store),
        sums_(part.trace().store) {
    sums_.push_back({});
    const RankTrace& rank = rank_;
    const auto [first, last] = part.calls(number);
    for (std::size_t call = first; call < last; ++call) {
      if (rank.thread_of(call) != thread) continue;
      Span sum = sums_.back();
      const std::int64_t took = clipped(rank.enter_ns[call], rank.leave_ns[call]);
      if (part.takes(rank, call)) {
        const auto [algorithmic, service] =
            part.blocked(rank, call, {split.algorithmic_ns[call], split.service_ns[call]});
        sum.in_calls_ns += took;
        sum.algorithmic_ns += algorithmic;
        sum.service_ns += service;
      } else {
        sum.elsewhere_ns += took;
      }
      enters_.push_back(rank.enter_ns[call]);
      sums_.push_back(sum);
    }
  }
  // Calls begun within it lie within it.
  Span of(std::int64_t from, std::int64_t to) const {
    const Span &first = sums_[calls_before(from)], &last = sums_[calls_before(to)];
    return {clipped(from, to), last.in_calls_ns - first.in_calls_ns,
            last.algorithmic_ns - first.algorithmic_ns, last.service_ns - first.service_ns,
            last.elsewhere_ns - first.elsewhere_ns};
  }

 private:
  std::size_t calls_before(std::int64_t ns) const {
    return static_cast<std::size_t>(std::lower_bound(enters_.begin(), enters_.end(), ns) - enters_.begin());
  }
  std::int64_t clipped(std::int64_t from, std::int64_t to) const { return part_.clipped(rank_, from, to); }

  const Part& part_;
  const RankTrace& rank_;
  Column<std::int64_t> enters_;
  Column<Span> sums_;  // of the calls before each; one more than calls
};

void add(RegionTime& to, const Span& span, double sign = 1) {
  const std::int64_t elsewhere = std::min(span.elsewhere_ns, span.time_ns);
  const std::int64_t in_calls = std::min(span.in_calls_ns, span.time_ns - elsewhere);
  const std::int64_t algorithmic = std::min(span.algorithmic_ns, in_calls);
  const std::int64_t service = std::min(span.service_ns, in_calls - algorithmic);
  to.time_s += sign * seconds_of(span.time_ns);
  to.compute_s += sign * seconds_of(span.time_ns - in_calls - elsewhere);
  to.library_s += sign * seconds_of(in_calls - algorithmic - service);
  to.blocked_algorithmic_s += sign * seconds_of(algorithmic);
  to.blocked_service_s += sign * seconds_of(service);
}

void add(RegionTime& to, const RegionTime& other) {
  to.visits += other.visits;
  to.time_s += other.time_s;
  to.compute_s += other.compute_s;
  to.library_s += other.library_s;
  to.blocked_algorithmic_s += other.blocked_algorithmic_s;
  to.blocked_service_s += other.blocked_service_s;
  to.own_s += other.own_s;
}

class Totals {
 public:
  Totals(const Part& part, const Breakdown& breakdown)
      : part_(part), trace_(part.trace()), breakdown_(breakdown) {
    const Trace& trace = trace_;
    WW_INVARIANT(breakdown.splits.size() == trace.ranks.size());
    for (const std::string& name : trace.user.regions)
      result_.regions.push_back({name, {}, std::vector<RegionTime>(trace.ranks.size())});
    result_.outside = {"(outside)", {}, std::vector<RegionTime>(trace.ranks.size())};
  }

  RegionTotals run() {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r)
      if (part_.has_rank(r)) take_rank(r);
    for (RegionTotal& region : result_.regions)
      for (const RegionTime& rank : region.by_rank) add(region.all, rank);
    for (const RegionTime& rank : result_.outside.by_rank) add(result_.outside.all, rank);
    return std::move(result_);
  }

 private:
  void take_rank(std::size_t r) {
    const RankTrace& rank = trace_.ranks[r];
    std::uint32_t threads = 1;
    for (const UserRegion& region : rank.user.regions) threads = std::max(threads, region.thread + 1);
    std::vector<std::vector<const UserRegion*>> of(threads);
    for (const UserRegion& region : rank.user.regions)
      if (part_.cut(region.enter_ns) != part_.cut(region.leave_ns) || part_.has_instant(region.enter_ns))
        of[region.thread].push_back(&region);
    for (std::uint32_t thread = 0; thread < threads; ++thread)
      if (part_.has_thread(thread) && (thread == 0 || !of[thread].empty()))
        take_thread(r, thread, of[thread]);
  }

  void take_thread(std::size_t r, std::uint32_t thread, const std::vector<const UserRegion*>& regions) {
    const RankTrace& rank = trace_.ranks[r];
    const ThreadCalls calls(part_, r, breakdown_.splits[r], thread);
    RegionTime& outside = result_.outside.by_rank[r];
    if (thread == 0) add(outside, calls.of(rank.begin_ns, rank.end_ns));
    std::vector<const UserRegion*> open;
    std::vector<std::size_t> nodes;  // of those that are open, none deeper than most_region_depth
    for (const UserRegion* region : regions) {
      while (!open.empty() && open.back()->leave_ns <= region->enter_ns) open.pop_back();
      nodes.resize(std::min(nodes.size(), open.size()));
      const Span span = calls.of(region->enter_ns, region->leave_ns);
      RegionTime& total = result_.regions[region->region].by_rank[r];
      if (part_.has_instant(region->enter_ns)) ++total.visits;
      total.own_s += seconds_of(span.time_ns);
      if (open.empty()) {
        if (thread == 0) add(outside, span, -1);
      } else {
        result_.regions[open.back()->region].by_rank[r].own_s -= seconds_of(span.time_ns);
      }
      const bool again = std::any_of(
          open.begin(), open.end(), [&](const UserRegion* outer) { return outer->region == region->region; });
      if (!again) add(total, span);
      if (open.size() == nodes.size() && nodes.size() < most_region_depth) {
        const std::size_t within = nodes.empty() ? RegionNode::no_node : nodes.back();
        nodes.push_back(node_of(within, region->region));
        RegionTime& here = result_.tree[nodes.back()].all;
        if (part_.has_instant(region->enter_ns)) ++here.visits;
        add(here, span);
        here.own_s += seconds_of(span.time_ns);
        if (within != RegionNode::no_node) result_.tree[within].all.own_s -= seconds_of(span.time_ns);
      }
      open.push_back(region);
    }
  }
  std::size_t node_of(std::size_t within, std::uint32_t region) {
    const auto [found, added] = nodes_.try_emplace({within, region}, result_.tree.size());
    if (added) {
      const std::size_t depth = within == RegionNode::no_node ? 0 : result_.tree[within].depth + 1;
      result_.tree.push_back({region, within, depth, {}});
    }
    return found->second;
  }

  const Part& part_;
  const Trace& trace_;
  const Breakdown& breakdown_;
  RegionTotals result_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t>
      nodes_;  // of result_.tree, by where they stand
};

nlohmann::json to_json(const RegionTime& time) {
  return {{"visits", time.visits},
          {"time_s", time.time_s},
          {"own_s", time.own_s},
          {"compute_s", time.compute_s},
          {"library_s", time.library_s},
          {"blocked_s", time.blocked_s()},
          {"blocked_algorithmic_s", time.blocked_algorithmic_s},
          {"blocked_service_s", time.blocked_service_s}};
}

nlohmann::json to_json(const RegionTotal& region) {
  nlohmann::json json = to_json(region.all);
  json["region"] = region.name;
  json["ranks"] = nlohmann::json::array();
  for (std::size_t r = 0; r < region.by_rank.size(); ++r) {
    if (region.by_rank[r].visits == 0 && region.by_rank[r].time_s == 0) continue;
    json["ranks"].push_back(to_json(region.by_rank[r]));
    json["ranks"].back()["rank"] = r;
  }
  return json;
}

}  // namespace

RegionTotals find_regions(const Part& part, const Breakdown& breakdown) {
  return Totals(part, breakdown).run();
}

nlohmann::json to_json(const RegionTotals& totals) {
  nlohmann::json regions = nlohmann::json::array();
  for (const RegionTotal& region : totals.regions) {
    regions.push_back(to_json(region));
    regions.back()["paths"] = nlohmann::json::array();
  }
  for (const RegionNode& node : totals.tree) {
    std::vector<std::string> within(node.depth);
    for (std::size_t at = node.within; at != RegionNode::no_node; at = totals.tree[at].within)
      within[totals.tree[at].depth] = totals.regions[totals.tree[at].region].name;
    nlohmann::json path = to_json(node.all);
    path["within"] = std::move(within);
    regions[node.region]["paths"].push_back(std::move(path));
  }
  return regions;
}

}  // namespace ww
