#include "interpose/core/elf_sections.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ww::interpose {

void* pages_for(size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void give_back(void* pages, size_t bytes) {
  if (pages != nullptr) munmap(pages, bytes);
}

ElfSections::ElfSections(const char* path)
    : fd_(open(path[0] != 0 ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC)) {
  ElfW(Ehdr) head;
  if (fd_ < 0 || !read(&head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_shentsize != sizeof(ElfW(Shdr)) || head.e_shnum == 0)
    return;
  bytes_ = head.e_shnum * sizeof(ElfW(Shdr));
  sections_ = static_cast<ElfW(Shdr)*>(pages_for(bytes_));
  if (sections_ == nullptr || !read(sections_, bytes_, head.e_shoff)) return;
  count_ = head.e_shnum;
  names_ = head.e_shstrndx < count_ ? head.e_shstrndx : 0;
}

ElfSections::~ElfSections() {
  give_back(sections_, bytes_);
  if (fd_ >= 0) close(fd_);
}

bool ElfSections::read(void* to, size_t bytes, uint64_t offset) const {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n =
        pread(fd_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

bool ElfSections::is_called(int i, const char* name) const {
  char there[64] = {};
  const size_t length = strlen(name) + 1;
  const ElfW(Shdr)& names = sections_[names_];
  return length <= sizeof there && names.sh_size >= length &&
         sections_[i].sh_name <= names.sh_size - length &&
         read(there, length, names.sh_offset + sections_[i].sh_name) && memcmp(there, name, length) == 0;
}

}  // namespace ww::interpose
