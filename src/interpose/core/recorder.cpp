#include "interpose/core/recorder.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/speed.hpp"
#include "interpose/core/tcp_counts.hpp"
#include "interpose/core/thread.hpp"
#include "interpose/core/virtual_clock.hpp"

namespace ww::interpose {

namespace {

const char* dir = "";
ProcessName process;
pid_t owner = 0;
bool ended = true;

// A child shares nothing with its parent's recording: its copies of the mappings are gone (MADV_DONTFORK).
void off_in_child() {
  active = false;
  recording = false;
  dilating = false;
  each_on_its_own = false;
  ended = true;
  this_thread = nullptr;
}

__attribute__((destructor)) void end_without_finalize() {
  if (!ended && owner == getpid()) finish("exit");
}

int read_file(const char* path, char* text, int size) {
  text[0] = 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, text, static_cast<size_t>(size - 1));
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return static_cast<int>(n > 0 ? n : 0);
}

}  // namespace

Wishes read_wishes() {
  Wishes wishes;
  const char* text = getenv(environment::spool_dir);
  if (text != nullptr && text[0] == '/') wishes.spool_dir = text;
  text = getenv(environment::dilation);
  if (text != nullptr) {
    const double factor = strtod(text, nullptr);
    if (factor > 1 && factor <= 1e6) wishes.dilation = factor;
  }
  wishes.stretch.factor = wishes.dilation;
  text = getenv(environment::stretch);
  if (text != nullptr) {
    const double factor = strtod(text, nullptr);
    if (factor >= 1 && factor <= 1e6) wishes.stretch.factor = factor;
  }
  text = getenv(environment::meter);
  if (text != nullptr && strcmp(text, "cpu") == 0) wishes.stretch.meter = Meter::cpu;
  text = getenv(environment::progress);
  wishes.stretch.probes = text != nullptr && strcmp(text, "probes") == 0;
  text = getenv(environment::virtual_time);
  wishes.virtual_time = text != nullptr && strcmp(text, "1") == 0;
  const auto both = [](const char* machine, const char* target) {
    return getenv(machine) != nullptr && getenv(target) != nullptr;
  };
  wishes.injects = !wishes.virtual_time && (both(environment::machine_inter, environment::target_inter) ||
                                            both(environment::machine_intra, environment::target_intra));
  RecordSelection& selection = wishes.selection;
  selection.calls = getenv(environment::calls);
  text = getenv(environment::start);
  if (text != nullptr) selection.start_s = strtod(text, nullptr);
  text = getenv(environment::max_records);
  if (text != nullptr) selection.max_records = strtoull(text, nullptr, 10);
  text = getenv(environment::durable);
  selection.on_disk = text != nullptr && strcmp(text, "1") == 0;
  text = getenv(environment::compute);
  if (text != nullptr && strtod(text, nullptr) > 0) wishes.compute = strtod(text, nullptr);
  text = getenv(environment::ranks_per_host);
  if (text != nullptr && atoi(text) > 0) wishes.ranks_per_host = atoi(text);
  text = getenv(environment::stamps);
  wishes.stamps = wishes.virtual_time || (text != nullptr && strcmp(text, "1") == 0);
  text = getenv(environment::wire_follows);
  wishes.wire_follows = text != nullptr && strcmp(text, "1") == 0;
  text = getenv(environment::program_clock);
  wishes.real_clock = text != nullptr && strcmp(text, "real") == 0;
  return wishes;
}

namespace {
constexpr int most_before_finish = 4;
void (*before_finish[most_before_finish])() = {};
int before_finish_count = 0;
}  // namespace

void call_before_finish(void (*call)()) {
  for (int i = 0; i < before_finish_count; ++i)
    if (before_finish[i] == call) return;  // a task can enrol again
  if (before_finish_count < most_before_finish) before_finish[before_finish_count++] = call;
}

bool seen_in_use() {
  return owner != 0;
}
const char* spool_dir() {
  return dir;
}
int world_rank() {
  return process.rank;
}
const ProcessName& process_name() {
  return process;
}

namespace {

enum class Made : uint8_t { yes, was_there, impossible };

Made make(const char* spool, const char* name, int number, bool directory) {
  char path[PATH_MAX];
  const int n = number < 0 ? snprintf(path, sizeof path, "%s/%s", spool, name)
                           : snprintf(path, sizeof path, "%s/%s%d", spool, name, number);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path) return Made::impossible;
  const int fd = directory ? mkdir(path, 0777) : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return errno == EEXIST ? Made::was_there : Made::impossible;
  if (!directory) close(fd);
  return Made::yes;
}

// The first number that nobody has made; -1: impossible.
int make_numbered(const char* spool, const char* name, bool directory) {
  constexpr int most = 1000000;
  for (int number = 1; number < most; ++number) {
    const Made made = make(spool, name, number, directory);
    if (made == Made::yes) return number;
    if (made == Made::impossible) return -1;
  }
  return -1;
}

}  // namespace

int claim_world(const char* spool_dir, bool spawned) {
  if (spawned) return make_numbered(spool_dir, "world-", true);
  if (make(spool_dir, environment::world_claim, -1, false) != Made::was_there) return 0;
  make_numbered(spool_dir, environment::other_job_prefix, false);
  return -1;
}

