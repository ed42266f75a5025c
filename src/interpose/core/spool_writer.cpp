#include "interpose/core/spool_writer.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "interpose/core/environment.hpp"
#include "interpose/core/not_cancelled.hpp"
#include "interpose/core/selection_control.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool careful = false;

namespace {

// A whole number of records and of pages: 48-byte records meet 4096-byte pages every 12288 bytes.
constexpr uint64_t unit_bytes = 12288;
// Pages are prepared ahead by writing zeros and mapping them in: measured on ext4, a third of the cost of a
// page fault each (13 instead of 40 ns a record), because the file system is asked once for many pages.
constexpr uint64_t most_prepared_bytes = 16 * unit_bytes;
constexpr uint64_t least_prepared_bytes_of_many = 2 * unit_bytes;
constexpr uint64_t least_window_bytes = 16 * unit_bytes, most_window_bytes = 1365 * unit_bytes;
constexpr uint64_t ahead_of_process_bytes = 16u << 20;
const char zeros[most_prepared_bytes] = {};

uint64_t free_at_begin = 0;  // of the disk; 0: not known
uint64_t ranks_on_disk = 1;
uint64_t reserved_by_process = 0;
int64_t unasked_bytes = 0;  // may be taken before the disk is asked again
uint64_t spools = 0;        // of this process

uint64_t units(uint64_t bytes) {
  return (bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

uint64_t share_of_spool() {
  return ahead_of_process_bytes / __atomic_load_n(&spools, __ATOMIC_RELAXED);
}

// The archive and its working files are made beside the spool and take up to twice as much (unify): what was
// free at the beginning is shared out accordingly. Others may fill the disk meanwhile, which is no reason to
// stop as long as there is twice what this process has, times the number of ranks.
bool leaves_room(int fd, uint64_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  if (free_at_begin == 0 || __atomic_fetch_sub(&unasked_bytes, wanted, __ATOMIC_RELAXED) >= wanted)
    return true;
  struct statvfs disk {};
  if (fstatvfs(fd, &disk) != 0) return true;
  const uint64_t free_bytes = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  const uint64_t of_all =
      2 * ranks_on_disk * (__atomic_load_n(&reserved_by_process, __ATOMIC_RELAXED) + bytes);
  const uint64_t of_disk = free_at_begin / 3 * 2;
  const uint64_t kept = bytes + (of_all < of_disk ? of_all : of_disk);
  if (free_bytes < kept) return false;
  const uint64_t spare = (free_bytes - kept) / (6 * ranks_on_disk);
  __atomic_store_n(&unasked_bytes,
                   static_cast<int64_t>(spare < ahead_of_process_bytes ? spare : ahead_of_process_bytes),
                   __ATOMIC_RELAXED);
  return true;
}

// Reserves the blocks: a page of a shared mapping that the disk has no room for would be a SIGBUS in the
// program. Beyond the program's limit of file sizes the kernel would send it SIGXFSZ.
bool reserve(int fd, uint64_t offset, uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || offset + bytes > limit.rlim_cur) return false;
  if (!leaves_room(fd, bytes)) return false;
  const uint64_t all = bytes;
  if (fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0) {
    if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
    while (bytes > 0) {
      const size_t part = bytes < sizeof zeros ? bytes : sizeof zeros;
      const ssize_t n = pwrite(fd, zeros, part, static_cast<off_t>(offset));
      if (n <= 0) return false;
      offset += static_cast<uint64_t>(n);
      bytes -= static_cast<uint64_t>(n);
    }
  }
  __atomic_fetch_add(&reserved_by_process, all, __ATOMIC_RELAXED);
  return true;
}

// Whoever grows or closes a spool, seldom more than one.
class Busy {
 public:
  // `patient`: if not, a thread that was ended in the midst of it does not stop the program's end.
  Busy(int& busy, bool patient) : busy_(busy) {
    for (int i = 0; __atomic_exchange_n(&busy_, 1, __ATOMIC_ACQUIRE) != 0; ++i) {
      if (!patient && i == 100000) return;
      __builtin_ia32_pause();
    }
    held_ = true;
  }
  ~Busy() {
    if (held_) __atomic_store_n(&busy_, 0, __ATOMIC_RELEASE);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  bool held() const { return held_; }

 private:
  NotCancelled whole_;
  int& busy_;
  bool held_ = false;
};

constexpr size_t path_bytes = PATH_MAX + 64;

}  // namespace

void begin_spools(const char* dir, int ranks) {
  struct statvfs disk {};
  if (statvfs(dir, &disk) == 0) free_at_begin = static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  ranks_on_disk = ranks > 1 ? static_cast<uint64_t>(ranks) : 1;
}

ProcessName name_of_rank(int rank) {
  ProcessName name;
  name.rank = rank;
  snprintf(name.text, sizeof name.text, "rank-%d", rank);
  return name;
}

ProcessName name_of_task(uint64_t address) {
  ProcessName name;
  name.address = address;
  snprintf(name.text, sizeof name.text, "task-%016llx", static_cast<unsigned long long>(address));
  return name;
}

ProcessName name_of_daemon(int number) {
  ProcessName name;
  snprintf(name.text, sizeof name.text, "%s%d", environment::daemon_prefix, number);
  return name;
}

// Put together when it is needed, since that is seldom and paths may be long.
void Spool::path(char* text, size_t size) const {
  snprintf(text, size, "%s/%s.thread-%d.spool", dir_, process_->text, thread_);
}

bool Spool::open(const char* dir, const ProcessName& process, int thread) {
  const Busy busy(busy_, true);
  state_ = State::failed;
  dir_ = dir;
  process_ = &process;
  thread_ = thread;
  char name[path_bytes];
  path(name, sizeof name);
  const int fd = ::open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  __atomic_fetch_add(&spools, 1, __ATOMIC_RELAXED);
  // The header and the first window in one.
  const bool good = map_window(fd, 0, spool::header_bytes + least_window_bytes);
  if (good) {
    header_ = reinterpret_cast<spool::SpoolHeader*>(window_);
    window_ += spool::header_bytes;
    window_bytes_ -= spool::header_bytes;
    window_offset_ = spool::header_bytes;
    next = prepared_ = reinterpret_cast<spool::Record*>(window_);
    synced_ = window_;
  }
  if (!good || !prepare(fd)) {
    if (good) munmap(header_, spool::header_bytes + window_bytes_);
    ::close(fd);
    unlink(name);
    header_ = nullptr;
    window_ = nullptr;
    next = ready = prepared_ = nullptr;
    return false;
  }
  ::close(fd);
  header_->header_bytes = spool::header_bytes;
  header_->record_bytes = sizeof(spool::Record);
  header_->world_rank = process.rank;
  header_->address = process.address;
  header_->thread = thread;
  header_->ticks_at_open = ticks();
  header_->threads = 1;
  memcpy(header_->magic, spool::magic, sizeof spool::magic);
  state_ = State::open;
  if (durable) {  // the file with its name
    msync(header_, spool::header_bytes, MS_SYNC);
    const int directory = ::open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);
      ::close(directory);
    }
  }
  return true;
}

