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
  TcpWindow window;  // of what it sends, with the lock of that port
};
// Of one ordered pair of ranks: large messages whose turn was found. More are open at once of hardly any
// pair; one that is forgotten passes the port twice.
struct Turns {
  static constexpr uint32_t remembered = 64;
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

// What the other of two hosts is sending, and until when.
struct GoesBack {
  double taken_s = 0, until_s = 0;
  GoesBack() = default;
  GoesBack(const PortTimes& back, double from_s)
      : taken_s(back.shared_s({from_s, after_all_s})), until_s(back.last_end_s(from_s)) {}
  // From then on.
  double left_s(double begin_s) const {
    if (until_s <= begin_s) return 0;
    return taken_s < until_s - begin_s ? taken_s : until_s - begin_s;
  }
  static constexpr double after_all_s = 1e300;
};
GoesBack goes_back_to(int host, double ready_s, const MessageCosts* in_windows) {
  if (in_windows == nullptr || !(in_windows->window_frames > 0)) return {};
  Port& back = all_hosts[1 - host].sending;
  SharedLock held(back.lock);
  return {back.times, ready_s};
}
Passage stand_still(PortTimes& port, TcpWindow& window, const MessageCosts& costs, const GoesBack& back,
                    Passage sent, double length_s, double since_s) {
  const double still_s =
      costs.stands_still_s(window, length_s, back.left_s(sent.begin_s), since_s + sent.begin_s);
  sent.end_s = port.take(sent.end_s, still_s).end_s;
  return sent;
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
  const GoesBack back = goes_back_to(host, ready_s, in_windows);
  const Passage sent = take(all_hosts[host].sending, ready_s, length_s);
  if (in_windows == nullptr) return sent;
  Host& from = all_hosts[host];
  SharedLock held(from.sending.lock);
  return stand_still(from.sending.times, from.window, *in_windows, back, sent, length_s, 0);
}
Passage pass_sending_port(PortTimes& port, const PortTimes& back, TcpWindow& window,
                          const MessageCosts& costs, double ready_s, double length_s, double since_s) {
  const Passage sent = port.take(ready_s, length_s);
  if (!(costs.window_frames > 0)) return sent;
  return stand_still(port, window, costs, {back, sent.begin_s}, sent, length_s, since_s);
}

Passage data_pass_sending_port(int host, int from_rank, int to_rank, uint32_t number, double ready_s,
                               double length_s, bool* decided, const MessageCosts* in_windows) {
  const GoesBack back = goes_back_to(host, ready_s, in_windows);
  Port& port = all_hosts[host].sending;
  SharedLock held(port.lock);
  const uint64_t pair = static_cast<uint64_t>(from_rank) * ranks_of_all + static_cast<uint64_t>(to_rank);
  if (number == 0) return port.times.take(ready_s, length_s);
  auto& turn = all_turns[pair].turn[number % Turns::remembered];
  if (turn.number != number) {
    turn = {number, port.times.take(ready_s, length_s)};
    if (in_windows != nullptr)
      turn.passage =
          stand_still(port.times, all_hosts[host].window, *in_windows, back, turn.passage, length_s, 0);
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
