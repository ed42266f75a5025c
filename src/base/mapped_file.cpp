#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ww {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    if (descriptor >= 0) close(descriptor);
    return fail("cannot read the file", file.string());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const at = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  close(descriptor);
  if (at == MAP_FAILED) return fail("cannot map the file", file.string());
  return std::shared_ptr<const MappedFile>(new MappedFile(at, size));
}

MappedFile::~MappedFile() {
  if (at_ != nullptr) munmap(at_, size_);
}

}  // namespace ww
