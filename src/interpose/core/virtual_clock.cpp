#include "interpose/core/virtual_clock.hpp"

#include "interpose/core/definitions.hpp"
#include "interpose/core/virtual_streams.hpp"

namespace ww::interpose {

bool virtual_time = false;

namespace {

double now_s = 0;
double at_leave_s = 0;
double looked_s = 0;
double origin = 0, tick_rate_per_s = 1e9, compute_factor = 1;
double reading_s = 0;  // what reading the processor's clock adds to what is metered
uint64_t own_read_from_bytes = 0;
bool polling = false;
double polled_s = 0;

// A gap between tests that is longer is work that the program does meanwhile.
constexpr double longest_polling_s = 20e-6;

double cpu_s(uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

// Since this was asked last, or since the thread left its latest call.
double metered_s(Thread& thread) {
  const uint64_t now_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  const double had_s = cpu_s(now_ns - thread.last_cpu_ns) - reading_s;
  thread.last_cpu_ns = now_ns;
  return had_s > 0 ? had_s : 0;
}

// What the thread had of the processor, over `factor`.
void add_metered(Thread& thread, double factor) {
  const double had_s = metered_s(thread);
  if (polling && had_s < longest_polling_s)
    polled_s += had_s;
  else
    now_s += had_s / factor;
}

}  // namespace

// Each is later than the one before: readers tell calls inside of one another from calls in a row by their times.
uint64_t virtual_ticks() {
  static uint64_t latest = 0;
  const auto now = static_cast<uint64_t>(origin + now_s * tick_rate_per_s);
  latest = now > latest ? now : latest + 1;
  return latest;
}

void start_virtual_clock(uint64_t origin_ticks, double ticks_per_s, double compute, double at_s) {
  now_s = looked_s = at_s;
  origin = static_cast<double>(origin_ticks);
  tick_rate_per_s = ticks_per_s;
  compute_factor = compute;
  double least_s = 1;
  for (int i = 0; i < 100; ++i) {
    const uint64_t before = real_ns(CLOCK_THREAD_CPUTIME_ID);
    const double took_s = cpu_s(real_ns(CLOCK_THREAD_CPUTIME_ID) - before);
    if (took_s < least_s) least_s = took_s;
  }
  reading_s = least_s;
  virtual_time = true;
}

void stop_virtual_clock() {
  virtual_time = false;
}

uint64_t enter_virtually(Thread& thread) {
  add_metered(thread, compute_factor);
  at_leave_s = now_s;
  return virtual_ticks();
}

uint64_t leave_virtually(Thread& thread) {
  if (at_leave_s > now_s) now_s = looked_s = at_leave_s;
  thread.last_cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  return virtual_ticks();
}

// Who looks at the clock while polling may be waiting for it, so that it has to go on.
double virtual_now_at_question(Thread& thread) {
  now_s += metered_s(thread) / compute_factor;
  return now_s;
}

void add_virtual_sleep(Thread& thread, double seconds) {
  if (seconds > 0) now_s += seconds;
  thread.last_cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
}

void add_virtual_work(Thread& thread) {
  add_metered(thread, 1);
}

double virtual_now_s() {
  return now_s;
}
double virtual_looked_s() {
  return looked_s;
}
ClockPair virtually_later(ClockPair real) {
  const uint64_t end = origin == 0 ? 0 : virtual_ticks();
  if (end <= real.ticks) return real;
  const auto later = static_cast<double>(end - real.ticks);
  real.ticks = end;
  real.monotonic_ns += static_cast<uint64_t>(later / tick_rate_per_s * 1e9);
  return real;
}
void reach_virtually(double at_s) {
  polling = false;
  if (at_s > now_s) now_s = looked_s = at_s;
}
void reach_at_leave(double at_s) {
  if (at_s > at_leave_s) at_leave_s = at_s;
}
void stayed_virtually(double until_s) {
  if (until_s <= looked_s) return;
  now_s += until_s - looked_s;
  looked_s = until_s;
}
void reads_virtually() {
  looked_s = now_s;
}
void own_messages_read_virtually(uint64_t from_bytes) {
  own_read_from_bytes = from_bytes;
}
void found_nothing() {
  trouble(Trouble::virtual_found_nothing);
  polling = true;
  reads_virtually();
}
double virtual_polled_s() {
  return polled_s;
}

Leaving leave_by_port(const MessageCosts& costs, uint64_t bytes, int host, int from_rank, int to_rank) {
  polling = false;
  now_s += costs.ask_s(bytes);
  if (costs.rendezvous(bytes)) return {{now_s, now_s}, true};
  return {pass_sending_port(host, now_s, joined_port_s(costs, bytes, from_rank, to_rank, now_s)), false};
}

void VirtualArrivals::add(const MessageCosts& costs, uint64_t bytes, const Passage& sent, int host,
                          int from_rank, int to_rank) {
  if (count_ == most) settle();
  host_ = host;
  // (no longer than at its sender's, where it may have shared frames)
  const double port_s = costs.port.at(bytes), sent_s = sent.end_s - sent.begin_s;
  const Arrival next{
      sent, &costs, bytes, from_rank, to_rank, costs.head_s(bytes), sent_s < port_s ? sent_s : port_s};
  int at = count_++;
  for (; at > 0 && arrival_[at - 1].begin_s() > next.begin_s(); --at) arrival_[at] = arrival_[at - 1];
  arrival_[at] = next;
}

// Who receives what it has not read yet reads with it all that has come.
bool VirtualArrivals::Arrival::reads(bool unread) const {
  if (from_rank != to_rank) return unread;
  return own_read_from_bytes > 0 && bytes >= own_read_from_bytes;
}

void VirtualArrivals::settle() {
  for (int i = 0; i < count_; ++i) {
    const Arrival& next = arrival_[i];
    double came_s =
        pass_receiving_port(host_, next.sent, next.head_s, next.port_s, next.costs->meeting.at(next.bytes));
    if (next.costs->acknowledged && next.costs->rendezvous(next.bytes)) {
      const double told_s =
          acknowledged_s(*next.costs, next.bytes, next.from_rank, next.to_rank, next.sent.end_s) +
          next.costs->control_s(next.bytes);
      if (told_s > came_s) came_s = told_s;
    }
    const bool unread =
        came_s > looked_s + (next.costs->read_together_s > 0 ? next.costs->read_together_s : 0);
    reach_virtually(came_s);
    if (next.reads(unread)) reads_virtually();
    note_read(*next.costs, next.bytes, next.from_rank, next.to_rank, host_, came_s, now_s);
    now_s += next.costs->receive.at(next.bytes);
  }
  count_ = 0;
}

}  // namespace ww::interpose