void Spool::pass_on(uint64_t number, uint64_t last_leave) {
  regions_left_out = 0;
  collective_left_out = nullptr;
  spool::Record* const at = header_ == nullptr ? nullptr : place();
  if (at == nullptr) return;
  ++header_->threads;
  store(at, {last_leave, last_leave, 0, number, spool::no_peer, 0, 0,
             static_cast<uint8_t>(spool::Kind::thread_begins), 0, spool::no_call});
  next = at + 1;
}

bool Spool::map_window(int fd, uint64_t offset, size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  madvise(at, bytes, MADV_DONTFORK);
  window_ = synced_ = static_cast<char*>(at);
  window_bytes_ = bytes;
  window_offset_ = offset;
  next = prepared_ = reinterpret_cast<spool::Record*>(window_);
  ready = nullptr;
  return true;
}

// Blocks are reserved in larger parts than pages are prepared, once there are many.
bool Spool::reserve_to(int fd, uint64_t end) {
  if (end <= reserved_) return true;
  const uint64_t eighth = reserved_ / 8, share = share_of_spool();
  uint64_t wanted = reserved_ + (eighth < share ? eighth : share) / unit_bytes * unit_bytes;
  if (wanted < end || !reserve(fd, reserved_, wanted - reserved_)) {
    wanted = end;
    if (!reserve(fd, reserved_, wanted - reserved_)) return false;
  }
  reserved_ = wanted;
  return true;
}

bool Spool::prepare(int fd) {
  char* const from = reinterpret_cast<char*>(prepared_);
  const uint64_t offset = window_offset_ + static_cast<uint64_t>(from - window_);
  const uint64_t left = static_cast<uint64_t>(window_ + window_bytes_ - from);
  const uint64_t share = share_of_spool() / unit_bytes * unit_bytes;
  uint64_t most = share < least_prepared_bytes_of_many ? least_prepared_bytes_of_many : share;
  if (most > most_prepared_bytes) most = most_prepared_bytes;
  // The first thread is most often the only one, and begins with what is to be the rule.
  uint64_t bytes = thread_ == 0 ? most : units(offset);
  if (bytes > most) bytes = most;
  if (bytes > left) bytes = left;
  if (!reserve_to(fd, offset + bytes)) {
    bytes = unit_bytes;
    if (!reserve_to(fd, offset + bytes)) return false;
  }
  const ssize_t written = pwrite(fd, zeros, bytes, static_cast<off_t>(offset));
  static_cast<void>(written);  // the blocks are reserved; what was not written faults later
#ifdef MADV_POPULATE_WRITE
  madvise(from, bytes, MADV_POPULATE_WRITE);  // older kernels refuse: each page faults when it is written
#endif
  prepared_ = reinterpret_cast<spool::Record*>(from + bytes);
  return true;
}

