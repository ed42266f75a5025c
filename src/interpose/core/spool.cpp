#include "interpose/core/spool.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "interpose/core/control.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool careful = false;

namespace {

// A whole number of records and of pages: 48-byte records meet 4096-byte pages every 12288 bytes. About 16
// MiB.
constexpr size_t step_bytes = 12288u * 1365u;
// Pages are prepared this many bytes at a time, by writing zeros and mapping them in: measured on ext4, a
// third of the cost of a page fault each (13 instead of 40 ns a record), because the file system is asked
// once for many pages.
constexpr size_t prepare_bytes = 12288u * 16u;
const char zeros[prepare_bytes] = {};

// Reserves the blocks: a page of a shared mapping that the disk has no room for would be a SIGBUS in the
// program.
// Beyond the program's limit of file sizes the kernel would send it SIGXFSZ.
bool reserve(int fd, uint64_t offset, uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || offset + bytes > limit.rlim_cur) return false;
  if (fallocate(fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  while (bytes > 0) {
    const size_t part = bytes < sizeof zeros ? bytes : sizeof zeros;
    const ssize_t n = pwrite(fd, zeros, part, static_cast<off_t>(offset));
    if (n <= 0) return false;
    offset += static_cast<uint64_t>(n);
    bytes -= static_cast<uint64_t>(n);
  }
  return true;
}

void* map(int fd, uint64_t offset, size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (at == MAP_FAILED) return nullptr;
  madvise(at, bytes, MADV_DONTFORK);
  return at;
}

}  // namespace

bool Spool::open(const char* dir, int rank, int thread) {
  failed_ = true;
  const int n = snprintf(path_, sizeof path_, "%s/rank-%d.thread-%d.spool", dir, rank, thread);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path_) return false;
  const int fd = ::open(path_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  void* head = reserve(fd, 0, spool::header_bytes) ? map(fd, 0, spool::header_bytes) : nullptr;
  ::close(fd);
  if (head == nullptr) return false;
  header_ = static_cast<spool::SpoolHeader*>(head);
  header_->header_bytes = spool::header_bytes;
  header_->record_bytes = sizeof(spool::Record);
  header_->world_rank = rank;
  header_->thread = thread;
  header_->ticks_at_open = ticks();
  memcpy(header_->magic, spool::magic, sizeof spool::magic);
  step_offset_ = spool::header_bytes;
  failed_ = !map_step();
  if (durable) {  // the file with its name
    msync(head, spool::header_bytes, MS_SYNC);
    const int directory = ::open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
      fsync(directory);
      ::close(directory);
    }
  }
  return !failed_;
}

// The file is opened anew for each step, so that no descriptor is held that the program could close or reuse.
bool Spool::map_step() {
  const int fd = ::open(path_, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  void* at = reserve(fd, step_offset_, step_bytes) ? map(fd, step_offset_, step_bytes) : nullptr;
  ::close(fd);
  if (at == nullptr) return false;
  step_ = synced_ = static_cast<char*>(at);
  next = prepared_ = reinterpret_cast<spool::Record*>(step_);
  ready = nullptr;
  return true;
}

spool::Record* Spool::place() {
  return next != nullptr && next < prepared_ ? next : more();
}

spool::Record* Spool::more() {
  if (!failed_ && reinterpret_cast<char*>(next) == step_ + step_bytes) {
    if (durable) sync();
    munmap(step_, step_bytes);
    step_ = nullptr;
    step_offset_ += step_bytes;
    full_steps_records_ += step_bytes / sizeof(spool::Record);
    failed_ = !map_step();
  }
  if (failed_) {
    next = ready = prepared_ = nullptr;
    ++dropped_;
    if (header_ != nullptr) header_->dropped_records = dropped_;
    return nullptr;
  }
  char* from = reinterpret_cast<char*>(prepared_);
  const size_t left = static_cast<size_t>(step_ + step_bytes - from);
  const size_t bytes = left < prepare_bytes ? left : prepare_bytes;
  const int fd = ::open(path_, O_RDWR | O_CLOEXEC);
  if (fd >= 0) {
    const uint64_t offset = step_offset_ + static_cast<uint64_t>(from - step_);
    const ssize_t written = pwrite(fd, zeros, bytes, static_cast<off_t>(offset));
    static_cast<void>(written);  // the blocks are reserved; what was not written faults later
    ::close(fd);
  }
#ifdef MADV_POPULATE_WRITE
  madvise(from, bytes,
          MADV_POPULATE_WRITE);  // older kernels refuse: then each page faults when it is written
#endif
  prepared_ = reinterpret_cast<spool::Record*>(from + bytes);
  __atomic_store_n(&ready, prepared_, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&careful, __ATOMIC_SEQ_CST)) ready = nullptr;  // asked for meanwhile
  return next;
}

void Spool::sync() {
  if (step_ == nullptr || next == nullptr) return;
  char* const end = reinterpret_cast<char*>(next);
  char* const begin = step_ + static_cast<size_t>(synced_ - step_) / 4096 * 4096;
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
  if (step_ == nullptr || next == nullptr) return full_steps_records_;
  return full_steps_records_ + static_cast<uint64_t>(next - reinterpret_cast<spool::Record*>(step_));
}

void Spool::close() {
  if (header_ == nullptr) return;
  const uint64_t used = records() * sizeof(spool::Record) + spool::header_bytes;
  full_steps_records_ = records();
  failed_ = true;
  next = ready = prepared_ = nullptr;
  if (step_ != nullptr) munmap(step_, step_bytes);
  munmap(header_, spool::header_bytes);
  step_ = nullptr;
  header_ = nullptr;
  // A file that cannot be cut stays longer than its content, which the format allows.
  if (truncate(path_, static_cast<off_t>(used)) != 0) return;
}

}  // namespace ww::interpose
