#include "interpose/core/clock_threads.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/futex.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/own_thread.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/ticks.hpp"
#include "interpose/core/wire_clock.hpp"

namespace ww::interpose {

namespace {

constexpr int answer_within_ms = 20;
constexpr int failures_until_silent = 3;
constexpr int most_bursts = 5;

struct Question {
  uint64_t secret;
  uint32_t number;
  uint32_t stop;  // of the process that answers, to its own thread
};
struct Reply {
  Question question;
  uint64_t in, out;  // ticks of rank 0
};

ClockMeeting meeting;
int own_rank = 0;
int stopping = 0;      // a futex, for the thread that asks
int thread_ready = 0;  // the thread has its own descriptors
int own_socket = -1;   // handed to the thread that answers
bool answers = false, asks = false;
pthread_t asking_thread;
char counter[64] = "";

void sleep_on(int* word, int value, uint64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &time, nullptr, 0);
}
void wake(int* word) {
  __atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}
bool stopped() {
  return __atomic_load_n(&stopping, __ATOMIC_RELAXED) != 0;
}

// The thread has a table of descriptors to itself, in which there is only `kept` (or nothing): the program
// can neither see nor close nor reuse its socket, and no file or pipe of the program is held open by it.
bool leave_descriptors(int kept) {
#ifdef SYS_close_range
  constexpr unsigned unshare = 1u << 1;  // CLOSE_RANGE_UNSHARE, Linux 5.9
  if (kept < 0) return syscall(SYS_close_range, 0u, ~0u, unshare) == 0;
  const auto one = static_cast<unsigned>(kept);
  return (one == 0 || syscall(SYS_close_range, 0u, one - 1, unshare) == 0) &&
         syscall(SYS_close_range, one + 1, ~0u, unshare) == 0;
#else
  static_cast<void>(kept);
  return false;
#endif
}

// On whichever processor is idle, not on those that the rank was bound to.
void use_any_processor() {
  cpu_set_t all;
  memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

void* answer(void*) {
  use_any_processor();
  const int socket = own_socket;
  const bool alone = leave_descriptors(socket);
  wake(&thread_ready);
  Question question{};
  sockaddr_in from{};
  while (alone) {
    socklen_t size = sizeof from;
    const ssize_t n =
        recvfrom(socket, &question, sizeof question, 0, reinterpret_cast<sockaddr*>(&from), &size);
    const uint64_t in = ticks();
    if (n < 0 && errno != EINTR && errno != ECONNREFUSED) break;
    if (n != sizeof question || question.secret != meeting.secret) continue;
    if (question.stop != 0) break;
    Reply reply{question, in, 0};
    reply.out = ticks();
    sendto(socket, &reply, sizeof reply, 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
  if (alone) close(socket);
  return nullptr;
}

// Adds one round trip. False: no answer in time.
bool ask_once(int socket, uint32_t number, uint32_t address, RoundTrips& trips) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = meeting.port;
  to.sin_addr.s_addr = address;
  const Question question{meeting.secret, number, 0};
  const uint64_t before = ticks();
  if (sendto(socket, &question, sizeof question, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0)
    return false;
  const uint64_t deadline_ns = real_ns(CLOCK_MONOTONIC) + answer_within_ms * 1000000ull;
  while (true) {
    const uint64_t now_ns = real_ns(CLOCK_MONOTONIC);
    if (now_ns >= deadline_ns) return false;
    pollfd wanted{socket, POLLIN, 0};
    if (poll(&wanted, 1, static_cast<int>((deadline_ns - now_ns) / 1000000u) + 1) <= 0) continue;
    Reply reply{};
    const ssize_t n = recv(socket, &reply, sizeof reply, MSG_DONTWAIT);
    const uint64_t after = ticks();
    if (n < 0 && errno != EAGAIN && errno != EINTR) return false;  // nobody listens there
    if (n != sizeof reply || reply.question.secret != meeting.secret || reply.question.number != number)
      continue;
    trips.add(before, reply.in, reply.out, after);
    return true;
  }
}

// Rank 0 has several addresses: that which answers quickest is kept in `best`, -1 while there is none. Where
// ranks wait busily on all processors a burst of round trips can fall between two turns of the scheduler:
// what is far worse than usual is tried again.
ClockSample exchange(int& best, uint32_t& number, int64_t& usual) {
  ClockSample quickest;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return quickest;
  if (best < 0)
    for (int i = 0; i < meeting.addresses && !stopped(); ++i) {
      RoundTrips trips;
      for (int trip = 0; trip < 3; ++trip)
        if (!ask_once(socket, ++number, meeting.address[i], trips)) break;
      const ClockSample found = trips.result();
      if (found.trips == 0 || (best >= 0 && found.uncertainty >= quickest.uncertainty)) continue;
      best = i;
      quickest = found;
    }
  quickest = {};
  for (int burst = 0; best >= 0 && burst < most_bursts && !stopped(); ++burst) {
    if (burst > 0) sleep_on(&stopping, 0, 5000000);
    RoundTrips trips;
    for (int trip = 0, lost = 0; trip < RoundTrips::most && lost < 3 && !stopped(); ++trip)
      if (!ask_once(socket, ++number, meeting.address[best], trips)) ++lost;
    const ClockSample found = trips.result();
    if (found.trips > 0 && (quickest.trips == 0 || found.uncertainty < quickest.uncertainty))
      quickest = found;
    if (quickest.trips > 0 && (usual == 0 || quickest.uncertainty < usual)) usual = quickest.uncertainty;
    if (quickest.trips == 0 || quickest.uncertainty <= 3 * usual) break;
  }
  close(socket);
  return quickest;
}

void* ask(void*) {
  use_any_processor();
  const bool alone = leave_descriptors(-1);
  // Ranks that follow one another are spread evenly by the golden section.
  const double share = own_rank * 0.6180339887498949;
  double wait_s =
      meeting.interval_s * (0.5 + 0.5 * (share - static_cast<double>(static_cast<int64_t>(share))));
  int best = -1, failures = alone ? 0 : failures_until_silent;
  uint32_t number = 0;
  int64_t usual = 0;
  while (failures < failures_until_silent) {
    const uint64_t due_ns = real_ns(CLOCK_MONOTONIC) + static_cast<uint64_t>(wait_s * 1e9);
    for (uint64_t now_ns = 0; !stopped() && (now_ns = real_ns(CLOCK_MONOTONIC)) < due_ns;)
      sleep_on(&stopping, 0, due_ns - now_ns);
    if (stopped()) return nullptr;
    wait_s = meeting.interval_s;
    const uint64_t began_ns = real_ns(CLOCK_MONOTONIC), cpu_ns = real_ns(CLOCK_THREAD_CPUTIME_ID);
    const ClockSample sample = exchange(best, number, usual);
    if (stopped()) return nullptr;
    if (sample.trips == 0) {
      best = -1;
      ++failures;
      continue;
    }
    failures = 0;
    const ClockCost cost{real_ns(CLOCK_MONOTONIC) - began_ns, real_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns};
    write_clock("run", sample, false, &cost);
    add_to_wire_clock(sample);
  }
  trouble(Trouble::clock_thread_failed);
  return nullptr;
}

void find_addresses() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return;
  for (int loopback = 0; loopback < 2; ++loopback)  // the last resort: another "machine" on this one
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0 ||
          ((one->ifa_flags & IFF_LOOPBACK) != 0) != (loopback != 0) ||
          meeting.addresses == ClockMeeting::most_addresses)
        continue;
      sockaddr_in address{};
      memcpy(&address, one->ifa_addr, sizeof address);
      meeting.address[meeting.addresses++] = address.sin_addr.s_addr;
    }
  freeifaddrs(all);
}

}  // namespace

