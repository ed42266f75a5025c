#include "base/column_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace ww {
namespace {

constexpr std::uint64_t segment_bytes = std::uint64_t{1} << 30;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + ColumnStore::page_bytes - 1) / ColumnStore::page_bytes * ColumnStore::page_bytes;
}

}  // namespace

int nameless_file(const std::filesystem::path& dir) {
  const int file = open(dir.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  std::string name = (dir / "spill-XXXXXX").string();  // file systems that know no O_TMPFILE
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

Result<std::shared_ptr<ColumnStore>> ColumnStore::make(const std::filesystem::path& dir) {
  const int file = nameless_file(dir);
  if (file < 0)
    return fail("cannot make a file for what is larger than the memory",
                dir.string() + ": " + std::strerror(errno), "name a directory that can be written in TMPDIR");
  return std::shared_ptr<ColumnStore>(new ColumnStore(file));
}

ColumnStore::~ColumnStore() {
  for (const Segment& segment : segments_) munmap(segment.data, segment.bytes);
  close(file_);
}

char* ColumnStore::allocate(std::uint64_t bytes) {
  bytes = whole_pages(std::max<std::uint64_t>(bytes, 1));
  const std::lock_guard lock(mutex_);
  if (segments_.empty() || segments_.back().bytes - segments_.back().used < bytes) {
    const std::uint64_t wanted = std::max(bytes, segment_bytes);
    const std::uint64_t offset =
        segments_.empty() ? 0 : segments_.back().file_offset + segments_.back().bytes;
    if (ftruncate(file_, static_cast<off_t>(offset + wanted)) != 0) throw NoRoom();
    void* at = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_,
                    static_cast<off_t>(offset));
    if (at == MAP_FAILED) throw NoRoom();
    segments_.push_back({static_cast<char*>(at), wanted, offset, 0});
  }
  Segment& last = segments_.back();
  char* at = last.data + last.used;
  last.used += bytes;
  return at;
}

void ColumnStore::commit(char* at, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::uint64_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto holds = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& segment) {
      return segment.data <= at && at < segment.data + segment.bytes;
    });
    WW_INVARIANT(holds != segments_.end());
    offset = holds->file_offset + static_cast<std::uint64_t>(at - holds->data);
  }
  // Zeros that are written give the pages their place on the disk many at once; blocks that are only reserved (posix_fallocate) have it
  // asked for at each page's first touch, which took twice as long as all the rest of loading.
  static const std::vector<char> zeros(std::size_t{1} << 20);
  for (std::uint64_t done = 0; done < bytes;) {
    const ssize_t written = pwrite(file_, zeros.data(), std::min<std::uint64_t>(bytes - done, zeros.size()),
                                   static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw NoRoom();
    done += static_cast<std::uint64_t>(written);
  }
}

void ColumnStore::release(char* at, std::uint64_t bytes) {
  if (bytes > 0) madvise(at, bytes, MADV_REMOVE);
}

}  // namespace ww
