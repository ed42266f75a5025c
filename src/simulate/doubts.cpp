#include "simulate/doubts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "machine/latency.hpp"

namespace ww::simulate {
namespace {

constexpr double computation_changes = 0.2;
constexpr double clocks_differ = 0.03;
constexpr double most_kept_share = 0.9;
// Relative errors of messages that meet fall with this power of the time that a message takes (bench/truth/loop.py, twelve models in six pairs
// of a quick and a slow wire: one frame 10.6 to 3.2% from 100 to 10 Mb/s and 14.9 to 2.0% from 10 us to 1 ms, where the hosts' part alone, a power of 1,
// gives 2.2 and 2.0; more frames without a handshake 4.0 to 0.5 and 2.9 to 1.8%, 0.4 and 1.4). They grow from slow to quick, too, but there what was
// found in the recorded run's own messages takes the most of it.
constexpr double missed_falls_by = 0.8;
// What is missed at one size and at another over twice as large is so alike, the products of two relative errors in the mean to their squares (same
// script, 29 models, 2717 pairs of an experiment's sizes); at like sizes 0.76, which counts as 1.
constexpr double alike = 0.24;

struct Errors {
  double squares = 0;
  int count = 0;
};

// Of the closed loop's experiments in which messages meet, at sizes like this one's.
Errors errors_near(const MachineModel& model, const Link& link, double bytes) {
  Errors out;
  for (const Again& entry : model.closed_loop) {
    if (entry.between != Place::inter || entry.experiment == "ping-pong") continue;
    const double size = entry.bytes;
    if (link.rendezvous(size) != link.rendezvous(bytes)) continue;
    if (std::max(size, 1.0) > 2 * std::max(bytes, 1.0) || std::max(bytes, 1.0) > 2 * std::max(size, 1.0))
      continue;
    out.squares += entry.relative * entry.relative;
    ++out.count;
  }
  return out;
}

bool of_collective(const Again& entry) {
  for (const char* other : {"ping-pong", "two-way", "train", "window", "relay"})
    if (entry.experiment == other) return false;
  return true;
}

struct Missed {
  double below = 0, above = 0;  // squares
  int count = 0;
};

Missed missed_near(const MachineModel& model, double bytes, bool inside_collective) {
  const double reach = inside_collective ? 4 : 2;
  Missed out;
  for (const Again& entry : model.closed_loop) {
    if (entry.between != Place::intra || entry.experiment == "ping-pong" || !(entry.relative > -1) ||
        of_collective(entry) != inside_collective)
      continue;
    const double size = std::max(entry.bytes, 1.0), own = std::max(bytes, 1.0);
    if (size > reach * own || own > reach * size) continue;
    const double missing = 1 / (1 + entry.relative) - 1;
    (missing > 0 ? out.above : out.below) += missing * missing;
    ++out.count;
  }
  return out;
}

double mean_blocked_s(const Simulated& simulated) {
  double sum_s = 0;
  for (const SimulatedRank& rank : simulated.ranks) sum_s += rank.blocked_s;
  return simulated.ranks.empty() ? 0 : sum_s / static_cast<double>(simulated.ranks.size());
}

}  // namespace

double doubt_of_traffic(const Program& program, const MachineModel& model, const MachineModel& recorded_on) {
  const Link* link = model.link(Place::inter);
  const Link* before = recorded_on.link(Place::inter);
  if (!link || link->one_way.empty()) return 0;
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const ProgramMessage& m : program.messages)
    if (program.ranks[static_cast<std::size_t>(m.source)].host !=
        program.ranks[static_cast<std::size_t>(m.destination)].host)
      ++sizes[m.bytes];
  double time_s = 0;
  std::map<int, double> missed_s;  // by the octave of the size
  for (const auto& [bytes, count] : sizes) {
    const double message_s = static_cast<double>(count) * link->one_way.at(static_cast<double>(bytes));
    time_s += message_s;
    const Errors errors = errors_near(model, *link, static_cast<double>(bytes));
    if (errors.count == 0) continue;
    const double now_s = link->one_way.at(static_cast<double>(bytes));
    const double before_s = before != nullptr && !before->one_way.empty()
                                ? before->one_way.at(static_cast<double>(bytes))
                                : now_s;
    const double part = now_s > before_s && now_s > 0 ? std::pow(before_s / now_s, missed_falls_by) : 1;
    missed_s[std::ilogb(std::max(1.0, static_cast<double>(bytes)))] +=
        message_s * part * std::sqrt(errors.squares / errors.count);
  }
  double sum_s = 0, squares_s2 = 0;
  for (const auto& [octave, seconds] : missed_s) {
    sum_s += seconds;
    squares_s2 += seconds * seconds;
  }
  const double variance_s2 = (1 - alike) * squares_s2 + alike * sum_s * sum_s;
  return time_s > 0 ? 2 * std::sqrt(variance_s2) / time_s : 0;
}

