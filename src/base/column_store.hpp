// Where columns are kept that are larger than the memory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/result.hpp"

namespace ww {

// The disk, or the space of addresses, has no room left for a column. What was being made is lost; main()
// says so, and load_trace gives it as an error.
struct NoRoom : std::bad_alloc {
  const char* what() const noexcept override { return "no room left on the disk for what is kept there"; }
};

// One file without a name, mapped: the kernel writes its pages out when memory is short, and it is gone with
// the process. Its blocks are reserved before they are touched, so that a full disk is an error and no signal.
// Several threads may use it at once.
class ColumnStore {
 public:
  static Result<std::shared_ptr<ColumnStore>> make(const std::filesystem::path& dir);
  ~ColumnStore();
  ColumnStore(const ColumnStore&) = delete;
  ColumnStore& operator=(const ColumnStore&) = delete;

  // Addresses for so many bytes, at the beginning of a page; none of the disk yet. Throws NoRoom.
  char* allocate(std::uint64_t bytes);
  // The bytes from there on may be written; they are 0 where nothing was yet. Throws NoRoom.
  void commit(char* at, std::uint64_t bytes);
  // The disk gets them back. Both at pages.
  void release(char* at, std::uint64_t bytes);

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  struct Segment {
    char* data;
    std::uint64_t bytes, file_offset, used;
  };
  explicit ColumnStore(int file) : file_(file) {}

  int file_;
  std::mutex mutex_;
  std::vector<Segment> segments_;
};

// Where a file without a name may be made in `dir`; -1: it may not.
int nameless_file(const std::filesystem::path& dir);

}  // namespace ww
