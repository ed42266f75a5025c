#include "view/answers/instant.hpp"

#include <algorithm>

namespace ww::view {
namespace {

// The key of the instant in the call, and since when and until when it is that.
void take_call(const Index& index, const FoundCall& call, std::int64_t at_ns, RankState& state) {
  const RankProper program = index.program(call.rank);
  const CallInterval& interval = call.interval;
  const std::int64_t begin_ns = std::max(interval.enter_ns, program.begin_ns),
                     end_ns = std::min(interval.leave_ns, program.end_ns);
  const std::int64_t blocked_ns = begin_ns + interval.algorithmic_ns,
                     waited_ns = blocked_ns + interval.service_ns;
  if (at_ns < blocked_ns) {
    state.key = index.key_of(interval.name, TimePart::algorithmic);
    state.since_ns = begin_ns, state.until_ns = blocked_ns;
  } else if (at_ns < waited_ns) {
    state.key = index.key_of(interval.name, TimePart::service);
    state.since_ns = blocked_ns, state.until_ns = waited_ns;
  } else {
    state.key = index.key_of(interval.name, TimePart::library);
    state.since_ns = waited_ns, state.until_ns = end_ns;
  }
}

Result<RankState> state_of(const Index& index, const Trace& trace, std::uint32_t rank, std::int64_t at_ns) {
  WW_TRY(const Moment moment, index.moment(rank, at_ns));
  const RankProper program = index.program(rank);
  RankState state;
  state.call = moment.in;
  if (moment.in) state.with = deals_with(trace.ranks[rank], moment.in->call);
  if (at_ns < program.begin_ns || at_ns >= program.end_ns) {
    const bool before = at_ns < program.begin_ns;
    state.since_ns = before ? index.from_ns() : program.end_ns;
    state.until_ns = before ? program.begin_ns : index.to_ns();
  } else if (moment.in) {
    take_call(index, *moment.in, at_ns, state);
  } else {
    state.key = compute_key;
    state.since_ns = std::max(program.begin_ns, moment.left_ns.value_or(program.begin_ns));
    state.until_ns = std::min(program.end_ns, moment.next_ns.value_or(program.end_ns));
  }
  return state;
}

}  // namespace

DealsWith deals_with(const RankTrace& rank, std::size_t call) {
  DealsWith out;
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
    const ActionKind kind = rank.kind[a];
    if (kind == ActionKind::left_out || kind == ActionKind::sent_to || kind == ActionKind::cancelled)
      continue;
    if (!out.any) out.tag = rank.tag[a], out.comm = rank.comm[a];
    out.any = true;
    out.bytes += rank.bytes[a];
    const std::int32_t peer = rank.peer[a];
    if (peer >= 0) out.peer = out.peer == no_peer || out.peer == peer ? peer : several_peers;
  }
  return out;
}

Result<std::vector<RankState>> states_at(const Index& index, const Part& part, std::int64_t at_ns) {
  const Trace& trace = part.trace();
  WW_INVARIANT(index.ranks() == trace.ranks.size());
  std::vector<RankState> states;
  for (std::uint32_t rank = 0; rank < index.ranks(); ++rank) {
    WW_TRY(RankState state, state_of(index, trace, rank, at_ns));
    states.push_back(std::move(state));
  }
  for_each_message_under_way(part, at_ns, at_ns + 1, [&](const MessageInTime& message) {
    RankState& from = states[static_cast<std::size_t>(message.source)];
    ++from.outgoing_messages;
    from.outgoing_bytes += message.bytes;
    if (message.destination < 0) return;
    RankState& to = states[static_cast<std::size_t>(message.destination)];
    ++to.queued_messages;
    to.queued_bytes += message.bytes;
  });
  return states;
}

}  // namespace ww::view