DoubtOfMessages doubt_within_host(const Program& program, const MachineModel& model,
                                  const Simulated& simulated) {
  if (program.recorded.network == Place::inter) return {};
  const Link* link = model.link(Place::intra);
  if (!link || link->one_way.empty()) return {};
  std::map<std::pair<std::uint64_t, bool>, std::uint64_t> kinds;
  for (const ProgramMessage& m : program.messages)
    if (m.source != m.destination) ++kinds[{m.bytes, m.inside_collective}];
  double time_s = 0, below_s = 0, above_s = 0;
  for (const auto& [kind, count] : kinds) {
    const auto bytes = static_cast<double>(kind.first);
    const double message_s = static_cast<double>(count) * link->one_way.at(bytes);
    time_s += message_s;
    const Missed missed = missed_near(model, bytes, kind.second);
    if (missed.count == 0) continue;
    below_s += message_s * missed.below / missed.count;
    above_s += message_s * missed.above / missed.count;
  }
  if (!(time_s > 0) || simulated.ranks.empty()) return {};
  double inside_s = 0;
  for (const SimulatedRank& rank : simulated.ranks) inside_s += rank.blocked_s + rank.library_s;
  inside_s /= static_cast<double>(simulated.ranks.size());
  return {std::min(1.0, 2 * std::sqrt(below_s / time_s)) * inside_s,
          2 * std::sqrt(above_s / time_s) * inside_s};
}

DoubtSum doubts_beside_replays(const Program& program, const SelfCheck& check, const MachineModel& model,
                               const Prediction& prediction) {
  DoubtSum sum;
  const double predicted_s = prediction.predicted_s;
  const int cores = program.recorded.shared_cores;
  const bool share = cores > 0 && program.hosts.size() > static_cast<std::size_t>(cores);
  const double restless_s = 2 * (share ? unrest_of_shared_cores : unrest) * predicted_s;
  sum.add("what runs differ by", restless_s, restless_s);
  if (prediction.recorded_s > 0) {
    const double error_s =
        std::fabs(check.replayed_s - prediction.recorded_s) / prediction.recorded_s * predicted_s;
    sum.add("what the self-check is off by", error_s, error_s);
  }
  const DoubtOfMessages messages = doubt_within_host(program, model, prediction.simulated);
  sum.add(messages_that_meet, messages.below_s, messages.above_s);
  // What the ranks lacked of their cores may be less on the other network, or as much again, or, where
  // they wait for one another only, what any of them lacks; where they wait longer for a slower wire, they need none.
  const double kept = std::min(program.recorded.kept_share, most_kept_share);
  const double wanted = std::min(std::max(kept, program.recorded.lost_together), most_kept_share);
  const double at_work_s = std::min(predicted_s, prediction.recorded_s);
  sum.add("cores that were taken from the ranks", kept * at_work_s,
          std::max(wanted / (1 - wanted) * at_work_s, program.recorded.core_wait_s));
  return sum;
}

SharedCores shared_cores_of(const Program& program, const MachineModel& recorded_on,
                            const SimulateOptions& options) {
  const Link* link = recorded_on.link(Place::inter);
  const int cores = program.recorded.shared_cores;
  if (link == nullptr || options.network || cores <= 0 ||
      program.hosts.size() <= static_cast<std::size_t>(cores))
    return {};
  SharedCores shared{.cores = cores};
  if (link->wire) shared.piece_bytes = recorded_on.lab.at_once * link->wire->frame_payload_bytes;
  double pieces = 0;
  for (const ProgramMessage& m : program.messages)
    if (program.ranks[static_cast<std::size_t>(m.source)].host !=
        program.ranks[static_cast<std::size_t>(m.destination)].host)
      pieces += shared.pieces(m.bytes);
  if (pieces > 0) shared.lab_s_of_piece = program.recorded.lab_work_s / pieces;
  const double latency_s = latency_of(recorded_on.costs, *link).s - recorded_on.lab.delay_s;
  shared.of_latency_s = std::max(0.0, latency_s - shared.lab_s_of_piece);
  return shared;
}

