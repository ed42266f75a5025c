#include "interpose/core/injection.hpp"

#include "interpose/core/costs.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool injecting = false;

namespace {

double dilation = 1;
double tick_rate_per_s = 1e9;
double ready_s[ready_sizes];

constexpr double slack = 2;
constexpr double likely = 0.2;
constexpr double margin_inter_s = 20e-6;  // reading from a socket
constexpr double margin_intra_s = 2e-6;

// Until when the ports of this rank's host are taken, as far as this rank's own messages go.
uint64_t sending_port = 0, receiving_port = 0;
uint64_t handed_over = 0;  // when a message was handed to the library last

uint64_t to_ticks(double seconds) {
  return seconds > 0 ? static_cast<uint64_t>(seconds * tick_rate_per_s) : 0;
}

int log2_up(uint64_t n) {
  int log = 0;
  while ((1ull << log) < n && log < 63) ++log;
  return log;
}

double ready_cost(uint64_t bytes) {
  const int log = log2_up(bytes);
  return ready_s[log < ready_sizes ? log : ready_sizes - 1];
}

struct Pair {
  const MessageCosts &real, &target;
  explicit Pair(bool between_hosts)
      : real(machine_costs.of(between_hosts)), target(target_costs.of(between_hosts)) {}
  bool known() const { return real.known && target.known; }
  double more(const Pieces MessageCosts::*part, uint64_t bytes) const {
    return dilation * (target.*part).at(bytes) - (real.*part).at(bytes);
  }
  double more_of_all(uint64_t bytes) const {
    return more(&MessageCosts::send, bytes) + more(&MessageCosts::flight, bytes) +
           more(&MessageCosts::receive, bytes);
  }
};

}  // namespace

void set_injection(double factor, double ticks_per_s) {
  dilation = factor;
  if (ticks_per_s > 0) tick_rate_per_s = ticks_per_s;
  injecting = Pair(true).known() || Pair(false).known();
}

void set_ready_cost(int log2_bytes, double seconds) {
  if (log2_bytes >= 0 && log2_bytes < ready_sizes) ready_s[log2_bytes] = seconds;
}

uint64_t delay_departure(bool between_hosts, uint64_t bytes, uint64_t now) {
  const Pair costs(between_hosts);
  if (!costs.known()) return now;
  const uint64_t more = to_ticks(costs.more(&MessageCosts::send, bytes));
  if (more > 0) now = pass_inside_call(now + more);
  handed_over = now;
  if (!between_hosts) return now;
  const uint64_t departs = now > sending_port ? now : sending_port;
  sending_port = departs + to_ticks(dilation * costs.target.port.at(bytes));
  return departs;
}

uint64_t Injection::entered_ticks() const {
  return handed_over > frame_.enter_ticks() ? handed_over : frame_.enter_ticks();
}

Injection::Injection(const Frame& frame, bool waits) : frame_(frame), waits_(waits), back_(ticks()) {}

void Injection::message(bool between_hosts, uint64_t bytes, uint64_t departed, bool posted_here) {
  const Pair costs(between_hosts);
  if (!costs.known()) return;
  ready_s_ += ready_cost(bytes);
  remote_ |= between_hosts;
  if (departed == 0 && !waits_) return;  // that it was found says that it was there
  uint64_t arrived = 0;
  if (departed != 0) {
    arrived = departed + to_ticks(costs.real.send.at(bytes) + costs.real.flight.at(bytes));
    // a large one begins when its receiver is ready: it was waited for
    if (posted_here && costs.real.rendezvous(bytes)) arrived = back_;
  }
  if (count_ == most) settle();
  messages_[count_++] = {arrived, bytes, between_hosts};
}

void Injection::sent(bool between_hosts, uint64_t bytes) {
  const Pair costs(between_hosts);
  if (!costs.known() || !costs.real.rendezvous(bytes) || !waits_) return;
  const double lasted_s = static_cast<double>(back_ - entered_ticks()) / tick_rate_per_s;
  if (lasted_s < (between_hosts ? margin_inter_s : margin_intra_s)) return;
  const uint64_t deadline = back_ + to_ticks(costs.more(&MessageCosts::flight, bytes));
  if (deadline > deadline_) deadline_ = deadline;
}

