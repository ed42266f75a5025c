// The sections of a file of code, as its compiler and linker left them: of a program that runs they are only in the file.
#pragma once
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

namespace ww::interpose {

// Pages of their own, never in the program's heap; nullptr: no memory.
void* pages_for(size_t bytes);
void give_back(void* pages, size_t bytes);

class ElfSections {
 public:
  // `path` "": the program that runs. Without sections where it cannot be read or is damaged. It is read, not mapped: a file that is
  // built anew while the program runs must not end it.
  explicit ElfSections(const char* path);
  ~ElfSections();
  ElfSections(const ElfSections&) = delete;
  ElfSections& operator=(const ElfSections&) = delete;

  int count() const { return count_; }
  const ElfW(Shdr) & operator[](int i) const { return sections_[i]; }
  bool is_called(int i, const char* name) const;
  bool read(void* to, size_t bytes, uint64_t offset) const;

 private:
  int fd_;
  int count_ = 0, names_ = 0;
  ElfW(Shdr) * sections_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace ww::interpose
