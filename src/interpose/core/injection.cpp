#include "interpose/core/injection.hpp"

#include "interpose/core/message_curves.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool injecting = false;

namespace {

Deadlines deadlines(machine_costs, target_costs);
NetworkCosts here, wanted;
double wire_factor = 1;
double ready_s[ready_sizes];
int ports = 0;  // a lock: threads have them together

int log2_up(uint64_t n) {
  int log = 0;
  while ((1ull << log) < n && log < 63) ++log;
  return log;
}

// Software takes `factor` times what it takes on the target, its wire `of_wire` times.
void want(double factor, double of_wire) {
  wire_factor = of_wire;
  MessageCosts NetworkCosts::*const links[] = {&NetworkCosts::inter, &NetworkCosts::intra};
  for (const auto link : links) {
    if (!deadlines.known(link == &NetworkCosts::inter)) continue;
    here.*link = machine_costs.*link;
    MessageCosts costs = target_costs.*link;
    Pieces* const software[] = {&costs.send, &costs.receive};
    Pieces* const wire[] = {&costs.flight, &costs.port, &costs.reply, &costs.meeting};
    for (Pieces* part : software) part->multiply(factor);
    for (Pieces* part : wire) part->multiply(of_wire);
    if (costs.together_s > 0) costs.together_s *= factor;
    if (costs.read_together_s > 0) costs.read_together_s *= factor;
    costs.control_frame_s *= of_wire;
    costs.stretched = of_wire;
    wanted.*link = costs;
  }
}

double ready_cost(uint64_t bytes) {
  const int log = log2_up(bytes);
  return ready_s[log < ready_sizes ? log : ready_sizes - 1];
}

}  // namespace

void set_injection(double factor, double ticks_per_s) {
  deadlines.set(factor, ticks_per_s);
  injecting = deadlines.known();
  want(factor, factor);
}

const NetworkCosts& costs_here() {
  return here;
}
const NetworkCosts& costs_wanted() {
  return wanted;
}
void data_go_in_turn() {
  deadlines.data_go_in_turn();
}
double injection_seconds(uint64_t ticks) {
  return deadlines.to_seconds(ticks);
}
uint64_t injection_ticks(double seconds) {
  return deadlines.to_ticks(seconds);
}

void change_injection(double dilation, bool wire_follows) {
  deadlines.change(dilation, wire_follows);
  want(dilation, wire_follows ? wire_factor : dilation);
}

void set_ready_cost(int log2_bytes, double seconds) {
  if (log2_bytes >= 0 && log2_bytes < ready_sizes) ready_s[log2_bytes] = seconds;
}

uint64_t delay_departure(Thread& thread, bool between_hosts, uint64_t bytes, uint64_t now, int dest) {
  if (!deadlines.known(between_hosts)) return now;
  const uint64_t more = deadlines.to_ticks(deadlines.more_send_s(between_hosts, bytes));
  if (more > 0) now = pass_in_software(now + more);
  thread.handed_over = now;
  const Locked locked(ports);
  return deadlines.departs(between_hosts, bytes, now, dest);
}

Deadlines::PortUntil injected_port() {
  const Locked locked(ports);
  return deadlines.sending_port();
}
void note_told(int peer, uint64_t when) {
  const Locked locked(ports);
  deadlines.told(peer, when);
}
void note_read(int peer, uint64_t bytes, uint64_t came, uint64_t read, uint64_t really_read) {
  const Locked locked(ports);
  deadlines.read(peer, bytes, came, read, really_read);
}

uint64_t Injection::entered_ticks() const {
  const uint64_t handed_over = this_thread != nullptr ? this_thread->handed_over : 0;
  return handed_over > entered_ ? handed_over : entered_;
}

Injection::Injection(uint64_t entered, bool waits) : entered_(entered), waits_(waits), back_(ticks()) {}

void Injection::message(SeenMessage message) {
  reads();
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

// A large message, for longer than a call takes.
bool Injection::has_waited_to_send() const {
  constexpr double long_s = 20e-6;
  return deadline_ > 0 && deadlines.to_seconds(back_ - entered_ticks()) > long_s;
}

void Injection::settle() {
  if (count_ > 0) {
    const Locked locked(ports);
    received_ =
        deadlines.received(messages_, count_, seen(), received_ > 0 ? received_ : entered_ticks(), arrived_);
  }
  count_ = 0;
}

Injection::~Injection() {
  settle();
  uint64_t now = back_;
  const uint64_t there = arrived_ > deadline_ ? arrived_ : deadline_;
  if (there > now) now = pass_waiting(there);
  const uint64_t unpacked = received_ > there ? received_ : there;
  if (waits_ && this_thread != nullptr) {
    this_thread->really_looked = really_looked_ > 0 ? really_looked_ : back_;
    this_thread->looked = looked_ > 0 ? looked_ : now;
    if (reads_ || looked_ > 0 || now > back_ || has_waited_to_send()) this_thread->read = this_thread->looked;
  }
  if (unpacked > now) pass_in_software(unpacked);
}

}  // namespace ww::interpose