// The messages in the order of their arrival: each when it has arrived and its port is free.
void Injection::settle() {
  const uint64_t entered = entered_ticks();
  const double lasted_s = static_cast<double>(back_ - entered) / tick_rate_per_s;
  const bool waited = waits_ && lasted_s > slack * ready_s_ + (remote_ ? margin_inter_s : margin_intra_s);
  Message* last = nullptr;
  for (int i = 0; i < count_; ++i) {
    Message& message = messages_[i];
    // when nobody knows, one that was there before the call came early enough
    if (message.arrived == 0 && !waited) continue;
    if (message.arrived == 0 || message.arrived > back_) message.arrived = back_;
    if (last == nullptr || message.arrived > last->arrived) last = &message;
  }
  // The call ends with the last message. When that came says the clock, not the model, unless it was there
  // before the call: it should have been, and that it came just during a call that was short in comparison is
  // less likely than that the call was slow for another reason (cold caches).
  if (last != nullptr) {
    const bool during = last->arrived >= entered;
    const bool later = waited && static_cast<double>(back_ - entered) >
                                     likely * static_cast<double>(entered - last->arrived);
    if (during || later) last->arrived = back_;
  }
  for (int i = 1; i < count_; ++i)
    for (int k = i; k > 0 && messages_[k].arrived < messages_[k - 1].arrived; --k) {
      const Message earlier = messages_[k];
      messages_[k] = messages_[k - 1];
      messages_[k - 1] = earlier;
    }
  for (int i = 0; i < count_; ++i) {
    const Message& message = messages_[i];
    const Pair costs(message.between_hosts);
    always_s_ += costs.more(&MessageCosts::receive, message.bytes);
    if (message.arrived == 0) continue;
    uint64_t deadline = message.arrived + to_ticks(costs.more(&MessageCosts::flight, message.bytes));
    if (message.between_hosts) {
      const uint64_t in_turn = receiving_port + to_ticks(dilation * costs.target.port.at(message.bytes));
      if (deadline < in_turn) deadline = in_turn;
      receiving_port = deadline;
    }
    if (deadline > deadline_) deadline_ = deadline;
  }
  count_ = 0;
}

// So many messages, one after the other, of which this rank receives the last: a deadline, as for one
// message.
void Injection::chain(bool between_hosts, int messages, uint64_t bytes, uint64_t departed) {
  const Pair costs(between_hosts);
  const double own_s =
      messages * (costs.real.send.at(bytes) + costs.real.flight.at(bytes) + costs.real.receive.at(bytes)) -
      costs.real.receive.at(bytes);
  uint64_t arrived = departed + to_ticks(own_s);
  if (arrived >= entered_ticks() || arrived > back_) arrived = back_;
  const double last_s = costs.more(&MessageCosts::receive, bytes);
  const uint64_t deadline = arrived + to_ticks(messages * costs.more_of_all(bytes) - last_s);
  if (deadline > deadline_) deadline_ = deadline;
  always_s_ += last_s;
}

void Injection::collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes,
                           uint64_t departed) {
  const Pair costs(between_hosts);
  if (ranks < 2 || !costs.known()) return;
  const int from_root = root < 0 ? rank : (rank - root + ranks) % ranks;
  int count = 0;
  uint64_t share = bytes;
  switch (stages) {
    case Stages::all_to_all_log:
      count = log2_up(static_cast<uint64_t>(ranks));
      break;
    case Stages::from_root:  // binomial tree: one stage for each bit that is set
      count = __builtin_popcount(static_cast<unsigned>(from_root));
      break;
    case Stages::to_root:  // a rank hears from one child for each zero bit below its lowest set bit
      count = from_root == 0 ? log2_up(static_cast<uint64_t>(ranks))
                             : __builtin_ctz(static_cast<unsigned>(from_root));
      break;
    case Stages::all_pairs:
      count = ranks - 1;
      share /= static_cast<uint64_t>(ranks);
      break;
  }
  if (departed != 0 && count > 0)
    chain(between_hosts, count, share, departed);
  else
    always_s_ += count * costs.more_of_all(share);
}

Injection::~Injection() {
  settle();
  const uint64_t begin = deadline_ > back_ ? deadline_ : back_;
  const uint64_t target = begin + to_ticks(always_s_);
  if (target > back_) pass_inside_call(target);
}

}  // namespace ww::interpose