spool::Record* Spool::place() {
  return next != nullptr && next < __atomic_load_n(&prepared_, __ATOMIC_RELAXED) ? next : more();
}

// The file is opened anew each time, so that no descriptor is held that the program could close or reuse.
bool Spool::grow() {
  char name[path_bytes];
  path(name, sizeof name);
  const int fd = ::open(name, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  bool good = true;
  if (reinterpret_cast<char*>(next) == window_ + window_bytes_) {
    if (durable) sync();
    munmap(window_, window_bytes_);
    window_ = nullptr;
    passed_records_ += window_bytes_ / sizeof(spool::Record);
    const uint64_t offset = window_offset_ + window_bytes_;
    uint64_t bytes = offset / unit_bytes * unit_bytes;
    if (bytes > most_window_bytes) bytes = most_window_bytes;
    good = map_window(fd, offset, bytes);
  }
  good = good && prepare(fd);
  ::close(fd);
  return good;
}

// Of an open spool, by who holds it.
bool Spool::extend() {
  if (grow()) {
    __atomic_store_n(&ready, prepared_, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&careful, __ATOMIC_SEQ_CST)) ready = nullptr;  // asked for meanwhile
    return true;
  }
  // What there is stays mapped for close().
  if (window_ != nullptr)
    passed_records_ += static_cast<uint64_t>(next - reinterpret_cast<spool::Record*>(window_));
  next = ready = prepared_ = nullptr;
  state_ = State::failed;
  return false;
}

spool::Record* Spool::place_ahead() {
  if (next != nullptr && next < __atomic_load_n(&prepared_, __ATOMIC_RELAXED)) return next;
  const Busy busy(busy_, true);
  return state_ == State::open && extend() ? next : nullptr;
}

void Spool::forget_note() {
  if (next != nullptr && next < __atomic_load_n(&prepared_, __ATOMIC_RELAXED)) next->enter_ticks = 0;
}

spool::Record* Spool::more() {
  const Busy busy(busy_, true);
  if (state_ == State::closed) return nullptr;
  if (state_ == State::open && extend()) return next;
  ++dropped_;
  if (header_ != nullptr) header_->dropped_records = dropped_;
  return nullptr;
}

void Spool::sync() {
  if (window_ == nullptr || next == nullptr) return;
  char* const end = reinterpret_cast<char*>(next);
  char* const begin = window_ + static_cast<size_t>(synced_ - window_) / 4096 * 4096;
  if (end > synced_) msync(begin, static_cast<size_t>(end - begin), MS_SYNC);
  synced_ = end;
}

void put_slowly(Spool& spool, const spool::Record& record) {
  if (__atomic_load_n(&careful, __ATOMIC_SEQ_CST)) {
    put_carefully(spool, record);
    return;
  }
  spool::Record* place = spool.place();
  if (place == nullptr) return;
  store(place, record);
  spool.next = place + 1;
}

uint64_t Spool::records() const {
  if (window_ == nullptr || next == nullptr) return passed_records_;
  return passed_records_ + static_cast<uint64_t>(next - reinterpret_cast<spool::Record*>(window_));
}

void Spool::close() {
  if (header_ == nullptr) return;
  const uint64_t used = records() * sizeof(spool::Record) + spool::header_bytes;
  passed_records_ = records();
  state_ = State::closed;
  next = ready = prepared_ = nullptr;
  if (window_ != nullptr) munmap(window_, window_bytes_);
  munmap(header_, spool::header_bytes);
  window_ = nullptr;
  header_ = nullptr;
  char name[path_bytes];
  path(name, sizeof name);
  // A file that cannot be cut stays longer than its content, which the format allows.
  if (truncate(name, static_cast<off_t>(used)) != 0) return;
}

void Spool::close_in_use() {
  const Busy busy(busy_, false);
  if (header_ == nullptr || !busy.held() || state_ != State::open) return;
  state_ = State::closed;
  __atomic_store_n(&prepared_, static_cast<spool::Record*>(nullptr), __ATOMIC_SEQ_CST);
  __atomic_store_n(&ready, static_cast<spool::Record*>(nullptr), __ATOMIC_SEQ_CST);
  // It may have seen its place on the quick path already: there is room for that one record, and its pages
  // stay mapped.
  const uint64_t used = (records() + 1) * sizeof(spool::Record) + spool::header_bytes;
  const uint64_t cut = (used + 4095) / 4096 * 4096;
  char name[path_bytes];
  path(name, sizeof name);
  if (cut < reserved_ && truncate(name, static_cast<off_t>(cut)) != 0) return;
}

}  // namespace ww::interpose
