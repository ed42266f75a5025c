#include "interpose/core/collective_play.hpp"

#include <stdlib.h>

#include "interpose/core/virtual_ports.hpp"
#include "patterns/sizes.hpp"

namespace ww::interpose {

namespace {

using patterns::PatternMessage;

// Of one play alone.
struct HostPorts {
  PortTimes sending, receiving;
};

// The clocks of all ranks while they exchange messages.
class Players {
 public:
  Players(const Cast& cast, const int* host, HostPorts* ports, double* clocks, PlayMemory& memory)
      : cast_(cast), host_(host), ports_(ports), t_(clocks), memory_(memory) {}
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

  bool had_memory() const { return had_memory_; }

  patterns::Messages messages() {
    return {this,
            [](void* of, const PatternMessage& transfer, bool synchronous) {
              static_cast<Players*>(of)->transfer(transfer, synchronous);
            },
            [](void* of, const patterns::Round& round, const patterns::Between& between) {
              static_cast<Players*>(of)->round(round, between);
            }};
  }

 private:
  // One message: `at_s` is when its receive was posted, then when it comes to the sending port, to the
  // receiving one, and when it is through. `turn`: of its sender's, which comes first of what comes at once:
  // small ones as they were sent, large ones as replies come, those of lower ranks first.
  struct Message {
    const MessageCosts* costs;
    uint64_t bytes, turn;
    int from, to;
    double at_s;
    Passage sent;
  };

  void transfer(const PatternMessage& transfer, bool synchronous) {
    Message message = begun(transfer, 0);
    const double posted_s = message.at_s;
    send(message);
    pass_sending(message);
    pass_receiving(message);
    const MessageCosts& costs = *message.costs;
    const double matched_s = message.at_s > posted_s ? message.at_s : posted_s;
    receive(message);
    // An acknowledgement, which is empty, goes back; of a large message its reply was that.
    if (synchronous && !costs.rendezvous(message.bytes)) reach(message.from, matched_s + costs.flight.at(0));
  }

  void round(const patterns::Round& round, const patterns::Between& between) {
    const size_t first = used_;  // what takes place in between may have rounds, too
    size_t count = 0;
    const auto counted = [&](const PatternMessage&) { ++count; };
    round(counted);
    if (!make_room(first + count)) return;
    const auto posted = [&](const PatternMessage& transfer) {
      under_way_[used_] = begun(transfer, used_);
      ++used_;
    };
    round(posted);
    if (between) between();
    Message* const messages = under_way_ + first;
    // Ports take what comes first in virtual time, and ranks what is there first.
    for (size_t i = 0; i < count; ++i) send(messages[i]);
    sort(messages, count);
    for (size_t i = 0; i < count; ++i) pass_sending(messages[i]);
    sort(messages, count);
    for (size_t i = 0; i < count; ++i) pass_receiving(messages[i]);
    sort(messages, count);
    for (size_t i = 0; i < count; ++i) receive(messages[i]);
    used_ = first;
  }

  Message begun(const PatternMessage& transfer, uint64_t number) const {
    Message out{};
    out.costs = &cast_.costs(cast_.of, transfer.from, transfer.to);
    out.bytes = transfer.bytes;
    out.turn = out.costs->rendezvous(out.bytes) ? static_cast<uint64_t>(transfer.to) : number;
    out.from = transfer.from;
    out.to = transfer.to;
    out.at_s = t_[transfer.to];
    return out;
  }
  void send(Message& m) {
    t_[m.from] += m.costs->ask_s(m.bytes);
    const double sent_s = t_[m.from];
    m.at_s = m.costs->rendezvous(m.bytes) ? m.costs->data_ready_s(m.bytes, sent_s, m.at_s) : sent_s;
  }
  void pass_sending(Message& m) {
    const double port_s = m.costs->port.at(m.bytes);
    const int host = host_[m.from];
    m.sent = ports_ != nullptr ? ports_[host].sending.take(m.at_s, port_s)
             : cast_.ports     ? pass_sending_port(host, m.at_s, port_s)
                               : Passage{m.at_s, m.at_s + port_s};
    m.at_s = m.sent.begin_s + m.costs->head_s(m.bytes);
  }
  void pass_receiving(Message& m) {
    const double head_s = m.costs->head_s(m.bytes), port_s = m.costs->port.at(m.bytes);
    const int host = host_[m.to];
    m.at_s = ports_ != nullptr ? pass_receiving_port(ports_[host].receiving, m.sent, head_s, port_s)
             : cast_.ports     ? pass_receiving_port(host, m.sent, head_s, port_s)
                               : m.sent.end_s + head_s;
  }
  // The sender's call lasts until a large one is out, or where there is no port, within a host, has arrived.
  void receive(const Message& m) {
    const bool within = host_[m.from] == host_[m.to];
    if (m.costs->rendezvous(m.bytes)) reach(m.from, within ? m.at_s : m.sent.end_s);
    reach(m.to, m.at_s);
    t_[m.to] += m.costs->receive.at(m.bytes);
  }
  void reach(int rank, double at_s) {
    if (at_s > t_[rank]) t_[rank] = at_s;
  }

