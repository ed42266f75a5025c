#include "interpose/core/deadlines.hpp"

namespace ww::interpose {

namespace {

// A call that lasted longer than this times what it lasts without waiting, and by a margin, has waited.
constexpr double slack = 2;
constexpr double margin_inter_s = 20e-6;  // reading from a socket
constexpr double margin_intra_s = 2e-6;
constexpr double likely = 0.2;

double margin_s(bool between_hosts) {
  return between_hosts ? margin_inter_s : margin_intra_s;
}

uint64_t later(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

// What the two times from one to the other have in common.
uint64_t common(uint64_t from_a, uint64_t to_a, uint64_t from_b, uint64_t to_b) {
  const uint64_t from = later(from_a, from_b), to = to_a < to_b ? to_a : to_b;
  return to > from ? to - from : 0;
}
uint64_t part_of(uint64_t whole, uint64_t shared, uint64_t all) {
  const double part = static_cast<double>(shared) / static_cast<double>(all);
  return static_cast<uint64_t>(static_cast<double>(whole) * (part < 1 ? part : 1));
}

}  // namespace

void Deadlines::set(double dilation, double ticks_per_s) {
  dilation_ = wire_dilation_ = dilation;
  if (ticks_per_s > 0) ticks_per_s_ = ticks_per_s;
}

void Deadlines::change(double dilation, bool wire_follows) {
  dilation_ = dilation;
  if (!wire_follows) wire_dilation_ = dilation;
}

bool Deadlines::known(bool between_hosts) const {
  const Pair costs = pair(between_hosts);
  return costs.real.known && costs.target.known;
}

double Deadlines::more_s(double dilation, bool between_hosts, const Pieces MessageCosts::*part,
                         uint64_t bytes) const {
  const Pair costs = pair(between_hosts);
  return dilation * (costs.target.*part).at(bytes) - (costs.real.*part).at(bytes);
}
// Of a large message whose data go in turn only its request waits for software; the rest comes before the data.
double Deadlines::more_send_s(bool between_hosts, uint64_t bytes) const {
  if (between_hosts && goes_in_turn(bytes))
    return dilation_ * target_.inter.ask_s(bytes) - machine_.inter.ask_s(bytes);
  return more_s(dilation_, between_hosts, &MessageCosts::send, bytes);
}
double Deadlines::more_flight_s(bool between_hosts, uint64_t bytes) const {
  return more_s(wire_dilation_, between_hosts, &MessageCosts::flight, bytes);
}
double Deadlines::more_receive_s(bool between_hosts, uint64_t bytes) const {
  return more_s(dilation_, between_hosts, &MessageCosts::receive, bytes);
}

uint64_t Deadlines::departs(bool between_hosts, uint64_t bytes, uint64_t now, int dest) {
  if (!between_hosts || !known(true)) return now;
  acknowledgements_.told(dest, now);
  const bool in_turn = goes_in_turn(bytes);
  const uint64_t at = in_turn ? now : later(now, sending_port_);
  const uint64_t there_port = to_ticks(wire_dilation_ * target_.inter.port.at(bytes));
  if (!in_turn) sending_port_ = at + there_port;
  sending_port_here_ = later(now, sending_port_here_) + to_ticks(machine_.inter.port.at(bytes));
  // A large one's receiver is taken to be ready, as it is where both send at once.
  const uint64_t leaves = at + to_ticks(machine_.inter.send.at(bytes));
  const auto begins = [&](const MessageCosts& of, double factor) {
    return leaves + (of.rendezvous(bytes) ? to_ticks(factor * of.reply.at(bytes)) : 0);
  };
  const uint64_t here = begins(machine_.inter, 1), there = begins(target_.inter, wire_dilation_);
  own_[own_count_++ % own_remembered] = {here, here + to_ticks(machine_.inter.port.at(bytes)), there,
                                         there + there_port};
  return at;
}

// By a frame without data, unless data keep the port, which acknowledge as well.
void Deadlines::read(int peer, uint64_t bytes, uint64_t came, uint64_t read, uint64_t really_read) {
  if (target_.inter.frames.fills_one(bytes)) return acknowledgements_.told(peer, came);
  if (!acknowledgements_.reads(peer, came)) return;
  const auto passes = [&](uint64_t& port, uint64_t when, double frame_s) {
    if (port <= when) port = when + to_ticks(frame_s);
  };
  passes(sending_port_, read, wire_dilation_ * target_.inter.frames.empty_frame_s());
  passes(sending_port_here_, really_read, machine_.inter.frames.empty_frame_s());
}

// How much longer a message lasted here for what this rank sent while it came; it had been unpacked then.
uint64_t Deadlines::met(const SeenMessage& message, uint64_t unpacked) const {
  const MessageCosts& real = machine_.of(message.between_hosts);
  const uint64_t port = to_ticks(real.port.at(message.bytes)), all = to_ticks(real.meeting.at(message.bytes));
  const uint64_t unpacking = to_ticks(real.receive.at(message.bytes));
  if (port == 0 || all == 0 || unpacked < unpacking + port + all) return 0;
  const uint64_t there = unpacked - unpacking;
  uint64_t shared = 0;
  for (const OwnMessage& own : own_)
    shared += common(own.begin_here, own.end_here, there - port - all, there);
  return part_of(all, shared, port);
}

// How much longer one that passes this port from then on lasts on the target for what this rank sends meanwhile.
uint64_t Deadlines::will_meet(const SeenMessage& message, uint64_t begin, uint64_t port) const {
  const double all_s = wire_dilation_ * target_.of(message.between_hosts).meeting.at(message.bytes);
  if (port == 0 || !(all_s > 0)) return 0;
  uint64_t shared = 0;
  for (const OwnMessage& own : own_) shared += common(own.begin_there, own.end_there, begin, begin + port);
  return part_of(to_ticks(all_s), shared, port);
}

uint64_t Deadlines::sent(bool between_hosts, uint64_t bytes, uint64_t departed, const SeenCall& call) const {
  if (!known(between_hosts)) return 0;
  const Pair costs = pair(between_hosts);
  if (!costs.real.rendezvous(bytes) && !costs.target.rendezvous(bytes)) return 0;
  const auto out_s = [bytes](const MessageCosts& of) {
    return of.rendezvous(bytes) ? of.reply.at(bytes) + of.port.at(bytes) : 0;
  };
  const double real_s = out_s(costs.real), wanted_s = wire_dilation_ * out_s(costs.target);
  const bool waited = call.waits && to_seconds(call.back - call.entered) > margin_s(between_hosts);
  uint64_t out = call.back;
  if (!waited) {
    const uint64_t by_model = departed + to_ticks(costs.real.send.at(bytes) + real_s);
    out = departed != 0 && by_model < call.entered ? by_model : call.entered;
  }
  return out + to_ticks(wanted_s - real_s);
}

// Asked for, and answered when the receive is posted (MessageCosts::data_ready_s, in ticks).
Deadlines::Arrival Deadlines::by_model(const SeenMessage& message) const {
  if (message.departed == 0) return {0, 0};
  const Pair costs = pair(message.between_hosts);
  const uint64_t leaves = message.departed + to_ticks(costs.real.send.at(message.bytes));
  const auto at = [&](const MessageCosts& of, double factor) {
    const double flight_s = factor * of.flight.at(message.bytes);
    if (!of.rendezvous(message.bytes)) return leaves + to_ticks(flight_s);
    const double reply_s = factor * of.reply.at(message.bytes);
    const uint64_t asked = leaves + to_ticks(reply_s / 2);
    return later(asked, message.posted) + to_ticks(flight_s - reply_s / 2);
  };
  return {at(costs.real, 1), at(costs.target, wire_dilation_)};
}

// Of a message that came at that instant: when it is to come.
uint64_t Deadlines::arrival(const SeenMessage& message, uint64_t came) const {
  const Arrival model = by_model(message);
  if (model.real == 0) return came + to_ticks(more_flight_s(message.between_hosts, message.bytes));
  return model.wanted > model.real ? came + (model.wanted - model.real) : came;
}

// A message that follows another of its sender more closely than it takes a port shares its frames (StreamFrames).
uint64_t Deadlines::port_ticks(const SeenMessage& message, uint64_t there) {
  const uint64_t alone = to_ticks(wire_dilation_ * target_.inter.port.at(message.bytes));
  const StreamFrames& frames = target_.inter.frames;
  const bool follows = message.source == last_through_ && there > last_there_;
  const uint64_t apart = there - last_there_;
  last_through_ = message.source;
  last_there_ = there;
  if (!follows || apart >= alone || frames.payload_bytes <= 0) return alone;
  const uint64_t packed = to_ticks(wire_dilation_ * frames.packed_s(message.bytes));
  return packed > alone ? alone : later(apart, packed);
}

// `unpacking`: what of `there` it was unpacked for here.
uint64_t Deadlines::through_port(const SeenMessage& message, uint64_t there, uint64_t unpacking) {
  if (!message.between_hosts) return there;
  const uint64_t port = port_ticks(message, there);
  const uint64_t begin = there > port ? there - port : 0;
  const uint64_t longer = will_meet(message, begin > unpacking ? begin - unpacking : 0, port);
  const auto through = receiving_port_.take(static_cast<double>(begin), static_cast<double>(port + longer));
  return later(there + longer, static_cast<uint64_t>(through.end_s));
}

// Its data have passed the ports of all large ones; what else this rank receives waits for them.
uint64_t Deadlines::through_in_turn(const SeenMessage& message) {
  const uint64_t port = to_ticks(wire_dilation_ * target_.inter.port.at(message.bytes));
  const uint64_t begin = message.wanted > port ? message.wanted - port : 0;
  const auto through = receiving_port_.take(static_cast<double>(begin), static_cast<double>(port));
  return later(message.wanted, static_cast<uint64_t>(through.end_s));
}

uint64_t Deadlines::received(SeenMessage* messages, int count, const SeenCall& call, uint64_t from,
                             uint64_t& arrived) {
  bool remote = false;
  for (int i = 0; i < count; ++i) remote |= messages[i].between_hosts;
  const double lasted_s = to_seconds(call.back - call.entered);
  const bool waited = call.waits && lasted_s > slack * call.ready_s + margin_s(remote);

  uint64_t came[most];
  int last = -1;
  if (count > most) count = most;
  for (int i = 0; i < count; ++i) {
    const SeenMessage& message = messages[i];
    came[i] = by_model(message).real;
    // when nobody knows, one that was there before the call came early enough
    if (came[i] == 0 && !waited) continue;
    if (came[i] == 0 || came[i] > call.back) came[i] = call.back;
    const Latest& seen = latest_[static_cast<unsigned>(message.source) % remembered];
    if (message.departed != 0 && seen.source == message.source && message.departed < seen.departed &&
        came[i] > seen.first_byte)
      came[i] = seen.first_byte;
    if (last < 0 || came[i] > came[last]) last = i;
  }
  // The call ends with the last message. When that came says the clock, not the model, unless it was there
  // before the call: it should have been, and that it came just during a call that was short in comparison is
  // less likely than that the call was slow for another reason (cold caches).
  if (last >= 0) {
    const bool during = came[last] >= call.entered;
    const bool late = waited && static_cast<double>(call.back - call.entered) >
                                    likely * static_cast<double>(call.entered - came[last]);
    if (during || late) {
      const SeenMessage& message = messages[last];
      came[last] = call.back;
      const uint64_t port = to_ticks(machine_.of(message.between_hosts).port.at(message.bytes));
      latest_[static_cast<unsigned>(message.source) % remembered] = {message.source, message.departed,
                                                                     call.back > port ? call.back - port : 0};
    }
  }
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && came[k] < came[k - 1]; --k) {
      const SeenMessage message = messages[k];
      messages[k] = messages[k - 1];
      messages[k - 1] = message;
      const uint64_t at = came[k];
      came[k] = came[k - 1];
      came[k - 1] = at;
    }
  uint64_t now = from;
  for (int i = 0; i < count; ++i) {
    const SeenMessage& message = messages[i];
    if (came[i] != 0) {
      // What the model says of this machine when nobody saw the message come knows of no meeting.
      const bool seen = came[i] == call.back;
      const uint64_t met_here = seen ? met(message, came[i]) : 0;
      const uint64_t unpacking =
          seen ? to_ticks(machine_.of(message.between_hosts).receive.at(message.bytes)) : 0;
      const uint64_t there = message.wanted != 0
                                 ? through_in_turn(message)
                                 : through_port(message, arrival(message, came[i] - met_here), unpacking);
      arrived = later(arrived, there);
      now = later(now, there);
      if (message.between_hosts) read(message.source, message.bytes, there, now, call.back);
    }
    // the call came back after it had unpacked the one that it waited for, which has come there after that
    const double more_s = came[i] == call.back && message.wanted == 0
                              ? more_receive_s(message.between_hosts, message.bytes)
                              : dilation_ * target_.of(message.between_hosts).receive.at(message.bytes);
    now += to_ticks(more_s);
  }
  return now;
}

}  // namespace ww::interpose