namespace {

bool start_process(const Wishes& wishes, int world, const ProcessName& name, int processes,
                   bool threads_call_at_once) {
  process = name;
  concurrent = threads_call_at_once;
  owner = getpid();
  pthread_atfork(nullptr, nullptr, off_in_child);
  char place[PATH_MAX] = "";
  const int n = wishes.spool_dir == nullptr || world < 0 ? 0
                : world == 0 ? snprintf(place, sizeof place, "%s", wishes.spool_dir)
                             : snprintf(place, sizeof place, "%s/world-%d", wishes.spool_dir, world);
  if (n > 0 && static_cast<size_t>(n) < sizeof place && open_definitions(place, process.text)) {
    dir = strdup(place);
    recording = dir != nullptr;
    ended = !recording;
    if (recording) begin_spools(dir, processes);
  }
  dilating = wishes.emulates();
  watch_threads();
  active = recording || dilating;
  return active;
}

}  // namespace

bool start(const Wishes& wishes, int world, int rank, int ranks, bool threads_call_at_once) {
  return start_process(wishes, world, name_of_rank(rank), ranks, threads_call_at_once);
}

bool start_task(const Wishes& wishes, uint64_t address, int tasks, bool threads_call_at_once) {
  const bool started = start_process(wishes, 0, name_of_task(address), tasks, threads_call_at_once);
  if (!recording && wishes.spool_dir != nullptr)
    make_numbered(wishes.spool_dir, environment::other_job_prefix, false);
  return started;
}

bool start_daemon(const char* spool_dir) {
  Wishes wishes;
  wishes.spool_dir = spool_dir;
  const int number = make_numbered(spool_dir, environment::daemon_prefix, false);
  constexpr int some = 8;  // processes that share the disk, daemons and tasks: how many there are nobody says
  return number > 0 && start_process(wishes, 0, name_of_daemon(number), some, false);
}

void finish(const char* reason, void (*before_it_is_told)()) {
  for (int i = before_finish_count; i-- > 0;) before_finish[i]();
  __atomic_store_n(&active, false, __ATOMIC_SEQ_CST);
  if (ended) return;
  ended = true;
  const ClockPair now = virtually_later(clock_pair());
  write_diagnostics();
  if (before_it_is_told != nullptr) before_it_is_told();
  DefinitionLine("end")
      .text("reason", reason)
      .number("records", static_cast<int64_t>(records_of_all_threads()))
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .write();
}

namespace {

struct Usage {
  int64_t cpu_ns = 0, monotonic_ns = 0, involuntary_switches = 0;
  int64_t waited_ns = -1;  // -1: this kernel does not count it
};
Usage usage_at_begin;
uint64_t arithmetic_at_begin_ns = 0;  // 0: nobody dilates

// For how long the calling thread was ready to run and others had its core.
int64_t waited_ns() {
  char text[128];
  if (read_file("/proc/thread-self/schedstat", text, sizeof text) == 0) return -1;
  char* after_ran = nullptr;
  strtoll(text, &after_ran, 10);
  char* after_waited = nullptr;
  const long long waited = strtoll(after_ran, &after_waited, 10);
  return after_waited == after_ran ? -1 : waited;
}

Usage usage_now() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto nanoseconds = [](const timeval& t) { return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL; };
  return {nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime),
          static_cast<int64_t>(clock_pair().monotonic_ns), used.ru_nivcsw, waited_ns()};
}

}  // namespace

void begin_usage() {
  if (getenv(environment::dilation) != nullptr) arithmetic_at_begin_ns = arithmetic_ns();
  usage_at_begin = usage_now();
  begin_tcp_counts();
}

void end_usage() {
  if (ended) return;
  const Usage now = usage_now();
  DefinitionLine line("usage");
  line.number("cpu_ns", now.cpu_ns - usage_at_begin.cpu_ns)
      .number("elapsed_ns", now.monotonic_ns - usage_at_begin.monotonic_ns)
      .number("involuntary_switches", now.involuntary_switches - usage_at_begin.involuntary_switches);
  if (usage_at_begin.waited_ns >= 0 && now.waited_ns >= usage_at_begin.waited_ns)
    line.number("waited_ns", now.waited_ns - usage_at_begin.waited_ns);
  if (arithmetic_at_begin_ns != 0)
    line.number("arithmetic_begin_ns", static_cast<int64_t>(arithmetic_at_begin_ns))
        .number("arithmetic_end_ns", static_cast<int64_t>(arithmetic_ns()));
  if (virtual_polled_s() > 0) line.number("polled_ns", static_cast<int64_t>(virtual_polled_s() * 1e9));
  line.write();
  end_tcp_counts();
}

void read_boot_id(char* text, int size) {
  read_file("/proc/sys/kernel/random/boot_id", text, size);
  text[strcspn(text, "\n")] = 0;
}

void read_program_name(char* text, int size) {
  const ssize_t n = readlink("/proc/self/exe", text, static_cast<size_t>(size - 1));
  text[n > 0 ? n : 0] = 0;
}

}  // namespace ww::interpose
