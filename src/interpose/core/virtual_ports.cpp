#include "interpose/core/virtual_ports.hpp"

#include "interpose/core/shared_lock.hpp"

namespace ww::interpose {

namespace {

struct Port {
  uint32_t lock;
  PortTimes times;
};
struct Host {
  Port sending, receiving;
  // Of what it sends, with the lock of that port: its window, and the latest messages that such have to do with.
  TcpWindow window;
  static constexpr uint32_t remembered = 16;
  Passage large[remembered];
  uint32_t next_large;
};
// Of one ordered pair of ranks: large messages whose turn was found. More are open at once of hardly any
// pair; one that is forgotten passes the port twice.
struct Turns {
  static constexpr uint32_t remembered = 64;
  uint32_t lock;
  struct Turn {
    uint64_t number;
    Passage passage;
  } turn[remembered];
};

Host* all_hosts = nullptr;
Turns* all_turns = nullptr;
uint64_t ranks_of_all = 0;

size_t hosts_bytes(int hosts) {
  constexpr size_t line = 64;
  return (static_cast<size_t>(hosts) * sizeof(Host) + line - 1) / line * line;
}

Passage take(Port& port, double from_s, double length_s) {
  if (!(length_s > 0)) return {from_s, from_s};
  SharedLock held(port.lock);
  return port.times.take(from_s, length_s);
}

// For how long a message stands still, which begins then behind what goes back for `back_s` more.
Passage stand_still(PortTimes& port, TcpWindow& window, const MessageCosts& costs, double back_s,
                    Passage sent, double length_s, double since_s) {
  const double still_s = costs.stands_still_s(window, length_s, back_s, since_s + sent.begin_s);
  sent.end_s = port.take(sent.end_s, still_s).end_s;
  return sent;
}

// How long the message goes on that the other of two hosts is sending then, as far as is known.
double goes_back_s(Host& back, double at_s) {
  SharedLock held(back.sending.lock);
  double left_s = 0;
  for (const Passage& one : back.large)
    if (one.begin_s <= at_s && one.end_s - at_s > left_s) left_s = one.end_s - at_s;
  return left_s;
}

}  // namespace

Passage PortTimes::take(double from_s, double length_s) {
  if (!(length_s > 0)) return {from_s, from_s};
  int first = count_;  // of the intervals that end after from_s, or touch it
  while (first > 0 && taken_[first - 1].end_s >= from_s) --first;
  // Everything from from_s to the end is taken then, with what was taken there before.
  Passage all{from_s, from_s};
  const bool busy = first < count_ && taken_[first].begin_s <= from_s;
  const double begin_s = busy ? taken_[first].end_s : from_s;
  int next = first;
  for (double left_s = length_s;; ++next) {
    if (next == count_ || taken_[next].begin_s >= all.end_s + left_s) {
      all.end_s += left_s;
      break;
    }
    if (taken_[next].begin_s < all.begin_s) all.begin_s = taken_[next].begin_s;
    if (taken_[next].begin_s > all.end_s) left_s -= taken_[next].begin_s - all.end_s;
    if (taken_[next].end_s > all.end_s) all.end_s = taken_[next].end_s;
  }
  const int less = next - first - 1;  // intervals first to next - 1 become one
  if (less < 0 && count_ == most) {   // the oldest is forgotten
    if (first == 0) return {begin_s, all.end_s};
    for (int i = 1; i < first; ++i) taken_[i - 1] = taken_[i];
    taken_[first - 1] = all;
    return {begin_s, all.end_s};
  }
  if (less > 0)
    for (int i = next; i < count_; ++i) taken_[i - less] = taken_[i];
  else if (less < 0)
    for (int i = count_; i > first; --i) taken_[i] = taken_[i - 1];
  count_ -= less;
  taken_[first] = all;
  return {begin_s, all.end_s};
}

double PortTimes::shared_s(const Passage& with) const {
  double all_s = 0;
  for (int i = count_; i > 0 && taken_[i - 1].end_s > with.begin_s; --i) {
    const Passage& taken = taken_[i - 1];
    const double from_s = taken.begin_s > with.begin_s ? taken.begin_s : with.begin_s;
    const double to_s = taken.end_s < with.end_s ? taken.end_s : with.end_s;
    if (to_s > from_s) all_s += to_s - from_s;
  }
  return all_s;
}

size_t ports_memory(int hosts, int ranks) {
  const auto pairs = static_cast<size_t>(ranks) * static_cast<size_t>(ranks);
  return hosts_bytes(hosts) + pairs * sizeof(Turns);
}

void start_ports(void* memory, int hosts, int ranks) {
  all_hosts = static_cast<Host*>(memory);
  all_turns = reinterpret_cast<Turns*>(static_cast<char*>(memory) + hosts_bytes(hosts));
  ranks_of_all = static_cast<uint64_t>(ranks);
}

Passage pass_sending_port(int host, double ready_s, double length_s, const MessageCosts* in_windows) {
  Host& from = all_hosts[host];
  if (in_windows == nullptr || !(in_windows->window_frames > 0)) return take(from.sending, ready_s, length_s);
  Passage sent{};
  {
    SharedLock held(from.sending.lock);
    sent = from.sending.times.take(ready_s, length_s);
  }
  const double back_s = goes_back_s(all_hosts[1 - host], sent.begin_s);
  SharedLock held(from.sending.lock);
  sent = stand_still(from.sending.times, from.window, *in_windows, back_s, sent, length_s, 0);
  return from.large[from.next_large++ % Host::remembered] = sent;
}
Passage pass_sending_port(PortTimes& port, const PortTimes& back, TcpWindow& window,
                          const MessageCosts& costs, double ready_s, double length_s, double since_s) {
  const Passage sent = port.take(ready_s, length_s);
  if (!(costs.window_frames > 0)) return sent;
  constexpr double after_all_s = 1e300;
  const double taken_s = back.shared_s({sent.begin_s, after_all_s});
  const double until_s = back.last_end_s(sent.begin_s) - sent.begin_s;
  const double back_s = until_s <= 0 ? 0 : taken_s < until_s ? taken_s : until_s;
  return stand_still(port, window, costs, back_s, sent, length_s, since_s);
}

Passage data_pass_sending_port(int host, int from_rank, int to_rank, uint32_t number, double ready_s,
                               double length_s, bool* decided, const MessageCosts* in_windows) {
  const uint64_t pair = static_cast<uint64_t>(from_rank) * ranks_of_all + static_cast<uint64_t>(to_rank);
  if (number == 0) return take(all_hosts[host].sending, ready_s, length_s);
  Turns& turns = all_turns[pair];
  SharedLock held(turns.lock);
  auto& turn = turns.turn[number % Turns::remembered];
  if (turn.number != number) {
    turn = {number, pass_sending_port(host, ready_s, length_s, in_windows)};
    if (decided != nullptr) *decided = true;
  }
  return turn.passage;
}

namespace {

// Not before the last of it has left the other port.
double through(const Passage& there, const Passage& sent, double head_s) {
  return there.end_s > sent.end_s + head_s ? there.end_s : sent.end_s + head_s;
}

// How much longer it lasts for what the same host sent while it was served, as if in one piece.
double longer_s(const PortTimes& sending, const Passage& there, double length_s, double meeting_s) {
  if (!(meeting_s > 0) || !(length_s > 0)) return 0;
  return meeting_s * sending.shared_s({there.end_s - length_s, there.end_s}) / length_s;
}

}  // namespace

double pass_receiving_port(int host, const Passage& sent, double head_s, double length_s, double meeting_s) {
  Host& at = all_hosts[host];
  Passage there = take(at.receiving, sent.begin_s + head_s, length_s);
  double more_s = 0;
  {
    SharedLock held(at.sending.lock);
    more_s = longer_s(at.sending.times, there, length_s, meeting_s);
  }
  there.end_s = take(at.receiving, there.end_s, more_s).end_s;
  return through(there, sent, head_s);
}
double pass_receiving_port(PortTimes& port, const PortTimes& sending, const Passage& sent, double head_s,
                           double length_s, double meeting_s) {
  Passage there = port.take(sent.begin_s + head_s, length_s);
  there.end_s = port.take(there.end_s, longer_s(sending, there, length_s, meeting_s)).end_s;
  return through(there, sent, head_s);
}

}  // namespace ww::interpose
