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
  Players(const Cast& cast, const int* host, HostPorts* ports, double* clocks, Reading* reading,
          PlayMemory& memory)
      : cast_(cast),
        host_(host),
        ports_(ports),
        t_(clocks),
        reading_(reading),
        memory_(memory),
        written_(memory.last[cast.really ? 1 : 0].written),
        windows_(memory.last[cast.really ? 1 : 0].windows) {
    written_.begin_play(cast.communicator, cast.since_s);
    memory.replies_mattered = false;
  }
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
  // small ones as they were sent, large ones as replies come, those of lower ranks first. `asks_s`: when its request
  // comes, where its reply may lie behind data.
  struct Message {
    const MessageCosts* costs;
    uint64_t bytes, turn;
    int from, to;
    double at_s, asks_s;
    Passage sent;
  };
  bool in_order(const Message& m) const {
    return cast_.replies != Replies::at_once && m.costs->in_order(m.bytes);
  }

  void transfer(const PatternMessage& transfer, bool synchronous) {
    Message message = begun(transfer, 0);
    const double posted_s = message.at_s;
    send(message);
    if (in_order(message)) {
      reading_[message.to].waits_s = posted_s;
      const double answered_s = answer(message, read_s(message));
      hand_over(message, answered_s > t_[message.from] ? answered_s : t_[message.from]);
    } else {
      pass_small(message);
    }
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
    for (size_t i = 0; i < count; ++i)
      if (in_order(messages[i])) stay_for_request(messages[i]);
    // Ports take what comes first in virtual time, and ranks what is there first.
    size_t large = 0;
    for (size_t i = 0; i < count; ++i) {
      send(messages[i]);
      if (in_order(messages[i])) ++large;
    }
    sort(messages, count);
    for (size_t i = 0; i < count; ++i)
      if (!in_order(messages[i])) pass_small(messages[i]);
    if (large > 0 && !pass_large(messages, count, large)) return;
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
    if (cast_.sends != nullptr) cast_.sends(cast_.of, m.from, m.to, sent_s);
    if (in_order(m))
      m.asks_s = request_comes_s(m, sent_s);
    else
      m.at_s = m.costs->rendezvous(m.bytes) ? m.costs->data_ready_s(m.bytes, sent_s, m.at_s) : sent_s;
  }
  double request_comes_s(const Message& m, double sent_s) {
    return written_.behind_s(host_[m.from], host_[m.to], sent_s) + m.costs->control_s(m.bytes);
  }
  // A rank whose wait was just over is still in its call while what is read together with that comes, and sends its own
  // afterwards: the reply to a request that was on its way goes in front of the rank's own request. UCX reads on so, below MPICH;
  // ob1 leaves its call, and what comes after the next one has sent is read when that waits.
  void stay_for_request(Message& m) {
    const double sent_s = t_[m.from] + m.costs->ask_s(m.bytes);
    if (sent_s > t_[m.to]) return;
    const double comes_s = request_comes_s(m, sent_s);
    double& looked_s = reading_[m.to].looked_s;
    if (comes_s <= t_[m.to] || comes_s > looked_s + m.costs->together_s) return;
    if (!m.costs->reads_on && comes_s > t_[m.to] + m.costs->ask_s(m.bytes)) return;
    m.at_s = t_[m.to] = looked_s = comes_s;
  }
  void pass_sending(Message& m) {
    const double port_s = m.costs->port.at(m.bytes);
    const int host = host_[m.from];
    const bool in_windows = m.costs->window_frames > 0 && m.costs->rendezvous(m.bytes) && cast_.size == 2;
    if (ports_ != nullptr && in_windows && cast_.communicator != 0)
      m.sent = pass_sending_port(ports_[host].sending, ports_[host_[m.to]].sending, windows_[m.from],
                                 *m.costs, m.at_s, port_s, cast_.since_s);
    else if (ports_ != nullptr)
      m.sent = ports_[host].sending.take(m.at_s, port_s);
    else
      m.sent = cast_.ports ? pass_sending_port(host, m.at_s, port_s, in_windows ? m.costs : nullptr)
                           : Passage{m.at_s, m.at_s + port_s};
    m.at_s = m.sent.begin_s + m.costs->head_s(m.bytes);
  }
  void pass_small(Message& m) {
    const double written_s = m.at_s;
    pass_sending(m);
    note(m, written_s);
  }
  void note(const Message& m, double written_s) {
    if (m.costs->together_s >= 0) written_.note(host_[m.from], host_[m.to], written_s, m.sent.end_s);
  }
  // When the receiver of a large one reads its request, and when the reply to what it reads then is with the sender.
  double read_s(const Message& m) const {
    const Reading& reading = reading_[m.to];
    if (cast_.replies == Replies::in_turn) return m.asks_s > reading.waits_s ? m.asks_s : reading.waits_s;
    return reading.answers_s(m.asks_s, m.at_s, m.costs->together_s);
  }
  double answer(const Message& m, double read_s) {
    return written_.behind_s(host_[m.to], host_[m.from], read_s) + m.costs->control_s(m.bytes);
  }
  void hand_over(Message& m, double from_s) {
    m.at_s = reading_[m.from].writes_until_s = from_s + m.costs->rest_s(m.bytes);
    pass_sending(m);
    note(m, from_s);
  }
  // Those of a round that wait for replies; the small ones are written.
  bool pass_large(Message* messages, size_t count, size_t large) {
    auto* const items =
        static_cast<ReplyAgenda::Item*>(memory_.need(PlayMemory::agenda, sizeof(ReplyAgenda::Item) * large));
    if (items == nullptr) return had_memory_ = false;
    memory_.replies_mattered = true;
    ReplyAgenda agenda(items);
    for (size_t i = 0; i < count; ++i) {
      reading_[messages[i].from].waits_s = t_[messages[i].from];
      reading_[messages[i].to].waits_s = t_[messages[i].to];
    }
    for (size_t i = 0; i < count; ++i)
      if (in_order(messages[i])) agenda.add(read_s(messages[i]), static_cast<uint32_t>(i), false);
    while (!agenda.empty()) {
      const ReplyAgenda::Item next = agenda.take();
      Message& m = messages[next.message];
      const Reading& reads = reading_[next.reply ? m.from : m.to];
      double free_s = reads.writes_until_s;
      if ((next.reply || reads.is_asked_for_data) && reads.waits_s > free_s) free_s = reads.waits_s;
      if (next.at_s < free_s || (!next.reply && reads.is_asked_for_data)) {
        agenda.add(free_s, next.message, next.reply);
      } else if (next.reply) {
        reading_[m.from].is_asked_for_data = false;
        hand_over(m, next.at_s);
      } else {
        const double answered_s = answer(m, next.at_s);
        if (cast_.replies == Replies::in_turn) reading_[m.from].is_asked_for(answered_s);
        agenda.add(answered_s, next.message, true);
      }
    }
    return true;
  }
  void pass_receiving(Message& m) {
    const double head_s = m.costs->head_s(m.bytes), port_s = m.costs->port.at(m.bytes);
    const int host = host_[m.to];
    const double meeting_s = m.costs->meeting.at(m.bytes);
    m.at_s = ports_ != nullptr ? pass_receiving_port(ports_[host].receiving, ports_[host].sending, m.sent,
                                                     head_s, port_s, meeting_s)
             : cast_.ports     ? pass_receiving_port(host, m.sent, head_s, port_s, meeting_s)
                               : m.sent.end_s + head_s;
  }
  // The sender's call lasts until a large one is out, or where there is no port, within a host, has arrived.
  void receive(const Message& m) {
    const bool within = host_[m.from] == host_[m.to];
    if (m.costs->rendezvous(m.bytes)) reach(m.from, within ? m.at_s : m.sent.end_s);
    reach(m.to, m.at_s);
    if (cast_.reads != nullptr) cast_.reads(cast_.of, m.from, m.to, m.bytes, m.at_s, t_[m.to]);
    t_[m.to] += m.costs->receive.at(m.bytes);
  }
  void reach(int rank, double at_s) {
    if (at_s > t_[rank]) t_[rank] = reading_[rank].looked_s = at_s;
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
  Reading* reading_;
  PlayMemory& memory_;
  WrittenLast& written_;
  TcpWindow* windows_;
  Message* under_way_ = nullptr;
  size_t used_ = 0;
  bool had_memory_ = true;
};

