// A file's bytes, mapped: opening takes as long for ten as for a billion, and only what is read comes in.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <type_traits>

#include "base/result.hpp"

namespace ww {

class MappedFile {
 public:
  // Errors: not a regular file, not readable. An empty file has no bytes.
  static Result<std::shared_ptr<const MappedFile>> open(const std::filesystem::path& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();
  std::span<const char> bytes() const { return {static_cast<const char*>(at_), size_}; }

  // `count` values from `offset` on; false if they are not all in the file, or not aligned.
  template <class T>
  bool take(std::uint64_t offset, std::uint64_t count, std::span<const T>& out) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (offset % alignof(T) != 0 || offset > size_ || count > (size_ - offset) / sizeof(T)) return false;
    out = {reinterpret_cast<const T*>(bytes().data() + offset), static_cast<std::size_t>(count)};
    return true;
  }

 private:
  MappedFile(void* at, std::size_t size) : at_(at), size_(size) {}
  void* at_;
  std::size_t size_;
};

}  // namespace ww