double clock_interval_s() {
  const char* text = getenv(environment::clock_interval);
  // Departures of messages between machines are told by what was exchanged before, not afterwards.
  const char* stamps = getenv(environment::stamps);
  const double otherwise = stamps != nullptr && strcmp(stamps, "1") == 0 ? 2 : 30;
  const double asked = text != nullptr ? strtod(text, nullptr) : otherwise;
  return asked > 0 ? (asked < 1e6 ? asked : 1e6) : 0;
}

ClockMeeting answer_clocks(double interval_s) {
  meeting = {};
  const int socket = interval_s > 0 ? ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
  sockaddr_in any{};
  any.sin_family = AF_INET;
  socklen_t size = sizeof any;
  if (socket >= 0 && bind(socket, reinterpret_cast<const sockaddr*>(&any), size) == 0 &&
      getsockname(socket, reinterpret_cast<sockaddr*>(&any), &size) == 0 &&
      getrandom(&meeting.secret, sizeof meeting.secret, GRND_NONBLOCK) == sizeof meeting.secret) {
    meeting.port = any.sin_port;
    find_addresses();
    own_socket = socket;
    pthread_t thread;
    if (start_own_thread(answer, thread, "whatwire-clock")) {
      pthread_detach(thread);
      while (__atomic_load_n(&thread_ready, __ATOMIC_SEQ_CST) == 0) sleep_on(&thread_ready, 0, 1000000000u);
      answers = true;
      meeting.interval_s = interval_s;
    }
  }
  if (socket >= 0) close(socket);
  if (interval_s > 0 && !answers) trouble(Trouble::clock_thread_failed);
  return meeting;
}

void ask_clocks(const ClockMeeting& where, int rank) {
  if (where.interval_s <= 0) return;
  meeting = where;
  own_rank = rank;
  asks = start_own_thread(ask, asking_thread, "whatwire-clock");
  if (!asks) trouble(Trouble::clock_thread_failed);
}

void stop_clock_threads() {
  if (asks) {
    wake(&stopping);
    pthread_join(asking_thread, nullptr);
    asks = false;
  }
  if (!answers) return;
  answers = false;
  // Detached: should the word not reach it, it sleeps until the process ends.
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = meeting.port;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const Question stop{meeting.secret, 0, 1};
  sendto(socket, &stop, sizeof stop, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  close(socket);
}

void write_clock(const char* when, const ClockSample& sample, bool same_clock, const ClockCost* cost) {
  const ClockPair now = clock_pair();
  DefinitionLine line("clock");
  line.text("when", when)
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("root_ticks_offset", sample.offset)
      .number("uncertainty_ticks", sample.uncertainty)
      .boolean("same_clock", same_clock)
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .text("counter", counter)
      .number("at_ticks", static_cast<int64_t>(sample.at_ticks))
      .real("deviation_ticks", sample.deviation)
      .number("round_trips", sample.trips);
  if (cost != nullptr)
    line.number("took_ns", static_cast<int64_t>(cost->took_ns))
        .number("cpu_ns", static_cast<int64_t>(cost->cpu_ns));
  line.write();
}

void name_counter(int rank) {
  char boot_id[40] = {};
  read_boot_id(boot_id, sizeof boot_id);
  struct stat name_space {};
  if (boot_id[0] == 0)
    snprintf(counter, sizeof counter, "rank %d", rank);
  else if (counter_is_clock)
    snprintf(counter, sizeof counter, "tsc %s", boot_id);
  else
    snprintf(
        counter, sizeof counter, "clock %s %lu", boot_id,
        stat("/proc/self/ns/time", &name_space) == 0 ? static_cast<unsigned long>(name_space.st_ino) : 0ul);
}

const char* counter_name() {
  return counter;
}

}  // namespace ww::interpose
