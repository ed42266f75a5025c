#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "trace/growing_spool.hpp"
#include "trace/spool.hpp"

namespace ww::spool {
namespace {

bool is_blank(const void* map, std::size_t index) {
  Record record;
  std::memcpy(&record, static_cast<const char*>(map) + header_bytes + index * sizeof(Record), sizeof record);
  return record.call == 0;
}

}  // namespace

Result<std::optional<Records>> Records::open(const std::filesystem::path& file, Diagnostics& diagnostics,
                                             bool growing) {
  const auto damaged = [&](const char* how) {
    diagnostics.add("unreadable-spool", fmt::format("a file of the spool cannot be read ({}: {})", how,
                                                    file.filename().string()));
    return std::nullopt;
  };
  const auto not_now = [&] {
    return fail("cannot read the spool", file.string() + ": " + std::strerror(errno));
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return not_now();
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  std::size_t bytes = known ? static_cast<std::size_t>(status.st_size) : 0;
  Records records;
  std::uint64_t held = 0;
  if (growing && bytes >= header_bytes) {
    records.standing_ = GrowingSpool(file).standing(held);
    // No more than what stays when it is cut.
    bytes = std::min<std::size_t>(bytes, header_bytes + held * sizeof(Record));
  }
  const bool cut_off = bytes < header_bytes;
  void* map = cut_off ? nullptr : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int problem = errno;
  close(descriptor);
  if (cut_off) return damaged("cut off before its first record");
  errno = problem;
  if (map == MAP_FAILED) return not_now();
  records.map_ = map;
  records.map_bytes_ = bytes;
  std::memcpy(&records.header_, map, sizeof(SpoolHeader));
  const SpoolHeader& header = records.header_;
  if (std::memcmp(header.magic, magic, sizeof magic) != 0 || header.header_bytes != header_bytes ||
      header.record_bytes != sizeof(Record))
    return damaged("not a spool of this version");

  const std::size_t room = (bytes - header_bytes) / sizeof(Record);
  if (growing) records.size_ = room;
  while (records.size_ < room && !is_blank(map, records.size_)) {
    ++records.size_;
    records.passed(records.size_ - 1, records.size_);
  }
  // The recorder leaves no gaps; records after one mean that pages were lost.
  const std::size_t look_to = std::min(room, records.size_ + 65536);
  for (std::size_t i = records.size_; i < look_to; ++i) {
    if (is_blank(map, i)) continue;
    diagnostics.add("spool-gap");
    break;
  }
  records.release();
  if (header.dropped_records > 0) diagnostics.add("records-dropped", header.dropped_records);
  const auto wished = [&](DiagnosticName name, std::uint64_t calls) {
    if (calls > 0) diagnostics.add(name, calls);
  };
  wished("calls-before-start", header.calls_before_start);
  wished("calls-while-paused", header.calls_paused);
  wished("calls-not-named", header.calls_not_named);
  wished("calls-over-limit", header.calls_over_limit);
  if (header.markers_left_out > 0) diagnostics.add("markers-left-out", header.markers_left_out);
  return records;
}

Records::Records(Records&& other) noexcept {
  *this = std::move(other);
}

Records& Records::operator=(Records&& other) noexcept {
  std::swap(map_, other.map_);
  std::swap(map_bytes_, other.map_bytes_);
  std::swap(size_, other.size_);
  std::swap(header_, other.header_);
  std::swap(standing_, other.standing_);
  return *this;
}

Records::~Records() {
  if (map_ != nullptr) munmap(map_, map_bytes_);
}

void Records::release() const {
  madvise(map_, map_bytes_, MADV_DONTNEED);  // read-only: the file keeps the content
}

}  // namespace ww::spool
