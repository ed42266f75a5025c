#include "interpose/core/recorder.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

const char* dir = "";
int rank_of_process = -1;
pid_t owner = 0;
bool ended = true;

// A child shares nothing with its parent's recording: its copies of the mappings are gone (MADV_DONTFORK).
void off_in_child() {
  active = false;
  recording = false;
  dilating = false;
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
  Selection& selection = wishes.selection;
  selection.calls = getenv(environment::calls);
  text = getenv(environment::start);
  if (text != nullptr) selection.start_s = strtod(text, nullptr);
  text = getenv(environment::max_records);
  if (text != nullptr) selection.max_records = strtoull(text, nullptr, 10);
  text = getenv(environment::durable);
  selection.on_disk = text != nullptr && strcmp(text, "1") == 0;
  text = getenv(environment::program_clock);
  wishes.real_clock = text != nullptr && strcmp(text, "real") == 0;
  return wishes;
}

const char* spool_dir() {
  return dir;
}
int world_rank() {
  return rank_of_process;
}

bool start(const Wishes& wishes, int rank, bool threads_call_at_once) {
  rank_of_process = rank;
  concurrent = threads_call_at_once;
  owner = getpid();
  pthread_atfork(nullptr, nullptr, off_in_child);
  if (wishes.spool_dir != nullptr && open_definitions(wishes.spool_dir, rank)) {
    dir = strdup(wishes.spool_dir);
    recording = dir != nullptr;
    ended = !recording;
  }
  dilating = wishes.dilation > 1;
  active = recording || dilating;
  return active;
}

void finish(const char* reason) {
  active = false;
  if (ended) return;
  ended = true;
  const ClockPair now = clock_pair();
  write_diagnostics();
  Line("end")
      .text("reason", reason)
      .number("records", static_cast<int64_t>(records_of_all_threads()))
      .number("ticks", static_cast<int64_t>(now.ticks))
      .number("monotonic_ns", static_cast<int64_t>(now.monotonic_ns))
      .write();
}

namespace {

struct Usage {
  int64_t cpu_ns = 0, monotonic_ns = 0, involuntary_switches = 0;
};
Usage usage_at_begin;

Usage usage_now() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto nanoseconds = [](const timeval& t) { return t.tv_sec * 1000000000LL + t.tv_usec * 1000LL; };
  return {nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime),
          static_cast<int64_t>(clock_pair().monotonic_ns), used.ru_nivcsw};
}

}  // namespace

void begin_usage() {
  usage_at_begin = usage_now();
}

void end_usage() {
  if (ended) return;
  const Usage now = usage_now();
  Line("usage")
      .number("cpu_ns", now.cpu_ns - usage_at_begin.cpu_ns)
      .number("elapsed_ns", now.monotonic_ns - usage_at_begin.monotonic_ns)
      .number("involuntary_switches", now.involuntary_switches - usage_at_begin.involuntary_switches)
      .write();
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
