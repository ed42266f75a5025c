// Arrays that may be larger than the memory.
#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "base/result.hpp"

namespace ww {

// Bytes that grow at their end: in memory as long as they are few, then in a file without a name, mapped. The
// kernel writes the pages of the file out when memory is short; the file's blocks are reserved before they
// are touched, so that a full disk is an error and no signal.
class SpillBytes {
 public:
  explicit SpillBytes(std::filesystem::path dir) : dir_(std::move(dir)) {}
  SpillBytes(SpillBytes&& other) noexcept { *this = std::move(other); }
  SpillBytes& operator=(SpillBytes&& other) noexcept;
  ~SpillBytes();

  // Makes room for `bytes` in all; new bytes are 0. False: the disk is full.
  bool reserve(std::uint64_t bytes);
  // No more growing: lets go of the file's descriptor.
  void seal();
  // The first `bytes` as a file with a name. False: the disk is full.
  bool save(const std::filesystem::path& file, std::uint64_t bytes) const;
  // What was saved, to read only. False: it cannot be read, or is shorter.
  bool load(const std::filesystem::path& file, std::uint64_t bytes);
  // Pages that are not needed for now leave this process; what they hold stays.
  void release() const;
  char* data() const { return data_; }
  std::uint64_t capacity() const { return capacity_; }

 private:
  bool to_file(std::uint64_t bytes);

  std::filesystem::path dir_;
  char* data_ = nullptr;
  std::uint64_t capacity_ = 0;
  int file_ = -1;
  bool mapped_ = false;
};

// Elements of a trivial type.
template <class T>
class Spill {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Spill(std::filesystem::path dir) : bytes_(std::move(dir)) {}

  // A push_back on a full disk is dropped and remembered.
  void push_back(const T& value) {
    if ((size_ + 1) * sizeof(T) > bytes_.capacity() && !bytes_.reserve((size_ + 1) * sizeof(T))) {
      failed_ = true;
      return;
    }
    std::memcpy(bytes_.data() + size_ * sizeof(T), &value, sizeof(T));
    ++size_;
  }
  // Elements that are 0.
  void resize(std::uint64_t size) {
    if (bytes_.reserve(size * sizeof(T)))
      size_ = size;
    else
      failed_ = true;
  }
  T& operator[](std::uint64_t index) {
    WW_INVARIANT(index < size_);
    return reinterpret_cast<T*>(bytes_.data())[index];
  }
  const T& operator[](std::uint64_t index) const {
    WW_INVARIANT(index < size_);
    return reinterpret_cast<const T*>(bytes_.data())[index];
  }
  std::uint64_t size() const { return size_; }
  bool save(const std::filesystem::path& file) const { return bytes_.save(file, size_ * sizeof(T)); }
  bool load(const std::filesystem::path& file, std::uint64_t size) {
    if (size > std::uint64_t{1} << 58 || !bytes_.load(file, size * sizeof(T))) return false;
    size_ = size;
    return true;
  }
  bool failed() const { return failed_; }
  void seal() { bytes_.seal(); }
  void release() const { bytes_.release(); }

 private:
  SpillBytes bytes_;
  std::uint64_t size_ = 0;
  bool failed_ = false;
};

}  // namespace ww
