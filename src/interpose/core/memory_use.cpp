#include "interpose/core/memory_use.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory_values.hpp"
#include "interpose/core/code_range.hpp"
#include "interpose/core/definitions.hpp"
#include "interpose/core/each_line.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/markers.hpp"
#include "interpose/core/names.hpp"
#include "interpose/core/own_thread.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/core/way_back.hpp"

namespace ww::interpose {

namespace {

// --- Over time ---

double interval_s = 0;
pthread_t sampler;
bool sampling = false;
int stopping = 0;
pid_t owner = 0;

struct Pages {
  unsigned long long resident = 0, shared = 0;
};

bool read_pages(int fd, Pages& pages) {
  char text[128];
  const ssize_t n = pread(fd, text, sizeof text - 1, 0);
  if (n <= 0) return false;
  text[n] = 0;
  unsigned long long size = 0;
  return sscanf(text, "%llu %llu %llu", &size, &pages.resident, &pages.shared) == 3 &&
         pages.resident >= pages.shared;
}

// By the system's own call: what waits for a time is the program's business elsewhere (program_waits.cpp).
void wait_a_while() {
  timespec time{static_cast<time_t>(interval_s), 0};
  time.tv_nsec = static_cast<long>((interval_s - static_cast<double>(time.tv_sec)) * 1e9);
  syscall(SYS_futex, &stopping, FUTEX_WAIT_PRIVATE, 0, &time, nullptr, 0);
}

void* sample(void*) {
  const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const auto named = [](const char* name) {
    const uint32_t number = name_number(NameUse::integer, name, strlen(name));
    name_unit(number, memory_values::unit);
    return number;
  };
  const uint32_t own = named(memory_values::own), shared = named(memory_values::shared);
  Pages before{~0ull, ~0ull}, now;
  bool good = fd >= 0;
  for (; good && __atomic_load_n(&stopping, __ATOMIC_ACQUIRE) == 0; wait_a_while()) {
    good = read_pages(fd, now);
    Thread* const thread = good && active && recording ? thread_outside_calls(false) : nullptr;
    if (thread == nullptr) continue;
    // A curve stays where it is until the next value.
    if (now.resident - now.shared != before.resident - before.shared)
      put_integer(*thread, own, static_cast<int64_t>((now.resident - now.shared) * page_bytes));
    if (now.shared != before.shared)
      put_integer(*thread, shared, static_cast<int64_t>(now.shared * page_bytes));
    before = now;
  }
  if (!good) trouble(Trouble::memory_not_sampled);
  if (fd >= 0) close(fd);
  return nullptr;
}

// --- At the end ---

struct Sums {
  unsigned long long code = 0, data = 0, spools = 0;  // bytes
};

// Of /proc/self/maps, "BEGIN-END rights ... path", the parts that are the recorder's, and of these what is in memory, by /proc/self/pagemap:
// /proc/self/smaps would say it at once, but looks at every page of the process.
class Adding {
 public:
  explicit Adding(CodeRange own) : own_(own), pagemap_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~Adding() {
    if (pagemap_ >= 0) close(pagemap_);
  }
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;

  bool known() const { return pagemap_ >= 0; }
  void line(const char* text) {
    unsigned long begin = 0, end = 0;
    char rights[8] = {};
    if (sscanf(text, "%lx-%lx %7s", &begin, &end, rights) != 3) return;
    const char* const path = strchr(text, '/');
    const size_t length = strlen(spool_dir());
    const bool is_spool = path != nullptr && length > 0 && strncmp(path, spool_dir(), length) == 0;
    const bool is_own = own_.holds(reinterpret_cast<const void*>(begin));
    if (is_spool)
      sums.spools += resident(begin, end);
    else if (is_own && rights[2] == 'x')
      sums.code += resident(begin, end);
    else if (is_own || begin == ways_back_at)
      sums.data += resident(begin, end);
  }
  Sums sums;

 private:
  // Bytes. A page's entry has 64 bits, of which the highest says that it is there.
  unsigned long long resident(uintptr_t begin, uintptr_t end) const {
    static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    uint64_t entries[256];
    unsigned long long pages = 0;
    for (uintptr_t at = begin / page; at < end / page;) {
      const uintptr_t left = end / page - at, some = left < 256 ? left : 256;
      const ssize_t n =
          pread(pagemap_, entries, some * sizeof entries[0], static_cast<off_t>(at * sizeof entries[0]));
      if (n <= 0) break;
      const size_t got = static_cast<size_t>(n) / sizeof entries[0];
      for (size_t i = 0; i < got; ++i) pages += entries[i] >> 63;
      at += got;
    }
    return pages * page;
  }
  CodeRange own_;
  int pagemap_;
};

void end_memory() {
  if (!recording || getpid() != owner) return;
  if (sampling) {
    __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &stopping, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
    pthread_join(sampler, nullptr);
    sampling = false;
  }
  unsigned long long peak_kb = 0;
  each_line("/proc/self/status", [&](const char* line) { sscanf(line, "VmHWM: %llu kB", &peak_kb); });
  owner = 0;  // once
  if (peak_kb == 0) return;
  Adding adding(file_around(&interval_s));
  each_line("/proc/self/maps", [&](const char* line) { adding.line(line); });
  DefinitionLine line("fact");
  line.text("name", "memory").number("peak_bytes", static_cast<int64_t>(peak_kb << 10));
  if (adding.known())
    line.number("recorder_code_bytes", static_cast<int64_t>(adding.sums.code))
        .number("recorder_data_bytes", static_cast<int64_t>(adding.sums.data))
        .number("spools_resident_bytes", static_cast<int64_t>(adding.sums.spools));
  line.number("spools_bytes",
              static_cast<int64_t>(records_of_all_threads() * sizeof(spool::Record) +
                                   static_cast<uint64_t>(thread_count()) * spool::header_bytes));
  line.write();
}

}  // namespace

void begin_memory() {
  owner = getpid();
  if (recording) call_before_finish(end_memory);
  const char* const text = getenv(environment::memory_interval);
  interval_s = text != nullptr ? 1e-3 * strtod(text, nullptr) : 0;
  if (!recording || !(interval_s > 0)) return;
  sampling = start_own_thread(sample, sampler, "whatwire-memory");
  if (!sampling) trouble(Trouble::memory_not_sampled);
}

}  // namespace ww::interpose