  static int order(const void* one, const void* other) {
    const auto &a = *static_cast<const Message*>(one), &b = *static_cast<const Message*>(other);
    if (a.at_s != b.at_s) return a.at_s < b.at_s ? -1 : 1;
    if (a.from != b.from) return a.from - b.from;
    return a.turn < b.turn ? -1 : a.turn > b.turn ? 1 : 0;
  }
  static void sort(Message* messages, size_t count) {
    for (size_t i = 1; i < count; ++i)  // mostly they are
      if (order(&messages[i - 1], &messages[i]) > 0) return qsort(messages, count, sizeof(Message), order);
  }

  bool make_room(size_t count) {
    auto* const more = static_cast<Message*>(memory_.need(PlayMemory::messages, sizeof(Message) * count));
    if (more == nullptr) return had_memory_ = false;
    under_way_ = more;
    return true;
  }

  const Cast& cast_;
  const int* host_;
  HostPorts* ports_;
  double* t_;
  PlayMemory& memory_;
  Message* under_way_ = nullptr;
  size_t used_ = 0;
  bool had_memory_ = true;
};

}  // namespace

void* PlayMemory::need(Part part, size_t bytes) {
  if (bytes <= bytes_[part]) return at_[part];
  const size_t size = (bytes + 4095) / 4096 * 4096;
  void* const more = realloc(at_[part], size);
  if (more == nullptr) return nullptr;
  bytes_[part] = size;
  return at_[part] = more;
}

bool play_collective(const Cast& cast, patterns::Operation operation, int given_root, const Entered* entered,
                     double* done_s, PlayMemory& memory) {
  const int n = cast.size, root = given_root < 0 || given_root >= n ? 0 : given_root;
  for (int i = 0; i < n; ++i) done_s[i] = entered[i].at_s;
  if (n < 2) return true;
  const auto members = static_cast<size_t>(n);
  auto* const before = static_cast<uint64_t*>(memory.need(
      PlayMemory::sizes, sizeof(uint64_t) * (members + 1) +
                             sizeof(int) * (members + static_cast<size_t>(patterns::room_for(n)))));
  if (before == nullptr) return false;
  int *const host = reinterpret_cast<int*>(before + members + 1), *const room = host + members;
  for (int i = 0; i < n; ++i) host[i] = cast.host(cast.of, i);
  HostPorts* ports = nullptr;
  if (cast.ports && cast.ports_are_its_own) {
    ports = static_cast<HostPorts*>(memory.need(PlayMemory::ports, sizeof(HostPorts) * members));
    if (ports == nullptr) return false;
    for (int i = 0; i < n; ++i) {
      ports[i].sending.clear();
      ports[i].receiving.clear();
    }
  }
  const auto carried = [&](int i) { return patterns::CarriedSizes{entered[i].given, entered[i].got}; };
  patterns::Sizes sizes(operation, n, root, carried, before);
  sizes.set_nonblocking(cast.nonblocking);
  Players play(cast, host, ports, done_s, memory);
  const patterns::Messages messages = play.messages();
  patterns::write(cast.rules, patterns::Group(messages, n), sizes.asked(), host, room);
  return play.had_memory();
}

Ends ends_of(const Cast& here, const Cast& there, patterns::Operation operation, int root,
             const Entered* entered, int rank, PlayMemory& memory) {
  const double at_s = entered[rank].at_s;
  auto* const done_s =
      static_cast<double*>(memory.need(PlayMemory::ends, sizeof(double) * static_cast<size_t>(here.size)));
  if (done_s == nullptr || !play_collective(here, operation, root, entered, done_s, memory))
    return {at_s, at_s};
  const double here_s = done_s[rank];
  if (!play_collective(there, operation, root, entered, done_s, memory)) return {at_s, at_s};
  return {here_s, done_s[rank]};
}

}  // namespace ww::interpose