// Ports begin as the play before left them.
void take_what_was_taken(const Cast& cast, const int* host, const Entered* entered, HostPorts* ports,
                         const PortsLast& last) {
  double begin_s = entered[0].at_s;
  for (int i = 1; i < cast.size; ++i)
    if (entered[i].at_s < begin_s) begin_s = entered[i].at_s;
  for (int i = 0; i < cast.size; ++i) {
    ports[i].sending.clear();
    ports[i].receiving.clear();
    const PortsLast::Until until = last.of(cast.communicator, i, cast.since_s, begin_s);
    ports[i].sending.take(begin_s, until.sending_s - begin_s);
    ports[i].receiving.take(begin_s, until.receiving_s - begin_s);
  }
  for (int i = 0; i < cast.size; ++i) {
    const double until_s = cast.really ? entered[i].port_really_until_s : entered[i].port_until_s;
    PortTimes& sending = ports[host[i]].sending;
    const double from_s = sending.last_end_s(begin_s);
    sending.take(from_s, until_s - from_s);
  }
}

void keep_what_is_taken(const Cast& cast, const HostPorts* ports, PortsLast& last) {
  if (cast.communicator == 0) return;
  for (int i = 0; i < cast.size; ++i) {
    const double none_s = -1e300;
    const PortsLast::Until until{ports[i].sending.last_end_s(none_s), ports[i].receiving.last_end_s(none_s)};
    if (until.sending_s > none_s || until.receiving_s > none_s)
      last.note(cast.communicator, i, cast.since_s, until);
  }
}

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
    take_what_was_taken(cast, host, entered, ports, memory.last[cast.really ? 1 : 0].ports);
  }
  auto* const reading = static_cast<Reading*>(memory.need(PlayMemory::reading, sizeof(Reading) * members));
  if (reading == nullptr) return false;
  for (int i = 0; i < n; ++i) {
    const Entered& one = entered[i];
    reading[i] = {cast.really ? one.really_looked_s : one.looked_s, one.at_s, one.at_s};
  }
  const auto carried = [&](int i) { return patterns::CarriedSizes{entered[i].given, entered[i].got}; };
  patterns::Sizes sizes(operation, n, root, carried, before);
  sizes.set_nonblocking(cast.nonblocking);
  sizes.set_pairs(cast.pairs);
  Players play(cast, host, ports, done_s, reading, memory);
  const patterns::Messages messages = play.messages();
  patterns::write(cast.rules, patterns::Group(messages, n), sizes.asked(), host, room);
  if (ports != nullptr) keep_what_is_taken(cast, ports, memory.last[cast.really ? 1 : 0].ports);
  return play.had_memory();
}

