#include "simulate/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/latency.hpp"
#include "simulate/collectives/alone.hpp"

namespace ww::simulate {

namespace {

WireFacts facts_of(const MachineModel& model, const Link& link, double extra_software_s) {
  WireFacts facts;
  if (link.wire) {
    facts.seconds_per_byte = link.wire->seconds_per_byte;
    facts.frame_payload_bytes = link.wire->frame_payload_bytes;
    facts.frame_overhead_bytes = link.wire->frame_overhead_bytes;
    facts.stages = link.wire->stages;
    facts.control_frame_s = link.wire->handshake_frame_bytes * link.wire->seconds_per_byte;
  } else {
    facts.seconds_per_byte = link.one_way.segments.back().seconds_per_byte;
    facts.frame_overhead_bytes = 0;
  }
  facts.small_software_s = latency_of(model.costs, link).software_s;
  facts.frames_known = frames_known(link);
  facts.frames_at_once = model.lab.at_once;
  facts.window_frames = first_window_frames(model, link);
  facts.sent_ahead_bytes = link.sent_ahead_bytes.value_or(0);
  const double payload = facts.frame_payload_bytes;
  facts.first_frame_head_s = cost_of_message(model, link, payload, extra_software_s).head_s;
  facts.send_load_s = std::max(0.0, model.costs.S.at(payload));
  facts.receive_load_s = std::max(0.0, model.costs.R.at(payload));
  return facts;
}

double smallest_s(const MachineModel& model, const Sync& sync) {
  const Link* link = model.link(sync.between_hosts != 0 ? Place::inter : Place::intra);
  return link && !link->one_way.empty() ? link->one_way.at(1) : 0;
}

// The recorded duration, of which the messages in it take what they do on this machine.
double kept_s(const Sync& sync, const MachineModel& model, const MachineModel* recorded_on) {
  if (sync.crossings == 0 || recorded_on == nullptr) return sync.seconds;
  const double before_s = smallest_s(*recorded_on, sync), after_s = smallest_s(model, sync);
  if (!(before_s > 0) || !(after_s > 0)) return sync.seconds;
  return sync.seconds +
         std::min<double>(sync.crossings, std::floor(sync.seconds / before_s)) * (after_s - before_s);
}

// Messages between hosts on a binomial tree's way from rank 0: each rank has its data from the one without its lowest bit.
int hops_from_first(const Program& program, std::size_t rank) {
  int hops = 0;
  for (std::size_t at = rank; at > 0; at &= at - 1)
    hops += program.ranks[at].host != program.ranks[at & (at - 1)].host ? 1 : 0;
  return hops;
}

// What a recorder does last before a program begins is a small broadcast: of two ranks the second began 1.04 ms after the first at
// a delay of 1 ms, 0.23 ms at 10 Mb/s, 0.03 ms at 100 (72 runs of three programs, two libraries). Taken for that is what is like it.
std::vector<double> begins_of(const Program& program, const MachineModel& model,
                              const MachineModel* recorded_on) {
  std::vector<double> begins_s;
  for (const RankProgram& rank : program.ranks) begins_s.push_back(rank.begin_s);
  const Link* now = model.link(Place::inter);
  const Link* then = recorded_on != nullptr ? recorded_on->link(Place::inter) : nullptr;
  if (program.graph || program.hosts.size() < 2 || !now || !then || now->one_way.empty() ||
      then->one_way.empty())
    return begins_s;
  constexpr double least = 0.2, most = 2;
  const double small_s = then->one_way.at(4), more_s = now->one_way.at(4) - small_s;
  for (std::size_t rank = 1; rank < begins_s.size(); ++rank) {
    const int hops = hops_from_first(program, rank);
    double& begin_s = begins_s[rank];
    if (begin_s >= least * hops * small_s && begin_s <= most * hops * small_s)
      begin_s = std::max(0.0, begin_s + hops * more_s);
  }
  return begins_s;
}

}  // namespace

double WireFacts::stream_bytes(double port_s) const {
  if (seconds_per_byte <= 0) return 0;
  const double on_wire = port_s / seconds_per_byte;
  constexpr double rounding = 1e-6;  // of frames
  const double frames = std::ceil(on_wire / (frame_payload_bytes + frame_overhead_bytes) - rounding);
  return std::max(0.0, on_wire - frames * frame_overhead_bytes);
}

Result<ReplayCosts> ReplayCosts::make(const Program& program, const MachineModel& model,
                                      double extra_software_s, std::span<const Stall> stalls,
                                      const MachineModel* recorded_on) {
  return make(program, MessageKinds::of(program, recorded_on), model, extra_software_s, stalls, recorded_on);
}

Result<ReplayCosts> ReplayCosts::make(const Program& program, const MessageKinds& kinds,
                                      const MachineModel& model, double extra_software_s,
                                      std::span<const Stall> stalls, const MachineModel* recorded_on) {
  WW_INVARIANT(kinds.kind_of.size() == program.messages.size());
  ReplayCosts costs;
  if (const Link* inter = model.link(Place::inter); inter && !inter->one_way.empty()) {
    costs.wire_ = facts_of(model, *inter, extra_software_s);
    costs.read_together_s_ = ww::read_together_s(model, *inter);
  }
  costs.begins_s_ = begins_of(program, model, recorded_on);
  costs.cost_of_ = kinds.kind_of;
  costs.program_messages_ = program.messages;
  costs.usual_kept_share_ = kinds.usual_kept_share;
  costs.shakes_hands_ = kinds.some_synchronous;
  for (const MessageKind& kind : kinds.kinds) {
    const auto bytes = static_cast<double>(kind.bytes);
    costs.loads_.push_back({std::max(0.0, model.costs.S.at(bytes)), std::max(0.0, model.costs.R.at(bytes))});
    costs.send_alone_s_.push_back(0);
    if (kind.way == MessageKind::Way::itself) {
      costs.costs_.push_back({.protocol = Protocol::itself});
      costs.two_way_.push_back(1);
      continue;
    }
    const Place place = kind.way == MessageKind::Way::intra ? Place::intra : Place::inter;
    const Link* link = model.link(place);
    if (!link || link->one_way.empty()) {
      const ProgramMessage& message = program.messages[kind.first];
      return fail(
          fmt::format("the machine model says nothing about messages {}",
                      place == Place::intra ? "within a host" : "between hosts"),
          fmt::format("model '{}', rank {} to rank {}", model.name, message.source, message.destination),
          fmt::format("measure a model that has the link \"{}\"", to_string(place)));
    }
    costs.costs_.push_back(cost_of_message(model, *link, bytes, extra_software_s));
    if (costs.costs_.back().protocol == Protocol::rendezvous) costs.shakes_hands_ = true;
    if (costs.costs_.back().ports) costs.uses_ports_ = true;
    costs.two_way_.push_back(rate_when_meeting(*link, bytes));
    if (place == Place::inter && recorded_on != nullptr && costs.costs_.back().protocol == Protocol::eager)
      costs.send_alone_s_.back() = recorded_on->costs.F.at(bytes);
    if (kind.reduced) costs.costs_.back().unformat_s += std::max(0.0, model.reduction.at(bytes));
  }
  WW_TRY(const std::vector<SyncTime> alone, times_alone(program, model, extra_software_s));
  for (const Sync& sync : program.syncs)
    costs.syncs_.push_back(sync.shape == none ? SyncTime{kept_s(sync, model, recorded_on), 0}
                                              : alone[sync.shape]);
  for (const Stall& stall : stalls) {
    const std::uint32_t usual = costs.cost_of_[stall.message];
    costs.cost_of_[stall.message] = static_cast<std::uint32_t>(costs.costs_.size());
    costs.costs_.push_back(costs.costs_[usual]);
    costs.costs_.back().head_s += stall.seconds;
    costs.loads_.push_back(costs.loads_[usual]);
    costs.two_way_.push_back(costs.two_way_[usual]);
    costs.send_alone_s_.push_back(costs.send_alone_s_[usual]);
  }
  return costs;
}

double ReplayCosts::kept_share(std::uint32_t message) const {
  const double alone_s = send_alone_s_[cost_of_[message]];
  if (alone_s <= 0) return 1;
  const ProgramMessage& of = program_messages_[message];
  return of.send_called == 0 ? usual_kept_share_ : kept_share_of(of, alone_s);
}

double ReplayCosts::sent_ahead_share(std::uint32_t message) const {
  const MessageCost& cost = of(message);
  if (!cost.ports || cost.acknowledged || cost.protocol != Protocol::rendezvous) return 0;
  return std::min(
      1.0, wire_.sent_ahead_bytes / std::max(1.0, static_cast<double>(program_messages_[message].bytes)));
}

void ReplayCosts::receivers_do(double latency_s) {
  for (MessageCost& cost : costs_) {
    if (!cost.ports) continue;
    const double moved_s = std::min(cost.head_s, latency_s);
    cost.head_s -= moved_s;
    cost.unformat_s += moved_s;
  }
}

void ReplayCosts::keep_all() {
  std::fill(send_alone_s_.begin(), send_alone_s_.end(), 0);
}

}  // namespace ww::simulate