bool cores_fall_short(const Program& program, const SharedCores& shared, double lasts_s) {
  constexpr double most_work = 4.0 / 3;
  return shared.cores > 0 && program.recorded.core_work_s > most_work * shared.cores * lasts_s;
}

// Of the eager threshold: what holds a reply behind it back for long.
constexpr double holds_back = 0.25;

bool large_messages_meet(const Program& program, const MachineModel& model) {
  const Link* link = model.link(Place::inter);
  if (!link || program.hosts.size() < 2) return false;
  std::set<std::pair<std::int32_t, std::int32_t>> asking, holding;
  for (const ProgramMessage& m : program.messages) {
    const std::int32_t from = program.ranks[static_cast<std::size_t>(m.source)].host;
    const std::int32_t to = program.ranks[static_cast<std::size_t>(m.destination)].host;
    const auto bytes = static_cast<double>(m.bytes);
    if (from == to || !link->eager_threshold_bytes || bytes < holds_back * *link->eager_threshold_bytes)
      continue;
    holding.insert({from, to});
    if (link->rendezvous(bytes)) asking.insert({from, to});
  }
  return std::any_of(asking.begin(), asking.end(), [&](const auto& way) {
    return holding.contains({way.second, way.first});
  });
}

std::vector<TrafficRules> rules_that_may_be(const Program& program, bool large_meet) {
  std::vector<TrafficRules> all{{}};
  // Within one host there is no traffic that the rules are of.
  if (program.hosts.size() > 1)
    all.insert(all.end(), {{.replies_wait = false}, {.two_way_slows = false}, {false, false}});
  if (!large_meet) return all;
  for (const bool two_way_slows : {true, false})
    all.push_back({.two_way_slows = two_way_slows, .in_turn = true});
  for (const bool two_way_slows : {true, false})
    all.push_back({.two_way_slows = two_way_slows, .reads_apart = true});
  return all;
}

ChosenRules choose_rules(const std::vector<SelfCheck>& checked, double recorded_s, bool large_meet) {
  constexpr double most_left = 0.5;
  const auto error_s = [&](const SelfCheck& of) { return std::fabs(recorded_s - of.replayed_s); };
  ChosenRules out{checked.at(0), {}};
  for (const SelfCheck& other : checked)
    if (error_s(other) <= error_s(out.check) - clearly_better * recorded_s &&
        error_s(other) <= most_left * error_s(checked[0]))
      out.check = other;
  const double as_near_s = error_s(out.check) + clearly_better * recorded_s;
  TrafficRules of_libraries;
  of_libraries.two_way_slows = out.check.rules.two_way_slows;
  for (const SelfCheck& other : checked)
    if (other.rules != out.check.rules && other.rules.two_way_slows == out.check.rules.two_way_slows) {
      if (error_s(other) <= as_near_s || other.rules == of_libraries)
        out.check.also_possible.push_back(other.rules);
      else if (large_meet)
        out.by_chance.push_back(other.rules);
    }
  return out;
}

double doubt_of_computation(const Simulated& recorded, const Simulated& predicted) {
  const double before_s = mean_blocked_s(recorded), after_s = mean_blocked_s(predicted);
  const double most_s = std::max(before_s, after_s);
  return most_s > 0 ? computation_changes * std::fabs(after_s - before_s) / most_s : 0;
}

double doubt_of_computation(const Simulated& recorded, const Simulated& predicted, const Cooling& cooling) {
  const double before_s = mean_blocked_s(recorded), after_s = mean_blocked_s(predicted),
               other_s = before_s * cooling.waits_ratio;
  const double most_s = std::max(before_s, after_s);
  if (most_s <= 0) return 0;
  const double within_s = std::clamp(after_s, std::min(before_s, other_s), std::max(before_s, other_s));
  const double known = std::min(
      computation_changes, std::sqrt(cooling.left_over * cooling.left_over + clocks_differ * clocks_differ));
  return (known * std::fabs(within_s - before_s) + computation_changes * std::fabs(after_s - within_s)) /
         most_s;
}

}  // namespace ww::simulate