Ends ends_of(const Cast& here, const Cast& there, patterns::Operation operation, int root,
             const Entered* entered, int rank, PlayMemory& memory, double back_s) {
  const Entered& own = entered[rank];
  const Ends none{own.at_s, own.at_s, own.really_looked_s, own.looked_s};
  const auto members = static_cast<size_t>(here.size);
  auto* const done_s = static_cast<double*>(memory.need(PlayMemory::ends, sizeof(double) * members));
  if (done_s == nullptr || members < 2) return none;
  struct End {
    bool known;
    double done_s, looked_s;
  };
  const auto end_of = [&](const Cast& cast) {
    const bool known = play_collective(cast, operation, root, entered, done_s, memory);
    const auto* reading =
        static_cast<const Reading*>(memory.need(PlayMemory::reading, sizeof(Reading) * members));
    return known ? End{true, done_s[rank], reading[rank].looked_s} : End{};
  };
  PlayedLast& last = memory.last[here.really ? 1 : 0];
  memory.before = last;
  End happened = end_of(here);
  if (!happened.known) return none;
  const auto off_s = [&](const End& end) {
    return end.done_s > back_s ? end.done_s - back_s : back_s - end.done_s;
  };
  constexpr Replies others[] = {Replies::at_once, Replies::in_turn};
  constexpr double doubted = 0.2;  // of its time: another order of the replies takes half as long, or twice
  const bool knows = back_s > own.at_s;
  if (knows && memory.replies_mattered && off_s(happened) > doubted * (happened.done_s - own.at_s)) {
    memory.happened = last;
    for (const Replies replies : others) {
      Cast other = here;
      other.replies = replies;
      last = memory.before;
      const End end = end_of(other);
      if (!end.known || off_s(end) >= off_s(happened)) continue;
      happened = end;
      memory.happened = last;
    }
    last = memory.happened;
  }
  const End wanted = end_of(there);
  if (!wanted.known) return none;
  return {happened.done_s, wanted.done_s, happened.looked_s, wanted.looked_s};
}

}  // namespace ww::interpose
