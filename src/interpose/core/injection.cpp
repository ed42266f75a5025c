#include "interpose/core/injection.hpp"

#include "interpose/core/message_curves.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool injecting = false;

namespace {

Deadlines deadlines(machine_costs, target_costs);
double ready_s[ready_sizes];
uint64_t handed_over = 0;  // when a message was handed to the library last

int log2_up(uint64_t n) {
  int log = 0;
  while ((1ull << log) < n && log < 63) ++log;
  return log;
}

double ready_cost(uint64_t bytes) {
  const int log = log2_up(bytes);
  return ready_s[log < ready_sizes ? log : ready_sizes - 1];
}

double more_of_all_s(bool between_hosts, uint64_t bytes) {
  return deadlines.more_send_s(between_hosts, bytes) + deadlines.more_flight_s(between_hosts, bytes) +
         deadlines.more_receive_s(between_hosts, bytes);
}

}  // namespace

void set_injection(double factor, double ticks_per_s) {
  deadlines.set(factor, ticks_per_s);
  injecting = deadlines.known();
}

void set_ready_cost(int log2_bytes, double seconds) {
  if (log2_bytes >= 0 && log2_bytes < ready_sizes) ready_s[log2_bytes] = seconds;
}

uint64_t delay_departure(bool between_hosts, uint64_t bytes, uint64_t now) {
  if (!deadlines.known(between_hosts)) return now;
  const uint64_t more = deadlines.to_ticks(deadlines.more_send_s(between_hosts, bytes));
  if (more > 0) now = pass_in_software(now + more);
  handed_over = now;
  return deadlines.departs(between_hosts, bytes, now);
}

uint64_t Injection::entered_ticks() const {
  return handed_over > frame_.enter_ticks() ? handed_over : frame_.enter_ticks();
}

Injection::Injection(const Frame& frame, bool waits) : frame_(frame), waits_(waits), back_(ticks()) {}

void Injection::message(SeenMessage message) {
  if (!deadlines.known(message.between_hosts)) return;
  ready_s_ += ready_cost(message.bytes);
  if (message.posted == 0) message.posted = entered_ticks();
  if (count_ == most) settle();
  messages_[count_++] = message;
}

void Injection::sent(bool between_hosts, uint64_t bytes, uint64_t departed) {
  const uint64_t deadline = deadlines.sent(between_hosts, bytes, departed, seen());
  if (deadline > deadline_) deadline_ = deadline;
}

void Injection::settle() {
  if (count_ > 0)
    received_ =
        deadlines.received(messages_, count_, seen(), received_ > 0 ? received_ : entered_ticks(), arrived_);
  count_ = 0;
}

void Injection::collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes,
                           uint64_t departed) {
  if (ranks < 2 || !deadlines.known(between_hosts)) return;
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
  if (departed == 0 || count == 0) {
    always_s_ += count * more_of_all_s(between_hosts, share);
    return;
  }
  const uint64_t deadline = deadlines.chained(between_hosts, count, share, departed, seen());
  if (deadline > deadline_) deadline_ = deadline;
  always_s_ += deadlines.more_receive_s(between_hosts, share);
}

Injection::~Injection() {
  settle();
  uint64_t now = back_;
  const uint64_t there = arrived_ > deadline_ ? arrived_ : deadline_;
  if (there > now) now = pass_waiting(there);
  const uint64_t unpacked = received_ > there ? received_ : there;
  const uint64_t target = (unpacked > back_ ? unpacked : back_) + deadlines.to_ticks(always_s_);
  if (target > now) pass_in_software(target);
}

}  // namespace ww::interpose
