#include "interpose/core/virtual_clock.hpp"

#include "interpose/core/definitions.hpp"

namespace ww::interpose {

bool virtual_time = false;

namespace {

double now_s = 0;
double at_leave_s = 0;
double origin = 0, tick_rate_per_s = 1e9, compute_factor = 1;
double reading_s = 0;  // what reading the processor's clock adds to what is metered
bool polling = false;
double polled_s = 0;
double sending_port_free_s = 0;

// A gap between tests that is longer is work that the program does meanwhile.
constexpr double longest_polling_s = 20e-6;

double cpu_s(uint64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

// When the receiving port is taken. What is received late may have come early, so gaps are filled; those
// before the oldest interval that is kept are forgotten.
struct Port {
  static constexpr int most = 128;
  struct Taken {
    double from_s, to_s;
  } taken[most];
  int count = 0;

  double place(double from, double length) {
    if (length <= 0) return from;
    int at = count;  // place before taken[at]
    double begin = from;
    for (int i = 0; i < count; ++i) {
      if (taken[i].to_s <= begin) continue;
      if (taken[i].from_s >= begin + length) {
        at = i;
        break;
      }
      begin = taken[i].to_s;
    }
    if (count == most) {
      for (int i = 1; i < count; ++i) taken[i - 1] = taken[i];
      --count;
      if (at > 0) --at;
    }
    for (int i = count; i > at; --i) taken[i] = taken[i - 1];
    taken[at] = {begin, begin + length};
    ++count;
    return begin + length;
  }
};
Port receiving_port;

// Since this was asked last, or since the thread left its latest call.
double metered_s(Thread& thread) {
  const uint64_t now_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  const double had_s = cpu_s(now_ns - thread.last_cpu_ns) - reading_s;
  thread.last_cpu_ns = now_ns;
  return had_s > 0 ? had_s : 0;
}

uint64_t to_ticks() {
  return static_cast<uint64_t>(origin + now_s * tick_rate_per_s);
}

}  // namespace

void start_virtual_clock(uint64_t origin_ticks, double ticks_per_s, double compute) {
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
  const double had_s = metered_s(thread);
  if (polling && had_s < longest_polling_s)
    polled_s += had_s;
  else
    now_s += had_s / compute_factor;
  at_leave_s = now_s;
  return to_ticks();
}

uint64_t leave_virtually(Thread& thread) {
  if (at_leave_s > now_s) now_s = at_leave_s;
  thread.last_cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
  return to_ticks();
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

double virtual_now_s() {
  return now_s;
}
ClockPair virtually_later(ClockPair real) {
  if (origin == 0 || to_ticks() <= real.ticks) return real;
  const auto later = static_cast<double>(to_ticks() - real.ticks);
  real.ticks = to_ticks();
  real.monotonic_ns += static_cast<uint64_t>(later / tick_rate_per_s * 1e9);
  return real;
}
void reach_virtually(double at_s) {
  polling = false;
  if (at_s > now_s) now_s = at_s;
}
void reach_at_leave(double at_s) {
  if (at_s > at_leave_s) at_leave_s = at_s;
}
void found_nothing() {
  trouble(Trouble::virtual_found_nothing);
  polling = true;
}
double virtual_polled_s() {
  return polled_s;
}

Leaving leave_by_port(const MessageCosts& costs, uint64_t bytes) {
  polling = false;
  now_s += costs.send.at(bytes);
  if (costs.rendezvous(bytes)) return {now_s, true};
  const double when_s = now_s > sending_port_free_s ? now_s : sending_port_free_s;
  sending_port_free_s = when_s + costs.port.at(bytes);
  return {when_s, false};
}

double data_start_s(const MessageCosts& costs, uint64_t bytes, double requested_s, double posted_s) {
  const double one_way_s = costs.reply.at(bytes) / 2;
  const double asked_s = requested_s + one_way_s;
  return (asked_s > posted_s ? asked_s : posted_s) + one_way_s;
}

void VirtualArrivals::add(const MessageCosts& costs, uint64_t bytes, double when_s, double posted_s) {
  if (count_ == most) settle();
  const double port_s = costs.port.at(bytes);
  const double start_s = costs.rendezvous(bytes) ? data_start_s(costs, bytes, when_s, posted_s) : when_s;
  const double head_s =
      costs.flight.at(bytes) - port_s - (costs.rendezvous(bytes) ? costs.reply.at(bytes) : 0);
  Arrival next{start_s + (head_s > 0 ? head_s : 0), port_s, costs.receive.at(bytes)};
  int at = count_++;
  for (; at > 0 && arrival_[at - 1].head_s > next.head_s; --at) arrival_[at] = arrival_[at - 1];
  arrival_[at] = next;
}

void VirtualArrivals::settle() {
  for (int i = 0; i < count_; ++i) {
    reach_virtually(receiving_port.place(arrival_[i].head_s, arrival_[i].port_s));
    now_s += arrival_[i].receive_s;
  }
  count_ = 0;
}

}  // namespace ww::interpose
