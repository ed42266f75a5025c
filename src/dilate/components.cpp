#include "dilate/components.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/numbers.hpp"

namespace ww {
namespace {

// Two piecewise lines added, each taken `times` as often.
Curve sum(const Curve& a, double times_a, const Curve& b, double times_b) {
  std::vector<double> ends;
  for (const Curve* curve : {&a, &b})
    for (const Segment& segment : curve->segments) ends.push_back(segment.to_bytes);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  Curve out;
  double from = 0;
  for (const double to : ends) {
    Segment piece;
    piece.from_bytes = from;
    piece.to_bytes = to;
    const double inside = (from + to) / 2;
    for (const auto& [curve, times] : {std::pair{&a, times_a}, std::pair{&b, times_b}}) {
      if (curve->empty()) continue;
      piece.base_s += times * curve->segment_at(inside).base_s;
      piece.seconds_per_byte += times * curve->segment_at(inside).seconds_per_byte;
    }
    piece.base_ci_s = {piece.base_s, piece.base_s};
    piece.seconds_per_byte_ci = {piece.seconds_per_byte, piece.seconds_per_byte};
    out.segments.push_back(piece);
    from = to;
  }
  return out;
}

}  // namespace

bool only_begins_sends(const RankTrace& rank, std::size_t call) {
  bool sends = false;
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
    switch (rank.kind[a]) {
      case ActionKind::send:
      case ActionKind::isend:
        sends = true;
        break;
      case ActionKind::isend_done:
      case ActionKind::left_out:
        break;
      default:
        return false;
    }
  return sends;
}

std::int64_t time_in_program(const RankTrace& rank, std::size_t call) {
  return std::max<std::int64_t>(
      0, std::min(rank.leave_ns[call], rank.end_ns) - std::max(rank.enter_ns[call], rank.begin_ns));
}

Components& Components::operator+=(const Components& other) {
  user_s += other.user_s;
  communication_s += other.communication_s;
  receive_wait_s += other.receive_wait_s;
  send_s += other.send_s;
  algorithmic_s += other.algorithmic_s;
  by_algorithm_s += other.by_algorithm_s;
  followed = followed || other.followed;
  return *this;
}

Components Components::operator/(double by) const {
  return {user_s / by, communication_s / by, receive_wait_s / by,
          send_s / by, algorithmic_s / by,   by_algorithm_s / by,
          followed};
}

std::vector<RankComponents> components_of(const Trace& trace, const Breakdown& breakdown, double factor) {
  std::vector<RankComponents> out;
  for (const RankBreakdown& of : breakdown.ranks) {
    const auto number = static_cast<std::size_t>(of.rank);
    const RankTrace& rank = trace.ranks[number];
    const Breakdown::CallSplit& split = breakdown.splits[number];
    std::int64_t send_ns = 0;
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      const std::int64_t took = time_in_program(rank, call);
      if (took > 0 && only_begins_sends(rank, call))
        send_ns += took - split.algorithmic_ns[call] - split.service_ns[call];
    }
    Components components;
    components.user_s = of.compute_s;
    components.send_s = seconds_of(send_ns);
    components.communication_s = of.library_s - components.send_s;
    components.receive_wait_s = of.blocked_s;
    components.algorithmic_s = of.blocked_algorithmic_s;
    components.by_algorithm_s = of.blocked_by_algorithm_s;
    components.followed = true;
    out.push_back({of.rank, of.elapsed_s / factor, components / factor});
  }
  return out;
}

Components mean_of(const std::vector<RankComponents>& ranks) {
  Components sum;
  for (const RankComponents& rank : ranks) sum += rank.components;
  return ranks.empty() ? sum : sum / static_cast<double>(ranks.size());
}

MachineModel with_kept_software(MachineModel machine, double factor) {
  Costs& costs = machine.costs;
  if (costs.U.empty()) return machine;  // nothing to go by
  costs.U = sum(costs.U, factor, costs.F, factor - 1);
  costs.A = sum(costs.A, factor, {}, 0);
  return machine;
}

nlohmann::json to_json(const Components& c) {
  nlohmann::json json = {{"user_s", c.user_s},
                         {"communication_s", c.communication_s},
                         {"receive_wait_s", c.receive_wait_s},
                         {"receive_wait_algorithmic_s", c.algorithmic_s},
                         {"send_s", c.send_s}};
  if (c.followed) json["receive_wait_by_algorithm_s"] = c.by_algorithm_s;
  return json;
}

nlohmann::json shares_json(const Components& c) {
  const double whole = c.elapsed_s();
  return {{"user_percent", share(c.user_s, whole)},
          {"communication_percent", share(c.communication_s, whole)},
          {"receive_wait_percent", share(c.receive_wait_s, whole)},
          {"receive_wait_algorithmic_percent", share(c.algorithmic_s, whole)},
          {"send_percent", share(c.send_s, whole)}};
}

nlohmann::json to_json(const std::vector<RankComponents>& ranks) {
  nlohmann::json json = nlohmann::json::array();
  for (const RankComponents& rank : ranks)
    json.push_back({{"rank", rank.rank},
                    {"elapsed_s", rank.elapsed_s},
                    {"components", to_json(rank.components)},
                    {"shares", shares_json(rank.components)}});
  return json;
}

}  // namespace ww
