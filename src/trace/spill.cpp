#include "trace/spill.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/column_store.hpp"

namespace ww {
namespace {

constexpr std::uint64_t in_memory_bytes = std::uint64_t{32} << 10;
constexpr std::uint64_t most_growth_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t page_bytes = 4096;

// The thread sanitizer does not follow mremap: what another thread is given where this mapping was would look
// shared to it.
void* enlarged(void* at, std::uint64_t bytes, std::uint64_t wanted, [[maybe_unused]] int file) {
#if defined(__SANITIZE_THREAD__)
  void* anew = mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (anew != MAP_FAILED) munmap(at, bytes);
  return anew;
#else
  return mremap(at, bytes, wanted, MREMAP_MAYMOVE);
#endif
}

}  // namespace

SpillBytes& SpillBytes::operator=(SpillBytes&& other) noexcept {
  std::swap(dir_, other.dir_);
  std::swap(data_, other.data_);
  std::swap(capacity_, other.capacity_);
  std::swap(file_, other.file_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

SpillBytes::~SpillBytes() {
  seal();
  if (mapped_)
    munmap(data_, capacity_);
  else
    std::free(data_);
}

bool SpillBytes::reserve(std::uint64_t bytes) {
  if (bytes <= capacity_) return true;
  std::uint64_t wanted = std::max(bytes, capacity_ + std::min(capacity_, most_growth_bytes));
  wanted = (wanted + page_bytes - 1) / page_bytes * page_bytes;
  if (mapped_ || wanted > in_memory_bytes) return to_file(wanted);
  auto* grown = static_cast<char*>(std::realloc(data_, wanted));
  if (grown == nullptr) return false;
  std::memset(grown + capacity_, 0, wanted - capacity_);
  data_ = grown;
  capacity_ = wanted;
  return true;
}

bool SpillBytes::to_file(std::uint64_t bytes) {
  if (file_ < 0 && mapped_) return false;  // sealed
  if (file_ < 0) file_ = nameless_file(dir_);
  if (file_ < 0 || posix_fallocate(file_, 0, static_cast<off_t>(bytes)) != 0) return false;
  void* at = mapped_ ? enlarged(data_, capacity_, bytes, file_)
                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (at == MAP_FAILED) return false;
  if (!mapped_) {
    if (capacity_ > 0) std::memcpy(at, data_, capacity_);
    std::free(data_);
  }
  data_ = static_cast<char*>(at);
  capacity_ = bytes;
  mapped_ = true;
  return true;
}

void SpillBytes::seal() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

bool SpillBytes::save(const std::filesystem::path& name, std::uint64_t bytes) const {
  const int file = open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  std::uint64_t done = 0;
  while (file >= 0 && done < bytes) {
    const ssize_t written = write(file, data_ + done, std::min<std::uint64_t>(bytes - done, 16 << 20));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::uint64_t>(written);
  }
  return file >= 0 && close(file) == 0 && done == bytes;
}

bool SpillBytes::load(const std::filesystem::path& name, std::uint64_t bytes) {
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  const bool whole =
      file >= 0 && fstat(file, &status) == 0 && static_cast<std::uint64_t>(status.st_size) >= bytes;
  void* at = whole && bytes > 0 ? mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  if (file >= 0) close(file);
  if (at == MAP_FAILED) return whole && bytes == 0;
  *this = SpillBytes(dir_);
  data_ = static_cast<char*>(at);
  capacity_ = bytes;
  mapped_ = true;
  return true;
}

void SpillBytes::release() const {
  if (mapped_) madvise(data_, capacity_, MADV_DONTNEED);  // shared: the file keeps the content
}

}  // namespace ww
