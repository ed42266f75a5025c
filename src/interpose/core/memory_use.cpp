#include "interpose/core/memory_use.hpp"

#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/environment.hpp"
#include "interpose/core/markers.hpp"
#include "interpose/core/names.hpp"
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
    name_unit(number, "bytes");
    return number;
  };
  const uint32_t own = named("memory: private"), shared = named("memory: shared");
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

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t at) const { return at >= begin && at < end; }
};

// From the first to the last part of the file of code that this library is.
Range own_range() {
  struct Search {
    Range found;
  } search;
  const auto look = [](dl_phdr_info* info, size_t, void* given) {
    auto& sought = *static_cast<Search*>(given);
    Range all{~uintptr_t{0}, 0};
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
      if (begin < all.begin) all.begin = begin;
      if (end > all.end) all.end = end;
    }
    if (!all.holds(reinterpret_cast<uintptr_t>(&interval_s))) return 0;
    sought.found = all;
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

struct Sums {
  unsigned long long code = 0, data = 0, spools = 0;  // bytes
};

// Of /proc/self/maps, "BEGIN-END rights ... path", the parts that are the recorder's, and of these what is in memory, by /proc/self/pagemap:
// /proc/self/smaps would say it at once, but looks at every page of the process (some 10 ms each GiB).
class Adding {
 public:
  explicit Adding(Range own) : own_(own), pagemap_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
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
    if (is_spool)
      sums.spools += resident(begin, end);
    else if (own_.holds(begin) && rights[2] == 'x')
      sums.code += resident(begin, end);
    else if (own_.holds(begin) || begin == ways_back_at)
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
  Range own_;
  int pagemap_;
};

template <class Take>
void each_line(const char* path, Take take) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char line[512], chunk[4096];
  size_t length = 0;
  for (ssize_t n = read(fd, chunk, sizeof chunk); n > 0; n = read(fd, chunk, sizeof chunk))
    for (ssize_t i = 0; i < n; ++i) {
      if (chunk[i] != '\n') {
        if (length + 1 < sizeof line) line[length++] = chunk[i];
        continue;
      }
      line[length] = 0;
      take(line);
      length = 0;
    }
  close(fd);
}

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
  Adding adding(own_range());
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
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the process's signals are the program's
  sampling = pthread_create(&sampler, nullptr, sample, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (sampling)
    pthread_setname_np(sampler, "whatwire-memory");
  else
    trouble(Trouble::memory_not_sampled);
}

}  // namespace ww::interpose
