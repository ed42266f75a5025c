#include "trace/growing_spool.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace ww::spool {

GrowingSpool::GrowingSpool(const std::filesystem::path& file)
    : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status {};
  if (file_ < 0 || fstat(file_, &status) != 0) return;
  const auto bytes = static_cast<std::uint64_t>(std::max<off_t>(0, status.st_size));
  room_ = bytes < header_bytes ? 0 : (bytes - header_bytes) / sizeof(Record);
}

GrowingSpool::~GrowingSpool() {
  if (file_ >= 0) close(file_);
}

Record GrowingSpool::at(std::uint64_t index) const {
  Record record{};
  if (pread(file_, &record, sizeof record, static_cast<off_t>(header_bytes + index * sizeof record)) !=
      static_cast<ssize_t>(sizeof record))
    return {};
  return record;
}

std::uint64_t GrowingSpool::records() const {
  std::uint64_t first = 0, last = room_;
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (at(middle).call != 0)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

// Read twice, as it may be written between its words.
std::optional<Record> GrowingSpool::standing(std::uint64_t& records) const {
  constexpr int tries = 8;
  for (int i = 0; i < tries; ++i) {
    records = this->records();
    const Record first = at(records), second = at(records);
    const bool same = std::memcmp(&first, &second, sizeof first) == 0;
    if (!same || first.call != 0) continue;
    if (first.enter_ticks == 0 || first.leave_ticks != 0) return std::nullopt;
    return first;
  }
  return std::nullopt;
}

}  // namespace ww::spool
